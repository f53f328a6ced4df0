import FlowTools

/// A report in JUnit's XML as CI servers read it: a suite for each file, a case for each scenario.
struct JUnitReport: EventReport {
  private struct Suite {
    let file: String
    var cases: [ScenarioRecord] = []
    var unloadable: [String] = []
  }

  /// The largest time of a suite, in microseconds: durations come from files that others wrote.
  private static let longest = 1 << 60

  private var header = RunHeader()
  private var suites: [Suite] = []
  private var indices: [String: Int] = [:]

  mutating func text(for event: RunEvent) -> String {
    switch event {
    case .began(let header): self.header = header
    case .unloadable(let file, let message): suites[suite(of: file)].unloadable.append(message)
    case .ended(let record): suites[suite(of: record.file)].cases.append(record)
    case .finished: return document
    default: break
    }
    return ""
  }

  private mutating func suite(of file: String) -> Int {
    if let index = indices[file] { return index }
    indices[file] = suites.count
    suites.append(Suite(file: file))
    return suites.count - 1
  }

  private var document: String {
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"moonlatch\">\n"
      + suites.map(element).joined() + "</testsuites>\n"
  }

  private func element(for suite: Suite) -> String {
    let failures = suite.cases.count { $0.status == .failed }
    let skipped = suite.cases.count { $0.status == .skipped }
    let tests = suite.cases.count + suite.unloadable.count
    let errors = tests - failures - skipped - suite.cases.count { $0.status == .passed }
    let time = suite.cases.reduce(0) { min($0 + $1.microseconds, JUnitReport.longest) }
    var text = "  <testsuite"
    for (name, value) in [
      ("name", suite.file), ("tests", String(tests)), ("failures", String(failures)),
      ("errors", String(errors)), ("skipped", String(skipped)), ("time", seconds(time)),
    ] {
      text += attribute(name, value)
    }
    text += ">\n" + properties
    text += suite.unloadable.map { unloadable($0, suite.file) }.joined()
    return text + suite.cases.map(element).joined() + "  </testsuite>\n"
  }

  private var properties: String {
    var named = [("seed", String(header.seed))]
    if let shard = header.shard { named.append(("shard", "\(shard.index)/\(shard.total)")) }
    if header.hasRestarts { named.append(("restarts", "after every turn")) }
    return "    <properties>\n"
      + named.map { "      <property\(attribute("name", $0))\(attribute("value", $1))/>\n" }
      .joined()
      + "    </properties>\n"
  }

  private func unloadable(_ message: String, _ file: String) -> String {
    "    <testcase\(attribute("name", "the file is loaded"))\(attribute("classname", file))"
      + "\(attribute("time", "0.000"))>\n"
      + child("error", message: firstLine(message), type: "unloadable", message)
      + "    </testcase>\n"
  }

  private func element(for record: ScenarioRecord) -> String {
    let attempt = record.attempt > 1 ? " (run \(record.attempt))" : ""
    var text =
      "    <testcase\(attribute("name", record.name + attempt))"
      + "\(attribute("classname", record.file))\(attribute("file", record.file))"
      + "\(attribute("line", String(record.line)))"
      + "\(attribute("time", seconds(record.microseconds)))"
    var children = ""
    if let reason = record.reason {
      children += "      <skipped\(attribute("message", reason))/>\n"
    }
    if let problem = record.problem {
      children += child(
        record.status == .failed ? "failure" : "error", message: firstLine(problem.summary),
        type: problem.kind, ScenarioText(record: record).lines.joined(separator: "\n"))
    }
    if !record.printed.isEmpty {
      let printed = XMLText.content(record.printed.joined(separator: "\n"))
      children += "      <system-out>\(printed)</system-out>\n"
    }
    text += children.isEmpty ? "/>\n" : ">\n\(children)    </testcase>\n"
    return text
  }

  private func child(_ name: String, message: String, type: String, _ text: String) -> String {
    "      <\(name)\(attribute("message", message))\(attribute("type", type))>"
      + "\(XMLText.content(text))</\(name)>\n"
  }

  private func attribute(_ name: String, _ value: String) -> String {
    " \(name)=\"\(XMLText.attribute(value))\""
  }

  private func firstLine(_ text: String) -> String {
    text.split(whereSeparator: \.isNewline).first.map(String.init) ?? ""
  }

  private func seconds(_ microseconds: Int) -> String {
    let fraction = String(microseconds % 1_000_000)
    return "\(microseconds / 1_000_000)."
      + String(repeating: "0", count: 6 - fraction.count) + fraction
  }
}
