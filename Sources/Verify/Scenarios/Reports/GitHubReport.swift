import FlowTools

/// A report of annotations that GitHub's workflows read from the output of a step.
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
    GitHubAnnotation.text("error", file, line, title, message)
  }
}
