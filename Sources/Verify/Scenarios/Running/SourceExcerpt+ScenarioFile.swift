extension SourceExcerpt {
  /// Makes the excerpt around a line of a file; it is empty if the file has no such line.
  init(of file: ScenarioFile, around line: Int) {
    let source = file.lines
    guard source.indices.contains(line - 1) else {
      self.init([])
      return
    }
    self.init(
      (max(1, line - 1)...min(source.count, line + 1)).map {
        Line(number: $0, text: String(source[$0 - 1]), isMarked: $0 == line)
      })
  }
}
