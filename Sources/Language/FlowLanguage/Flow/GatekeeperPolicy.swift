import LuaRuntime
import StateBlocks

/// A gatekeeper's policy: which action attempts a passage, under which condition, and which resets.
package struct GatekeeperPolicy: Sendable {
  /// What an entry says of one verb.
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

    /// The options that it names.
    package var names: [String] {
      if case .options(let options) = self { options.map(\.option) } else { [] }
    }

    fileprivate var isWorkedOut: Bool {
      if case .workedOut = self { true } else { false }
    }
  }

  /// What one action does to the gatekeeper.
  ///
  /// An object, which a dispatch takes in its hand instead of all that it refers to.
  package final class Entry: Sendable {
    package let name: String
    /// `gatekeeper phase`: under this name readers depend on it.
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

  /// The option that a yes/no keeper holds.
  package static let passage = "passage"

  package var title: String { "gatekeeper \(name)" }

  /// Every option that the table names, sorted.
  package var options: [String] { Set(choices.flatMap(\.names)).sorted() }

  /// True if all of its options are known: no function works any out.
  package var isClosed: Bool { !choices.contains(where: \.isWorkedOut) }

  /// All that is said in the table.
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

  /// Options that are tested or reset but that nothing ever attempts; none where a function may.
  var neverAttempted: [String] {
    let attempts = entries.values.compactMap(\.attempt)
    if attempts.contains(where: \.isWorkedOut) { return [] }
    let attempted = Set(attempts.flatMap(\.names))
    return options.filter { !attempted.contains($0) }
  }
}
