extension ScenarioFile {
  /// Returns the scenarios at the item's lines, in the order of the file, or all of them if the item has no lines.
  package func select(_ item: Selection.Item, _ report: (RunEvent) -> Void) -> [Entry] {
    var lines = LinesOfPatterns()
    return select(item, &lines, report)
  }

  /// Returns the scenarios at the item's lines, and records which lines of patterns were found.
  package func select(
    _ item: Selection.Item, _ lines: inout LinesOfPatterns, _ report: (RunEvent) -> Void
  ) -> [Entry] {
    if entries.isEmpty { report(.nothing("\(name) declares no scenario")) }
    if item.lines.isEmpty || entries.isEmpty { return entries }
    var selected: Set<Int> = []
    for line in item.lines.sorted() {
      let found = entries(atLine: line)
      selected.formUnion(found.map(\.index))
      if let pattern = item.patterns[line] {
        lines.note(pattern, line, in: name, isFound: !found.isEmpty)
      } else if found.isEmpty {
        let first = entries.map(\.line).min() ?? 0
        report(
          .nothing(
            "there is no scenario at \(name):\(line) (the first begins at line \(first), "
              + "the file has \(self.lines.count))"))
      }
    }
    return entries.filter { selected.contains($0.index) }
  }
}
