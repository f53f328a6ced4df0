import Moonlatch

/// Writes a case of a log as a scenario, with what each event came to.
package struct RecordedScenario {
  private var lines: [String]
  private var time = 0
  /// Whether there was an event at all.
  package private(set) var isEmpty = true

  /// - Parameter flow: the flow's file as the scenario's file names it.
  package init(flow: String, case name: String) {
    lines = [
      "flow \(Value.quoted(flow, limit: .max))", "",
      "scenario(\(Value.quoted("case \(name)", limit: .max)), function()",
    ]
  }

  package mutating func add(_ event: Replay.Played) {
    isEmpty = false
    if event.time > time {
      lines.append("  advance(\(Value.text(of: Double(event.time - time) / 1_000_000)))")
      time = event.time
    }
    let verb = event.deviation.map { $0.isRefusal ? "refuse" : "fail" } ?? "pass"
    let name =
      Value.isName(event.action)
      ? ".\(event.action)" : "[\(Value.quoted(event.action, limit: .max))]"
    let by = event.deviation.map { ":by(\(Value.quoted($0.by, limit: .max)))" } ?? ""
    lines.append("  \(verb)\(name)(\(event.payload))\(by)")
  }

  package var text: String { (lines + ["end)", ""]).joined(separator: "\n") }
}
