import FlowLanguage
import LuaRuntime

extension ProblemRecord {
  init(_ failure: FailedExpectation, in file: ScenarioFile) {
    self.init(kind: "expectation", message: failure.message)
    mismatches = failure.mismatches
    decisions = failure.decisions
    locate(failure.place.file, failure.place.line, failure.traceback, in: file)
  }

  init(_ error: ScriptError, in file: ScenarioFile) {
    self.init(kind: error.kind.rawValue, message: error.message)
    locate(error.chunk, error.line, error.traceback, in: file)
  }

  mutating func hide(_ hidden: (String) -> String) {
    message = hidden(message)
    calls = calls.map(hidden)
    mismatches = mismatches.map {
      Mismatch(path: hidden($0.path), expected: hidden($0.expected), found: hidden($0.found))
    }
    for index in source.indices { source[index].text = hidden(source[index].text) }
  }

  private mutating func locate(
    _ name: String?, _ number: Int?, _ traceback: [String], in file: ScenarioFile
  ) {
    self.file = name
    line = number
    guard let name, let number else { return }
    if name == file.name { source = SourceExcerpt(of: file, around: number).numbered }
    calls = CallLines(traceback, at: "\(name):\(number)").lines
  }
}
