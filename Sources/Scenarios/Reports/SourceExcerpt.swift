/// A line of a scenario file with its neighbours, numbered, the line itself marked.
struct SourceExcerpt {
  let lines: [String]

  /// Empty where the file has no such line.
  init(of file: ScenarioFile, around line: Int) {
    let source = file.lines
    guard source.indices.contains(line - 1) else {
      lines = []
      return
    }
    let range = max(1, line - 1)...min(source.count, line + 1)
    let width = String(range.upperBound).count
    lines = range.map { number in
      let padded = String(repeating: " ", count: width - String(number).count) + String(number)
      return "\(number == line ? ">" : " ") \(padded) | \(source[number - 1])"
    }
  }
}
