import FlowKernel
import FlowLanguage
import FlowTools
import LuaRuntime

/// What is explored of a flow: which actions somebody dispatches, with which payloads, and how effects end.
struct ExplorationSetup {
  struct Answer {
    let action: String
    let payload: Value
    /// For walks: that any payload of the type may come.
    var type: PayloadType?
  }

  var moves: [ExploredMove] = []
  /// For walks: actions that any payload of their types may come with.
  private(set) var drawn: [(name: String, type: PayloadType)] = []
  /// Whether a file says what time does.
  private(set) var isTimeSaid = false
  var passesTime = true
  /// What time does.
  var clock = ExploredClock()
  /// So many effects are under way at once, at most.
  var mostEffects = 0
  var answersByEffect: [String: [Answer]] = [:]
  /// The titles of effects that nothing follows on: nobody needs to know that they are under way.
  private(set) var silentEffects: Set<String> = []
  /// Fields of payloads that come with their default alone, as `set.s`: nothing is said of other values.
  private(set) var defaulted: [String] = []
  /// The locals of files that functions of the flow change.
  let changedLocals: [ChangedLocal]
  /// What `random()` may give.
  var units: [Double] = []
  var limits: Limits
  /// What an exploration file says.
  var said = ExplorationSpec()
  /// The host whose rules and reducers take part; nil where there is none.
  var host: HostOptions? {
    didSet { if let host { limits = host.limits } }
  }

  /// So many effects are under way at once, where nothing else is said.
  static let usualEffects = 4

  /// So many microseconds no walk takes: 140 years.
  private static let farAway = 1 << 52

  var mostAnswers: Int {
    max(answersByEffect.values.map(\.count).max() ?? 0, said.mostAskedAnswers)
  }

  func answers(to effect: ExploredEffect) -> [Answer] {
    answersByEffect[effect.title] ?? []
  }

  /// Every payload of finite types, or the samples.
  ///
  /// - Parameters:
  ///   - said: what a file says, which comes first.
  ///   - draws: whether payloads are drawn where there are neither, as walks do; what time it is may be asked then.
  /// - Throws: `ExplorationError` that names all actions for which there are none.
  init(
    _ flow: LoadedFlow, _ said: ExplorationSpec = ExplorationSpec(), draws: Bool = false
  ) throws(ExplorationError) {
    limits = flow.limits
    var unknown = UnknownPayloads(flow, isSaid: said.source != nil)
    for action in flow.flow.actions where !action.isInternal {
      if let payloads = said.payloads[action.name] {
        moves += payloads.map { .action(action.name, $0) }
        continue
      }
      let payloads = Payloads(of: action.payload)
      switch payloads.found(drawing: draws) {
      case .success(let values):
        moves += values.map { .action(action.name, $0) }
        defaulted += payloads.defaulted(of: action.name)
      case .failure where draws: drawn.append((action.name, action.payload))
      case .failure(let missing): unknown.add(missing, of: action)
      }
    }
    let flowText = FlowText(flow)
    changedLocals = ChangedLocal.all(in: flowText)
    let text = EffectText(flowText)
    for effect in flow.flow.effects + flow.flow.stateEffects where said.answers[effect.title] == nil
    {
      if text.isUnclear(effect.function) { unknown.add(unclear: effect) }
      var answers: [Answer] = []
      let follow = text.dispatched(by: effect.function).union(
        [effect.onDone, effect.onError].compactMap { $0 })
      for name in follow.sorted() {
        guard let action = flow.flow.action(named: name) else { continue }
        let payloads = Payloads(of: action.payload, error: name == effect.onError)
        switch payloads.found(drawing: draws) {
        case .success(let values):
          answers += values.map { Answer(action: name, payload: $0) }
          defaulted += payloads.defaulted(of: name)
        case .failure where draws:
          answers.append(Answer(action: name, payload: [:], type: action.payload))
        case .failure(let missing): unknown.add(missing, of: action, after: effect)
        }
      }
      // It ends and nothing follows: it is done, or it fails.
      if effect.onDone == nil || effect.onError == nil {
        answers.append(Answer(action: "", payload: [:]))
      }
      answersByEffect[effect.title] = answers
    }
    if !flow.flow.effects.isEmpty || !flow.flow.stateEffects.isEmpty {
      mostEffects = ExplorationSetup.usualEffects
    }
    take(said)
    defaulted = Set(defaulted + said.defaulted).sorted()
    isTimeSaid = clock != ExploredClock()
    if draws, clock.upTo == nil { clock.upTo = ExplorationSetup.farAway }
    silentEffects = Set(
      flow.flow.effects.map(\.title).filter { title in
        answersByEffect[title]?.allSatisfy { $0.action.isEmpty } == true && !isAsked(title)
      })
    if let error = unknown.error { throw error }
  }

  private func isAsked(_ title: String) -> Bool {
    if case .asked? = said.answers[title] { true } else { false }
  }

  func sentence(_ problem: ExploredProblem, _ move: ExploredMove) -> String {
    let what =
      switch move {
      case .action(let name, _): "action \(name)"
      case .time: "time that passes"
      case .end(let effect, _, _): effect.title
      }
    return sentence(problem, by: what)
  }

  /// The same of whatever asks.
  func sentence(_ problem: ExploredProblem, by what: String) -> String {
    return switch problem {
    case .clock where clock.upTo != nil:
      "\(what) asks since when something is held, which cannot be explored: that is no part of a state"
    case .clock:
      "\(what) asks what time it is, or since when something is held, which cannot be explored: time is no "
        + "part of a state; up to a bound it is with time = { up_to = SECONDS } in NAME.explore.lua"
    case .chance(let call):
      "\(what) draws \(call), of which there are too many outcomes: random(m, n) is gone through up to 64 ways; "
        + "for random() say which numbers it may give: random = { 0, 0.5 }"
    case .local(let fault): "\(what): \(fault)"
    }
  }
}

/// How far an exploration goes.
public struct ExplorationBounds: Sendable {
  /// So many states; 0: any number.
  public var states: UInt64 = 0
  /// So many levels, the beginning included; 0: any number.
  public var depth: UInt32 = 0
  /// So long; nil: any time.
  public var time: Duration?
  /// Bytes of memory.
  public var memory = 2 << 30
  /// Whether hashes are kept in place of states.
  public var hashes = false

  /// No bounds but that of memory.
  public init() {}
}
