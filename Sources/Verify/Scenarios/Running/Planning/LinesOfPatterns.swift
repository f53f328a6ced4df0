/// What became of lines that were named with a pattern: `*.scenario.lua:13`.
///
/// A file that has no scenario there is none of those that were meant; where no file has one, that
/// is told.
package struct LinesOfPatterns {
  private struct Line: Hashable {
    let pattern: String
    let line: Int
  }

  private var isFound: [Line: Bool] = [:]
  private var files: [Line: [String]] = [:]
  private var order: [Line] = []

  package init() {}

  /// Whether a file that matches the pattern has a scenario at the line.
  package mutating func note(
    _ pattern: String, _ line: Int, in file: String, isFound: Bool
  ) {
    let key = Line(pattern: pattern, line: line)
    if files[key] == nil { order.append(key) }
    files[key, default: []].append(file)
    self.isFound[key] = isFound || self.isFound[key] == true
  }

  /// A file that cannot be loaded says so itself: nobody knows what it has.
  package mutating func cannotTell(_ item: Selection.Item) {
    for (line, pattern) in item.patterns { note(pattern, line, in: item.name, isFound: true) }
  }

  /// A sentence for each line at which no file has a scenario.
  package var notes: [String] {
    order.filter { isFound[$0] == false }.map { key in
      let names = files[key] ?? []
      let which = names.count > 4 ? "\(names.count) files" : names.joined(separator: ", ")
      return
        "no scenario stands at line \(key.line) of a file that matches \(key.pattern) (\(which))"
    }
  }
}
