import FlowLanguage
import LuaRuntime

/// A function of an exploration file, as the VM in which that file has run knows it.
struct AskedFunction: Sendable {
  /// Its number in the file.
  let number: Int
  /// What messages call it: `always consistent`.
  let title: String
  let place: SourcePlace
}

/// Something that is treated fairly: while it is possible all the time, it happens at some time.
struct Fairness: Sendable {
  /// An action, or one of the two words of `Property`.
  let name: String
  /// The fields of the payload that count, with their values: `{ "step", i = 1 }`.
  var payload: [String: Value] = [:]
  /// The fields of which each value is treated fairly by itself: `{ "step", "i" }`.
  var fields: [String] = []
}

/// What must hold of a flow, as an exploration file says it.
struct Property: Sendable {
  enum Kind: String, Sendable {
    case always, never, sometimes, step, eventually, leadsTo = "leads_to"
  }

  let kind: Kind
  let name: String
  let place: SourcePlace
  /// What is asked of a state, for `step` of two of them; of `leads_to` it is what must follow.
  let asked: AskedFunction
  /// Of `leads_to`: on what it must follow.
  var when: AskedFunction?
  /// Of a step: whether it looks at what led there.
  var looksAtMove = false
  /// What `fair` calls the way of time, as steps do: timers come due at some time.
  static let timePasses = "time passes"
  /// The same of effects: while some are under way, one of them ends at some time.
  static let effectsEnd = "effects end"

  /// The actions that are treated fairly.
  var fair: [Fairness] = []

  /// Whether it is about runs that do not end.
  var isLive: Bool { kind == .eventually || kind == .leadsTo }

  /// `always consistent`, `sometimes "all commit"`.
  var title: String { Property.title(kind.rawValue, name) }

  static func title(_ kind: String, _ name: String) -> String {
    "\(kind) \(Value.isName(name) ? name : Value.quoted(name, limit: .max))"
  }
}
