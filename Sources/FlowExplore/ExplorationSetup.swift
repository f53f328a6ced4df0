import LuaRuntime
import FlowTools
import Moonlatch

/// What is explored of a flow: which actions somebody dispatches, with which payloads, and how effects end.
struct ExplorationSetup {
  struct Answer {
    let action: String
    let payload: Value
  }

  var moves: [ExploredMove] = []
  var passesTime = true
  /// What time does.
  var clock = ExploredClock()
  /// So many effects are under way at once, at most.
  var mostEffects = 0
  var answersByEffect: [String: [Answer]] = [:]
  /// What `random()` may give.
  var units: [Double] = []
  var limits = Limits()
  /// What an exploration file says.
  var said = SaidSetup()

  /// So many effects are under way at once, where nothing else is said.
  static let usualEffects = 4

  var mostAnswers: Int {
    max(answersByEffect.values.map(\.count).max() ?? 0, said.mostAskedAnswers)
  }

  func answers(to effect: ExploredEffect) -> [Answer] {
    answersByEffect[effect.title] ?? []
  }

  /// Every payload of finite types, or the samples.
  ///
  /// - Parameter said: what a file says, which comes first.
  /// - Throws: `ExplorationError` that names all actions for which there are none.
  init(_ flow: LoadedFlow, _ said: SaidSetup = SaidSetup()) throws(ExplorationError) {
    var faults: [String] = []
    for action in flow.flow.actions where !action.isInternal {
      if let payloads = said.payloads[action.name] {
        moves += payloads.map { .action(action.name, $0) }
        continue
      }
      switch Payloads(of: action.payload).found {
      case .success(let payloads):
        moves += payloads.map { .action(action.name, $0) }
      case .failure(let fault):
        faults.append("\(action.place): action \(action.name): \(fault.sentence)")
      }
    }
    let text = EffectText(FlowText(flow))
    for effect in flow.flow.effects + flow.flow.stateEffects where said.answers[effect.title] == nil
    {
      var answers: [Answer] = []
      let follow = text.dispatched(by: effect.function).union(
        [effect.onDone, effect.onError].compactMap { $0 })
      for name in follow.sorted() {
        guard let action = flow.flow.action(named: name) else { continue }
        switch Payloads(of: action.payload, error: name == effect.onError).found {
        case .success(let payloads): answers += payloads.map { Answer(action: name, payload: $0) }
        case .failure(let fault):
          faults.append(
            "\(effect.function.place): \(effect.title) dispatches \(name): \(fault.sentence)")
        }
      }
      if effect.onDone == nil { answers.append(Answer(action: "", payload: [:])) }
      answersByEffect[effect.title] = answers
    }
    if !flow.flow.effects.isEmpty || !flow.flow.stateEffects.isEmpty {
      mostEffects = ExplorationSetup.usualEffects
    }
    take(said)
    guard faults.isEmpty else {
      throw ExplorationError(
        .setup,
        faults.joined(separator: "\n")
          + "\nThere are too many payloads to try all: give the types bounds (integer { min = 0, max = 3 }), or "
          + "samples (string { samples = { \"ann\" } }), or say them in NAME.explore.lua: "
          + "actions = { NAME = { FIELD = { ... } } }")
    }
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

/// The payloads with which an action is dispatched.
struct Payloads {
  struct Missing: Error {
    let sentence: String
  }

  /// No more of one action.
  static let most = 4096

  private(set) var found: Result<[Value], Missing>

  /// - Parameters:
  ///   - said: the values of some fields.
  ///   - error: whether the field `error` tells what went wrong, in which case any text will do.
  init(of type: PayloadType, said: [String: [Value]] = [:], error: Bool = false) {
    do throws(Missing) {
      found = .success(
        try Payloads.values(
          of: type, called: "its payload", said: said, anyText: error ? "error" : nil))
    } catch {
      found = .failure(error)
    }
  }

  private static func values(
    of type: PayloadType, called name: String, said: [String: [Value]] = [:],
    anyText: String? = nil
  ) throws(Missing) -> [Value] {
    let samples = type.common?.samples ?? []
    switch type {
    case .boolean: return [true, false]
    case .oneOf(let values, _): return values
    case .integer(let min, let max, let common):
      if let min = min?.integerValue, let max = max?.integerValue, max - min < most {
        return (min...max).map { .integer($0) }
      }
      return try given(samples, common.defaultValue, name, "min and max, and no samples")
    case .number(_, _, let common), .string(_, _, _, let common), .any(let common):
      return try given(samples, common.defaultValue, name, "samples")
    case .optional(let inner): return [.nil] + (try values(of: inner, called: name))
    case .listOf(let element, let least, let longest, let common):
      if !samples.isEmpty { return samples }
      guard let longest else {
        return try given([], common.defaultValue, name, "max_length, and no samples")
      }
      return try lists(of: try values(of: element, called: name), least ?? 0, longest, name)
    case .mapOf(_, _, _, let common):
      return try given(samples, common.defaultValue, name, "samples")
    case .record(let fields):
      var all: [[String: Value]] = [[:]]
      for field in fields {
        let isAnyText = field.name == anyText && (field.type.common?.samples ?? []).isEmpty
        let values =
          if let said = said[field.name] { said } else if isAnyText {
            ["it failed"] as [Value]
          } else {
            try values(of: field.type, called: "field \(field.name)")
          }
        all = all.flatMap { record in
          values.map { value in
            var record = record
            record[field.name] = value == .nil ? nil : value
            return record
          }
        }
        if all.count > most { throw tooMany() }
      }
      return all.map { .record($0) }
    }
  }

  private static func given(
    _ samples: [Value], _ standard: Value?, _ name: String, _ remedy: String
  ) throws(Missing) -> [Value] {
    if !samples.isEmpty { return samples }
    if let standard { return [standard] }
    throw Missing(
      sentence: "\(name) has no \(remedy)")
  }

  private static func lists(
    of elements: [Value], _ least: Int, _ longest: Int, _ name: String
  ) throws(Missing) -> [Value] {
    var all: [Value] = []
    var level: [[Value]] = [[]]
    for length in 0...max(longest, 0) {
      if length >= least { all += level.map { .list($0) } }
      guard length < longest else { break }
      level = level.flatMap { list in elements.map { list + [$0] } }
      if all.count + level.count > most { throw tooMany() }
    }
    return all
  }

  private static func tooMany() -> Missing {
    Missing(
      sentence: "there are more than \(most) payloads")
  }
}
