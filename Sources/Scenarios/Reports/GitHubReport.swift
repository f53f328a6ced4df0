/// Annotations as GitHub's workflows read them from the output of a step.
struct GitHubReport: EventReport {
  func text(for event: RunEvent) -> String {
    switch event {
    case .unloadable(let file, let message):
      return annotation(file, nil, "could not be loaded", message)
    case .ended(let record):
      guard let problem = record.problem else { return "" }
      let text = ScenarioText(record: record).lines.joined(separator: "\n")
      return annotation(
        problem.file ?? record.file, problem.line ?? record.line, record.name, text)
    default: return ""
    }
  }

  private func annotation(_ file: String, _ line: Int?, _ title: String, _ message: String)
    -> String
  {
    let place = line.map { ",line=\($0)" } ?? ""
    return "::error file=\(property(file))\(place),title=\(property(title))::\(data(message))\n"
  }

  private func data(_ text: String) -> String {
    text.replacing("%", with: "%25").replacing("\r\n", with: "%0A")
      .replacing("\r", with: "%0D").replacing("\n", with: "%0A")
  }

  private func property(_ text: String) -> String {
    data(text).replacing(":", with: "%3A").replacing(",", with: "%2C")
  }
}
