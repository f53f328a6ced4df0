import Scenarios

/// Reads the bytes as the streams of several runs, separated by the byte 31, and joins them.
///
/// The result must be the same when it is written and read again, and when it is joined again, and every report must
/// accept it.
func playReport(_ bytes: [UInt8]) throws {
  var parts: [JoinedRuns.Part] = []
  for (index, bytes) in bytes.split(separator: 31).enumerated() {
    let text = String(decoding: bytes, as: UTF8.self)
    do throws(EventStream.Malformed) {
      let name = "\(index).jsonl"
      parts.append(
        JoinedRuns.Part(name: name, events: try EventStream.events(of: text, name: name)))
    } catch {
      try require(error.description.hasPrefix("\(index).jsonl:"), "\(error) has no place")
    }
  }
  guard !parts.isEmpty else { return }
  for part in parts { try check(part.events) }
  let joined = JoinedRuns(parts).events
  try check(joined)
  let again = JoinedRuns([JoinedRuns.Part(name: "joined", events: joined)]).events
  try require(again == joined, "joined once more the runs are others")
  for format in ReportFormat.allCases {
    var report = format.report
    for event in joined { _ = report.text(for: event) }
  }
  let durations = joined.durations
  let plan = ShardPlan(durations.keys.sorted(), into: 3, durations: durations)
  try require(
    plan.parts.joined().count == durations.count, "the plan has \(plan.parts) of \(durations)")
}

private func check(_ events: [RunEvent]) throws {
  let text = events.map(EventStream.line).joined()
  let again = try EventStream.events(of: text, name: "again")
  try require(again == events, "other events when written again:\n\(text)")
  try require(again.map(EventStream.line).joined() == text, "other lines when written again")
}
