import FlowKernel
import FlowLanguage
import FlowTools
import LuaRuntime

/// The inputs of an exploration: the dispatched actions with their payloads, and the ways in which effects end.
struct ExplorationSetup {
  struct Answer {
    let action: String
    let payload: Value
    /// The payload type, for random walks, which draw any payload of it; nil if `payload` is the only one.
    var type: PayloadType?
  }

  var moves: [ExploredMove] = []
  /// The actions whose payloads random walks draw from their types.
  private(set) var drawn: [(name: String, type: PayloadType)] = []
  /// True if the setup changes how time passes.
  private(set) var isTimeSaid = false
  var passesTime = true
  /// The passage of time.
  var clock = ExploredClock()
  /// The maximum number of effects that run at once.
  var mostEffects = 0
  var answersByEffect: [String: [Answer]] = [:]
  /// The titles of effects after which nothing follows, so that the state need not include them.
  private(set) var silentEffects: Set<String> = []
  /// Payload fields that are explored with their default value only, such as `set.s`.
  private(set) var defaulted: [String] = []
  /// The locals of the flow's files that its functions change.
  let changedLocals: [ChangedLocal]
  /// The possible results of `random()`.
  var units: [Double] = []
  var limits: Limits
  /// The content of the exploration file.
  var said = ExplorationSpec()
  /// The host whose rules and reducers take part; nil for none.
  var host: HostOptions? {
    didSet { if let host { limits = host.limits } }
  }

  /// The default maximum number of effects that run at once.
  static let usualEffects = 4

  /// An upper limit of time that no walk reaches, in microseconds: 140 years.
  private static let farAway = 1 << 52

  var mostAnswers: Int {
    max(answersByEffect.values.map(\.count).max() ?? 0, said.mostAskedAnswers)
  }

  func answers(to effect: ExploredEffect) -> [Answer] {
    answersByEffect[effect.title] ?? []
  }

  /// Collects every payload of finite types, or the samples.
  ///
  /// - Parameters:
  ///   - said: the content of an exploration file, which takes precedence.
  ///   - draws: true to draw payloads at random, as walks do, if there are neither; the flow may then ask for the time.
  /// - Throws: `ExplorationError`, which names all actions without payloads.
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
      // The effect can also end without an action: it finishes or fails, and nothing follows.
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

  /// Returns the message for a problem whose cause has the given title.
  func sentence(_ problem: ExploredProblem, by what: String) -> String {
    return switch problem {
    case .clock where clock.upTo != nil:
      "\(what) asks since when something is held, which cannot be explored: that is not part of a state"
    case .clock:
      "\(what) asks what time it is, or since when something is held, which cannot be explored: time is not "
        + "part of a state; time = { up_to = SECONDS } in NAME.explore.lua makes it one, up to that time"
    case .chance(let call):
      "\(what) draws \(call), which has too many outcomes: random(m, n) is explored with up to 64 outcomes; "
        + "for random() list its results: random = { 0, 0.5 }"
    case .local(let fault): "\(what): \(fault)"
    }
  }
}

/// The bounds of an exploration.
public struct ExplorationBounds: Sendable {
  /// The maximum number of states; 0 for no bound.
  public var states: UInt64 = 0
  /// The maximum number of levels, including the first; 0 for no bound.
  public var depth: UInt32 = 0
  /// The maximum duration; nil for no bound.
  public var time: Duration?
  /// The maximum memory, in bytes.
  public var memory = 2 << 30
  /// True if hashes are stored instead of states.
  public var hashes = false

  /// Creates bounds that limit the memory only.
  public init() {}
}
