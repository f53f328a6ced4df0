import LuaRuntime
import StateBlocks

/// The policy of a gatekeeper: which actions attempt a passage, under which condition, and which reset it.
package struct GatekeeperPolicy: Sendable {
  /// The options that an entry names for one verb.
  package enum Choice: Sendable {
    case options([GatekeeperOption])
    case all
    case workedOut(FlowFunction)

    fileprivate init?(_ value: Value?, of gatekeeper: String) {
      guard let value else { return nil }
      if value["all"] == .boolean(true) {
        self = .all
      } else if let function = FlowFunction(value["work_out"], name: "gatekeeper") {
        self = .workedOut(function)
      } else {
        let names = (value["options"]?.listValue ?? []).compactMap(\.stringValue)
        self = .options(names.map { GatekeeperOption(gatekeeper: gatekeeper, option: $0) })
      }
    }

    /// The options that the entry lists by name; empty if it is `all` or a function.
    package var names: [String] {
      if case .options(let options) = self { options.map(\.option) } else { [] }
    }

    fileprivate var isWorkedOut: Bool {
      if case .workedOut = self { true } else { false }
    }
  }

  /// The effect of one action on the gatekeeper.
  ///
  /// It is an object, so that a dispatch retains one reference instead of all that the entry contains.
  package final class Entry: Sendable {
    package let name: String
    /// The name under which readers depend on the gatekeeper, such as `gatekeeper phase`.
    package let title: String
    package let attempt: Choice?
    package let reset: Choice?
    package let unless: Choice?

    fileprivate init(_ described: Value, of gatekeeper: String) {
      name = gatekeeper
      title = "gatekeeper \(gatekeeper)"
      attempt = Choice(described["attempt"], of: gatekeeper)
      reset = Choice(described["reset"], of: gatekeeper)
      unless = Choice(described["unless"], of: gatekeeper)
    }

    package var choices: [Choice] { [attempt, reset, unless].compactMap(\.self) }
  }

  package let name: String
  package let place: SourcePlace
  package let isYesNo: Bool
  package let entries: [String: Entry]

  /// The option that a yes/no gatekeeper holds.
  package static let passage = "passage"

  package var title: String { "gatekeeper \(name)" }

  /// All options that the table names, sorted.
  package var options: [String] { Set(choices.flatMap(\.names)).sorted() }

  /// True if all options are known, because no function computes any.
  package var isClosed: Bool { !choices.contains(where: \.isWorkedOut) }

  /// All choices in the table.
  package var choices: [Choice] { entries.values.flatMap(\.choices) }

  package init?(_ entry: Value, place: SourcePlace) {
    guard let name = entry["name"]?.stringValue else { return nil }
    self.name = name
    self.place = place
    isYesNo = entry["yes_no"] == .boolean(true)
    var entries: [String: Entry] = [:]
    for described in entry["entries"]?.listValue ?? [] {
      guard let action = described["action"]?.stringValue else { continue }
      entries[action] = Entry(described, of: name)
    }
    self.entries = entries
  }

  /// The options that are tested or reset but never attempted; empty if a function may attempt any.
  var neverAttempted: [String] {
    let attempts = entries.values.compactMap(\.attempt)
    if attempts.contains(where: \.isWorkedOut) { return [] }
    let attempted = Set(attempts.flatMap(\.names))
    return options.filter { !attempted.contains($0) }
  }
}
