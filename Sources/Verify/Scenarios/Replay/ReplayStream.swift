import LuaRuntime

/// A replay as JSON lines: one for each row that is reported, and one each for the beginning and the end.
package enum ReplayStream {
  /// Returns the first line, which says what the stream is.
  package static func begin(flow: String) -> String {
    line(["type": "replay-begin", "version": 1, "flow": .string(flow)])
  }

  package static func line(for event: Replay.Event) -> String {
    switch event {
    case .malformed(let number, let reason):
      return line(["type": "malformed", "line": .integer(number), "reason": .string(reason)])
    case .skipped(let number, let reason):
      return line(["type": "skipped", "line": .integer(number), "reason": .string(reason)])
    case .played(let played):
      var fields: [String: Value] = [
        "type": "event", "line": .integer(played.line), "case": .string(played.name),
        "action": .string(played.action), "payload": played.payload,
        "time": .number(Double(played.time) / 1_000_000), "outcome": "passed",
      ]
      if let deviation = played.deviation {
        fields["outcome"] = deviation.isRefusal ? "refused" : "failed"
        fields["by"] = .string(deviation.by)
        fields["reason"] = .string(deviation.reason)
      }
      return line(fields)
    }
  }

  package static func end(_ summary: ReplaySummary) -> String {
    line([
      "type": "replay-end", "cases": .integer(summary.cases), "fit": .integer(summary.whole),
      "rows": .integer(summary.rows), "passed": .integer(summary.passed),
      "refused": .integer(summary.refused), "failed": .integer(summary.failed),
      "malformed": .integer(summary.malformed), "skipped": .integer(summary.skipped),
    ])
  }

  private static func line(_ fields: [String: Value]) -> String {
    JSONText.visible(.record(fields)) + "\n"
  }
}
