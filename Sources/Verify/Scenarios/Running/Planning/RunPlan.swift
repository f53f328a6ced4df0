import LuaRuntime

/// A filter that selects scenarios by name, tags, and the results of an earlier run.
package struct ScenarioFilter: Sendable {
  /// The texts of which a name must contain one, in upper or lower case; empty for any name.
  package var texts: [String] = []
  package var tags: TagExpression?
  /// The scenarios that did not end well the last time; nil for all.
  package var among: Set<String>?

  package init() {}

  /// True if every scenario is selected.
  package var isEmpty: Bool { texts.isEmpty && tags == nil && among == nil }

  func selects(_ entry: ScenarioFile.Entry, of file: String) -> Bool {
    let name = entry.name.lowercased()
    return (texts.isEmpty || texts.contains { name.contains($0.lowercased()) })
      && tags?.holds(for: entry.tags) != false && among?.contains("\(file):\(entry.name)") != false
  }
}

/// A plan of what to run, scenario by scenario.
package struct RunPlan {
  /// One scenario, or a file that cannot be loaded.
  package struct Unit: Sendable {
    package var item: Selection.Item
    /// The scenario; nil for a file that cannot be loaded.
    package var entry: ScenarioFile.Entry?
    /// The identifier of the unit, the same in every part of a run.
    package var id: String { entry.map { "\(item.name):\($0.name)" } ?? item.name }
  }

  package var units: [Unit] = []
  /// Messages about paths and lines that selected nothing, one sentence each.
  package var notes: [String] = []

  /// Plans what a selection contains, by running each file once without its flow.
  package init(_ selection: Selection, filter: ScenarioFilter, limits: Limits = Limits()) {
    notes = selection.notes
    var lines = LinesOfPatterns()
    defer { notes += lines.notes }
    for item in selection.items {
      guard item.problem == nil,
        let file = try? ScenarioFile(item, limits: limits)
      else {
        lines.cannotTell(item)
        // Running the file reports the problem; a file in which nothing failed the last time is left out.
        if filter.among?.contains(item.name) != false { units.append(Unit(item: item)) }
        continue
      }
      add(file, item, filter, &lines)
    }
  }

  /// Plans one file that is open already.
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

  /// Returns a job for each unit and each repetition.
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
