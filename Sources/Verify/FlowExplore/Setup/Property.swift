import FlowLanguage
import LuaRuntime

/// A function of an exploration file, in the VM in which that file has run.
struct AskedFunction: Sendable {
  /// The number of the function in the file.
  let number: Int
  /// The title of the function in messages: `always consistent`.
  let title: String
  let place: SourcePlace
}

/// A weak fairness assumption: an action that remains possible is taken eventually.
struct Fairness: Sendable {
  /// The name of an action, or one of the two constants of `Property`.
  let name: String
  /// The payload fields that an action must have, with their values: `{ "step", i = 1 }`.
  var payload: [String: Value] = [:]
  /// The payload fields whose values are treated fairly one by one: `{ "step", "i" }`.
  var fields: [String] = []
}

/// A property of a flow that an exploration file declares.
struct Property: Sendable {
  enum Kind: String, Sendable {
    case always, never, sometimes, step, eventually, leadsTo = "leads_to"
  }

  let kind: Kind
  let name: String
  let place: SourcePlace
  /// The function of a state, or for `step` of two states; for `leads_to`, the condition that must follow.
  let asked: AskedFunction
  /// For `leads_to`, the condition after which `asked` must hold.
  var when: AskedFunction?
  /// For `step`, true if the function takes the move as well.
  var looksAtMove = false
  /// The name of passing time in `fair` and in steps: due timers expire eventually.
  static let timePasses = "time passes"
  /// The name of ending effects in `fair`: if some are running, one of them ends eventually.
  static let effectsEnd = "effects end"

  /// The fairness assumptions.
  var fair: [Fairness] = []

  /// True if the property is about infinite runs.
  var isLive: Bool { kind == .eventually || kind == .leadsTo }

  /// The title, such as `always consistent` or `sometimes "all commit"`.
  var title: String { Property.title(kind.rawValue, name) }

  static func title(_ kind: String, _ name: String) -> String {
    "\(kind) \(Value.isName(name) ? name : Value.quoted(name, limit: .max))"
  }
}
