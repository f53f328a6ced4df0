/// The lines that were named with a pattern, such as `*.scenario.lua:13`, and whether a file has a scenario there.
///
/// A file that has no scenario at the line was not meant. Only a line at which no file has one is reported.
package struct LinesOfPatterns {
  private struct Line: Hashable {
    let pattern: String
    let line: Int
  }

  private var isFound: [Line: Bool] = [:]
  private var files: [Line: [String]] = [:]
  private var order: [Line] = []

  package init() {}

  /// Records whether a file that matches the pattern has a scenario at the line.
  package mutating func note(
    _ pattern: String, _ line: Int, in file: String, isFound: Bool
  ) {
    let key = Line(pattern: pattern, line: line)
    if files[key] == nil { order.append(key) }
    files[key, default: []].append(file)
    self.isFound[key] = isFound || self.isFound[key] == true
  }

  /// Records a file that cannot be loaded.
  ///
  /// The file reports the error itself. Its scenarios are unknown, so its lines count as found.
  package mutating func cannotTell(_ item: Selection.Item) {
    for (line, pattern) in item.patterns { note(pattern, line, in: item.name, isFound: true) }
  }

  /// A sentence for each line at which no file has a scenario.
  package var notes: [String] {
    order.filter { isFound[$0] == false }.map { key in
      let names = files[key] ?? []
      let which = names.count > 4 ? "\(names.count) files" : names.joined(separator: ", ")
      return
        "there is no scenario at line \(key.line) of a file that matches \(key.pattern) (\(which))"
    }
  }
}
