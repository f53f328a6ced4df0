/// A line of a scenario file with its neighbours, each with its number, the line itself marked.
package struct SourceExcerpt {
  /// One line of source.
  package struct Line: Sendable, Hashable {
    package var number: Int
    package var text: String
    package var isMarked: Bool
  }

  let numbered: [Line]

  init(_ numbered: [Line]) { self.numbered = numbered }

  /// Makes the excerpt around a line of a file; it is empty if the file has no such line.
  init(of file: ScenarioFile, around line: Int) {
    let source = file.lines
    guard source.indices.contains(line - 1) else {
      numbered = []
      return
    }
    numbered = (max(1, line - 1)...min(source.count, line + 1)).map {
      Line(number: $0, text: String(source[$0 - 1]), isMarked: $0 == line)
    }
  }

  /// The lines of text, each behind its number.
  var lines: [String] {
    let width = numbered.map { String($0.number).count }.max() ?? 0
    return numbered.map { line in
      let number = String(line.number)
      let padded = String(repeating: " ", count: width - number.count) + number
      return "\(line.isMarked ? ">" : " ") \(padded) | \(line.text)"
    }
  }
}
