import StateCharts

/// A state as SCXML and XState both have it.
///
/// A machine's own rules that these formats lack are written out: each transition leaves, without more being
/// said, what the machine would leave.
final class ExportedState {
  /// Unique in the whole file.
  let id: String
  /// Its name beside its siblings.
  let key: String
  var kind: Chart.State.Kind
  /// The states that it begins with; of a history state those that it stands for if nothing is remembered.
  var initial: [ExportedState] = []
  var children: [ExportedState] = []
  var transitions: [ExportedTransition] = []
  var timers: [ExportedTimer] = []
  /// The functions that run as it is entered and left, and while it is active.
  var onEnter: [String] = []
  var onExit: [String] = []
  var effect: String?
  /// Sentences about what the format cannot say.
  var notes: [String] = []

  init(id: String, key: String, kind: Chart.State.Kind) {
    (self.id, self.key, self.kind) = (id, key, kind)
  }

  /// The states inside it that can be active.
  var activeChildren: [ExportedState] { children.filter { !$0.isHistory } }

  var isHistory: Bool { if case .history = kind { true } else { false } }

  func contains(_ other: ExportedState) -> Bool {
    other === self || children.contains { $0.contains(other) }
  }
}

/// A transition that leads out of an exported state, or stays in it if it has no target.
struct ExportedTransition {
  enum Trigger: Equatable {
    case events([String])
    /// The event of one name, and none whose name only begins so.
    case exactEvent(String)
    case always
    /// The end of all that is inside its state.
    case done
    /// The timer of its state with that index.
    case timer(Int)
  }

  var trigger: Trigger
  var condition = ExportedCondition.always
  /// The function that has to agree.
  var guardName: String?
  var targets: [ExportedState] = []
  /// True if its own state is left only if a target is outside of it.
  var isInternal = false
  /// True if a state that contains both ends is left and entered again.
  var reenters = false
  /// The function that runs.
  var action: String?
  /// Timers of its state that begin again.
  var restarts: [ExportedTimer] = []
  var raises: String?
  var notes: [String] = []
}

/// An event that comes some time after its state was entered.
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
  /// True if the event comes from this timer alone.
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

  /// True if the null data model of SCXML has it.
  var isPlain: Bool {
    switch self {
    case .always, .active: true
    default: false
    }
  }

  /// An expression of ECMAScript; nil if it always holds.
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
