/// A gatekeeper's policy: which action attempts a passage, under which condition, and which resets.
package struct KeeperPolicy: Sendable {
  /// What an entry says of one verb.
  package enum Choice: Sendable {
    case options([String])
    case all
    case workedOut(FlowFunction)
  }

  /// What one action does to the gatekeeper.
  package struct Entry: Sendable {
    package let attempt: Choice?
    package let reset: Choice?
    package let unless: Choice?
  }

  package let name: String
  package let place: SourcePlace
  package let isYesNo: Bool
  package let entries: [String: Entry]

  /// The option that a yes/no keeper holds.
  package static let passage = "passage"

  package var title: String { "gatekeeper \(name)" }

  /// Every option that the table names, sorted.
  package var options: [String] {
    var all: Set<String> = []
    for entry in entries.values {
      for choice in [entry.attempt, entry.reset, entry.unless] {
        if case .options(let options)? = choice { all.formUnion(options) }
      }
    }
    return all.sorted()
  }

  /// Whether all of its options are known: no function works any out.
  var isClosed: Bool {
    !entries.values.contains { entry in
      [entry.attempt, entry.reset, entry.unless].contains {
        if case .workedOut? = $0 { true } else { false }
      }
    }
  }

  init?(_ entry: Value, place: SourcePlace) {
    guard let name = entry["name"]?.stringValue else { return nil }
    self.name = name
    self.place = place
    isYesNo = entry["yes_no"] == .boolean(true)
    var entries: [String: Entry] = [:]
    for described in entry["entries"]?.listValue ?? [] {
      guard let action = described["action"]?.stringValue else { continue }
      entries[action] = Entry(
        attempt: KeeperPolicy.choice(described["attempt"]),
        reset: KeeperPolicy.choice(described["reset"]),
        unless: KeeperPolicy.choice(described["unless"]))
    }
    self.entries = entries
  }

  private static func choice(_ value: Value?) -> Choice? {
    guard let value else { return nil }
    if value["all"] == .boolean(true) { return .all }
    if let function = FlowFunction(value["work_out"], name: "gatekeeper") {
      return .workedOut(function)
    }
    return .options((value["options"]?.listValue ?? []).compactMap(\.stringValue))
  }

  /// Options that are tested or reset but that nothing ever attempts; none where a function may.
  var neverAttempted: [String] {
    var attempted: Set<String> = []
    for entry in entries.values {
      switch entry.attempt {
      case .workedOut?: return []
      case .options(let options)?: attempted.formUnion(options)
      case .all?, nil: break
      }
    }
    return options.filter { !attempted.contains($0) }
  }
}
