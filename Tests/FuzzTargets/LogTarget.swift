import FlowKernel
import LuaRuntime
import Scenarios

private let logged = Result {
  try LoadedFlow(
    source: """
      state { n = 0, last = map {} }
      action.put { value = optional(any), count = integer { default = 1 }, rate = optional(number) }
      action.many { list = list_of(integer), map = map_of { any, key = integer } }
      action.look {}
      function reduce.put(s, a) s.n = s.n + a.count s.last.it = a.value end
      function gate.look(s) return s.n < 3 and now() < 100, "too much" end
      """, name: "logged.lua", limits: smallLimits)
}

/// Replays the bytes as a log; the first byte selects the options.
///
/// The result must not depend on the blocks in which the log is read, nor on what is known from other cases. The
/// reported events must form a log with the same result.
func playLog(_ bytes: [UInt8]) throws {
  guard let transition = bytes.first else { return }
  let log = Array(bytes.dropFirst())
  var options = Replay.Options()
  (options.caseColumn, options.actionColumn) = ("case", "action")
  options.timeColumn = transition & 1 == 0 ? "time" : ""
  options.isInterleaved = transition & 2 != 0
  options.tellsPassed = true
  options.limits = smallLimits
  let whole = try replayed(log, options, block: 1 << 16)
  let pieces = try replayed(log, options, block: 1 + Int(transition >> 4))
  try require(whole == pieces, "in pieces it comes to another:\n\(whole)\n\(pieces)")
  options.isFresh = true
  let fresh = try replayed(log, options, block: 1 << 16)
  try require(whole == fresh, "case by case it comes to another:\n\(whole)\n\(fresh)")
  guard !whole.events.isEmpty else { return }
  options.timeColumn = ""
  options.isInterleaved = true
  if transition & 1 != 0 {
    let again = try replayed(Array(whole.log.utf8), options, block: 1 << 16)
    try require(
      whole.outcomes == again.outcomes,
      "what was told comes to another:\n\(whole.log)\n\(whole.outcomes)\n\(again.outcomes)")
  }
}

/// The output of a replay.
private struct ReplayOutput: Equatable {
  var lines: [String] = []
  /// The events as lines of a log; `outcomes` has the outcome of each.
  var events: [String] = []
  var outcomes: [String] = []

  var log: String { events.joined() }
}

private func replayed(
  _ log: [UInt8], _ options: Replay.Options, block: Int
) throws -> ReplayOutput {
  var told = ReplayOutput()
  var rest = log[...]
  do {
    let replay = try Replay(
      logged.get(), options: options,
      log: .text { buffer in
        let count = min(block, buffer.count, rest.count)
        buffer.copyBytes(from: rest.prefix(count))
        rest = rest.dropFirst(count)
        return count
      }, print: { _ in }
    ) { event in
      let line = ReplayStream.line(for: event)
      told.lines.append(line)
      guard case .played(let played) = event else { return }
      let read = try JSONText.value(of: line)
      try require(
        read["payload"]?.bytes == played.payload.bytes, "the payload reads as another: \(line)")
      told.events.append(
        JSONText.text(
          .record(
            (played.payload.recordValue ?? [:]).merging(
              ["case": .string(played.name), "action": .string(played.action)],
              uniquingKeysWith: { $1 }))
        ) + "\n")
      told.outcomes.append(
        "\(played.action) \(played.deviation.map { "\($0.by): \($0.reason)" } ?? "passed")")
    }
    let summary = try replay.run()
    try require(
      summary.passed + summary.refused + summary.failed + summary.malformed + summary.skipped
        == summary.rows, "the counts do not add up")
    told.lines.append(ReplayStream.end(summary))
  } catch let error as LogError {
    told.lines.append(error.description)
  }
  return told
}
