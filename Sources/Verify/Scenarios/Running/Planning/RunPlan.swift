import LuaRuntime

/// Which scenarios of a selection are run.
package struct ScenarioFilter: Sendable {
  /// Texts of which the name contains one, whatever the case; empty for any name.
  package var texts: [String] = []
  package var tags: TagExpression?
  /// The scenarios that did not end well the last time; nil for all.
  package var among: Set<String>?

  package init() {}

  /// Whether every scenario is run.
  package var isEmpty: Bool { texts.isEmpty && tags == nil && among == nil }

  func selects(_ entry: ScenarioFile.Entry, of file: String) -> Bool {
    let name = entry.name.lowercased()
    return (texts.isEmpty || texts.contains { name.contains($0.lowercased()) })
      && tags?.holds(for: entry.tags) != false && among?.contains("\(file):\(entry.name)") != false
  }
}

/// What there is to run, looked up scenario by scenario.
package struct RunPlan {
  /// One scenario, or a file that says itself why it cannot be loaded.
  package struct Unit: Sendable {
    package var item: Selection.Item
    /// Nil for a file that cannot be loaded.
    package var entry: ScenarioFile.Entry?
    /// Names it in every part of a run.
    package var id: String { entry.map { "\(item.name):\($0.name)" } ?? item.name }
  }

  package var units: [Unit] = []
  /// What selected nothing.
  package var notes: [String] = []

  /// Looks up what the selection holds, by running each file once without its flow.
  package init(_ selection: Selection, filter: ScenarioFilter, limits: Limits = Limits()) {
    notes = selection.notes
    var lines = LinesOfPatterns()
    defer { notes += lines.notes }
    for item in selection.items {
      guard item.problem == nil,
        let file = try? ScenarioFile(item, limits: limits)
      else {
        lines.cannotTell(item)
        // Running it tells why; a file in which nothing failed the last time is left out.
        if filter.among?.contains(item.name) != false { units.append(Unit(item: item)) }
        continue
      }
      add(file, item, filter, &lines)
    }
  }

  /// A plan for one file that is open already.
  package init(_ open: OpenFile, _ item: Selection.Item, filter: ScenarioFilter) {
    var lines = LinesOfPatterns()
    add(open.file, item, filter, &lines)
  }

  private mutating func add(
    _ file: ScenarioFile, _ item: Selection.Item, _ filter: ScenarioFilter,
    _ lines: inout LinesOfPatterns
  ) {
    var notes: [String] = []
    let selected = file.select(item, &lines) { event in
      if case .nothing(let note) = event { notes.append(note) }
    }
    self.notes += notes
    for entry in selected where filter.selects(entry, of: item.name) {
      units.append(Unit(item: item, entry: entry))
    }
  }

  /// A job for each unit, as often as it is to be run.
  package func jobs(repeats: Int = 1) -> [RunJob] {
    (0..<repeats).flatMap { round in
      units.enumerated().map { index, unit in
        RunJob(
          number: round * units.count + index, item: unit.item,
          entries: unit.entry.map { [$0.index] }, attempt: round + 1)
      }
    }
  }
}
