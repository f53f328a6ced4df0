import StateCharts

/// A state in the common model of SCXML and XState.
///
/// The machine's rules that these formats lack are explicit: each transition exits what the machine would exit.
final class ExportedState {
  /// The id, unique in the whole file.
  let id: String
  /// The name, unique among its siblings.
  let key: String
  var kind: Chart.State.Kind
  /// The initial states; for a history state, its default targets.
  var initial: [ExportedState] = []
  var children: [ExportedState] = []
  var transitions: [ExportedTransition] = []
  var timers: [ExportedTimer] = []
  /// The functions that run on entry, on exit, and while the state is active.
  var onEnter: [String] = []
  var onExit: [String] = []
  var effect: String?
  /// Sentences about the parts that the format cannot express.
  var notes: [String] = []

  init(id: String, key: String, kind: Chart.State.Kind) {
    (self.id, self.key, self.kind) = (id, key, kind)
  }

  /// The children that can be active.
  var activeChildren: [ExportedState] { children.filter { !$0.isHistory } }

  var isHistory: Bool { if case .history = kind { true } else { false } }

  func contains(_ other: ExportedState) -> Bool {
    other === self || children.contains { $0.contains(other) }
  }
}

/// A transition of an exported state, which stays in it if it has no target.
struct ExportedTransition {
  enum Trigger: Equatable {
    case events([String])
    /// The event of exactly that name, without longer names.
    case exactEvent(String)
    case always
    /// The done event of its state.
    case done
    /// The timer of its state with that index.
    case timer(Int)
  }

  var trigger: Trigger
  var condition = ExportedCondition.always
  /// The name of the guard function.
  var guardName: String?
  var targets: [ExportedState] = []
  /// True if its own state is exited only if a target is outside of it.
  var isInternal = false
  /// True if the state that contains both ends is exited and entered again.
  var reenters = false
  /// The name of the action function.
  var action: String?
  /// The timers of its state that it restarts.
  var restarts: [ExportedTimer] = []
  var raises: String?
  var notes: [String] = []
}

/// A timer that raises an event some time after its state was entered.
struct ExportedTimer: Equatable {
  enum Delay: Hashable {
    case seconds(Double)
    /// The result of a function, by that function's name.
    case named(String)
  }

  let id: String
  let event: String
  let delay: Delay
  let repeats: Bool
  /// True if only this timer raises the event.
  let isOwnEvent: Bool
}

/// A condition on which states are active.
indirect enum ExportedCondition: Equatable {
  case always, never
  case active(String)
  case isEvent(String)
  case not(ExportedCondition)
  case all([ExportedCondition])
  case any([ExportedCondition])
  /// An expression of a document.
  case expression(String)

  func and(_ other: ExportedCondition) -> ExportedCondition { .all(of: [self, other]) }

  static func all(of parts: [ExportedCondition]) -> ExportedCondition {
    let parts = parts.flatMap { part in
      if case .all(let inside) = part { inside } else { part == .always ? [] : [part] }
    }
    if parts.contains(.never) { return .never }
    return parts.isEmpty ? .always : parts.count == 1 ? parts[0] : .all(parts)
  }

  static func any(of parts: [ExportedCondition]) -> ExportedCondition {
    let parts = parts.flatMap { part in
      if case .any(let inside) = part { inside } else { part == .never ? [] : [part] }
    }
    if parts.contains(.always) { return .always }
    return parts.isEmpty ? .never : parts.count == 1 ? parts[0] : .any(parts)
  }

  var negated: ExportedCondition {
    switch self {
    case .always: .never
    case .never: .always
    case .not(let inside): inside
    default: .not(self)
    }
  }

  /// True if the null data model of SCXML can express it.
  var isPlain: Bool {
    switch self {
    case .always, .active: true
    default: false
    }
  }

  /// The condition as an ECMAScript expression; nil if it always holds.
  var text: String? { self == .always ? nil : text(isInside: false) }

  private func text(isInside: Bool) -> String {
    switch self {
    case .always: return "true"
    case .never: return "false"
    case .active(let id): return "In(\(ExportedCondition.quoted(id)))"
    case .isEvent(let name): return "_event.name == \(ExportedCondition.quoted(name))"
    case .expression(let text): return text
    case .not(let condition): return "!\(condition.text(isInside: true))"
    case .all(let parts): return ExportedCondition.joined(parts, "&&", isInside)
    case .any(let parts): return ExportedCondition.joined(parts, "||", isInside)
    }
  }

  private static func joined(
    _ parts: [ExportedCondition], _ sign: String, _ isInside: Bool
  ) -> String {
    let text = parts.map { $0.text(isInside: true) }.joined(separator: " \(sign) ")
    return isInside ? "(\(text))" : text
  }

  private static func quoted(_ text: String) -> String {
    "'\(text.replacing("\\", with: "\\\\").replacing("'", with: "\\'"))'"
  }
}
