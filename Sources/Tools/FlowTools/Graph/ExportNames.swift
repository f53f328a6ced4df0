import StateCharts

/// The ids and event names of an export, each of which is unique in the whole file.
struct ExportNames {
  private var ids: Set<String> = []
  /// All event names, including those that the format or the file itself uses.
  private var events: Set<String> = []
  /// The event of each action.
  private(set) var eventOfAction: [String: String] = [:]

  /// Returns a name with its blanks replaced, because blanks end a name in a document.
  static func word(_ name: String) -> String {
    String(name.map { $0.isWhitespace ? "_" : $0 })
  }

  /// Claims the first of these ids that is free, or the last one with a number if none is.
  mutating func claim(_ wanted: String...) -> String {
    ExportNames.claim(wanted, in: &ids, separator: ".")
  }

  private static func claim(
    _ wanted: [String], in taken: inout Set<String>, separator: String
  ) -> String {
    var found = wanted.first { !taken.contains($0) }
    var count = 2
    while found == nil {
      let numbered = "\(wanted[wanted.count - 1])\(separator)\(count)"
      if !taken.contains(numbered) { found = numbered }
      count += 1
    }
    taken.insert(found ?? "")
    return found ?? ""
  }

  /// Gives each action an event; a name that the format does not allow, or uses itself, is replaced by another one.
  mutating func nameEvents(of actions: [String], isPossible: (String) -> Bool) {
    for name in actions where isPossible(name) {
      eventOfAction[name] = name
      events.insert(name)
    }
    for name in actions.sorted() where !isPossible(name) {
      let words = ExportNames.word(name).replacing("*", with: "_").split(separator: ".")
      let plain = words.joined(separator: ".")
      let wanted = plain.isEmpty ? "action" : isPossible(plain) ? plain : "action.\(plain)"
      eventOfAction[name] = ExportNames.claim([wanted], in: &events, separator: "_")
    }
  }

  /// Claims an event that no action has.
  mutating func claimEvent(_ wanted: String) -> String {
    ExportNames.claim([wanted], in: &events, separator: "_")
  }

  /// Reserves events that the format raises by itself.
  mutating func reserve(_ names: some Sequence<String>) { events.formUnion(names) }

  /// Returns true if an event of SCXML with that name would also match others, whose names it is a prefix of.
  func beginsOthers(_ name: String) -> Bool { events.contains { isBegun($0, by: name) } }

  func beginsOtherIDs(_ id: String) -> Bool { ids.contains { isBegun($0, by: id) } }

  private func isBegun(_ name: String, by other: String) -> Bool {
    name.utf8.count > other.utf8.count && name.hasPrefix(other + ".")
  }
}
