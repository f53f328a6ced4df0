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
