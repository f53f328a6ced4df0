import Moonlatch

/// Offers the events of a recorded log, case by case, to a flow.
///
/// Each case is a fresh flow. Rows of one case are expected to stand together, so that a case is
/// closed when the next begins and memory does not grow with the log; a row of a case that was
/// closed before counts as malformed. An interleaved log keeps every case open to the end.
package final class Replay {
  /// Which columns hold what, and how strict to be.
  package struct Options {
    package var caseColumn = "case:concept:name"
    package var actionColumn = "concept:name"
    package var timeColumn = "time:timestamp"
    package var isInterleaved = false
    /// Whether a malformed row ends the replay.
    package var isStrict = false
    package var limits = Limits()
    package init() {}
  }

  /// What happens on the way.
  package enum Event {
    case played(Played)
    case malformed(line: Int, reason: String)
  }

  /// One event of the log and what it came to.
  package struct Played {
    package let name: String
    package let line: Int
    package let action: String
    package let payload: Value
    /// Microseconds since the case began.
    package let time: Int
    package let outcome: Outcome
    /// Nil for what passed.
    package let deviation: ReplayDeviation?
  }

  private let flow: LoadedFlow
  private var options: Options
  private let print: ScriptLog
  private let observe: (Event) throws -> Void
  private var reader: LogReader
  private let columns: (name: LogColumn, action: LogColumn, time: LogColumn?)
  private var payloads: [String: LogPayload] = [:]
  private var summary = ReplaySummary()
  /// The open cases; only one unless the log is interleaved.
  private var open: [String: ReplayCase] = [:]
  private var current: ReplayCase?
  /// Hashes of the cases that were closed.
  private var closed: Set<UInt64> = []

  /// Reads the log's header.
  ///
  /// - Parameters:
  ///   - read: gives the next block of the log, an empty one at its end.
  ///   - observe: is told every event.
  /// - Throws: `LogError` when the log has no such columns.
  package init(
    _ flow: LoadedFlow, options: Options, read: @escaping () throws -> [UInt8],
    print: @escaping @Sendable (String) -> Void, observe: @escaping (Event) throws -> Void
  ) throws {
    (self.flow, self.observe) = (flow, observe)
    self.options = options
    // Nobody goes back in a case.
    self.options.limits.history = 1
    self.print = ScriptLog(print)
    reader = try LogReader(read)
    columns = (
      try Replay.column(options.caseColumn, "--case", reader),
      try Replay.column(options.actionColumn, "--action", reader),
      options.timeColumn.isEmpty ? nil : try Replay.column(options.timeColumn, "--time", reader)
    )
    for action in flow.flow.actions {
      payloads[action.name] = LogPayload(action.payload, reader.column)
    }
  }

  private static func column(_ name: String, _ option: String, _ reader: LogReader) throws
    -> LogColumn
  {
    if let column = reader.column(name) { return column }
    let names = reader.header ?? []
    throw LogError(
      description: "the log has no column \(name); name it with \(option)"
        + " (its columns: \(names.joined(separator: ", ")))")
  }

  /// Plays the log to its end, or to the first malformed row where that is asked for.
  package func run() throws -> ReplaySummary {
    while let (line, row) = try reader.next() {
      summary.rows += 1
      if let reason = try play(row, line) {
        summary.malformed += 1
        try observe(.malformed(line: line, reason: reason))
        if options.isStrict { break }
      }
    }
    for each in open.values { close(each) }
    if let current, !options.isInterleaved { close(current) }
    return summary
  }

  /// Plays a row; says what is wrong with one that cannot be played.
  private func play(_ row: LogRow, _ line: Int) throws -> String? {
    if case .malformed(let reason) = row { return reason }
    guard let name = row.name(columns.name) else { return "no case in \(columns.name.name)" }
    guard let action = row.name(columns.action) else {
      return "no action in \(columns.action.name)"
    }
    var time: Int?
    if let column = columns.time {
      guard let read = Replay.time(row, column) else {
        return "no time in \(column.name): \((row.value(column) ?? .nil).text(limit: 60))"
      }
      time = read
    }
    guard let played = try self.case(name) else {
      return "case \(name) had ended: its rows do not stand together; "
        + "sort the log by case, or use --interleaved"
    }
    let payload = payloads[action]?.payload(of: row) ?? [:]
    let outcome = played.dispatch(action, payload, at: time)
    let deviation = ReplayDeviation(outcome, action, of: name, line: line)
    count(outcome)
    if let deviation { summary.add(deviation) }
    try observe(
      .played(
        Played(
          name: name, line: line, action: action, payload: payload, time: played.microseconds,
          outcome: outcome, deviation: deviation)))
    return nil
  }

  private func count(_ outcome: Outcome) {
    switch outcome {
    case .passed: summary.passed += 1
    case .refused: summary.refused += 1
    case .failed: summary.failed += 1
    }
  }

  // MARK: Cases

  /// The case of that name, opened if it is new; nil if it was closed before.
  private func `case`(_ name: String) throws -> ReplayCase? {
    if let current, current.name == name { return current }
    if options.isInterleaved {
      if let known = open[name] { return known }
    } else {
      guard !closed.contains(Replay.hash(name)) else { return nil }
      if let current { close(current) }
      current = nil
    }
    let new = try ReplayCase(name, of: flow, options.limits, print)
    summary.cases += 1
    if options.isInterleaved { open[name] = new } else { closed.insert(Replay.hash(name)) }
    current = new
    return new
  }

  private func close(_ ended: ReplayCase) {
    if ended.isWhole { summary.whole += 1 }
  }

  /// FNV-1a of the name: eight bytes are kept of a closed case, however long its name.
  private static func hash(_ name: String) -> UInt64 {
    name.utf8.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
  }

  /// Microseconds: of an ISO 8601 text, or of a number of seconds.
  private static func time(_ row: LogRow, _ column: LogColumn) -> Int? {
    if case .cells(let cells) = row, let index = column.index,
      let time = LogTime.microseconds(cells[index])
    {
      return time
    }
    return switch row.value(column) {
    case .string(let text): LogTime.microseconds(text) ?? seconds(Double(text))
    case .integer(let seconds): self.seconds(Double(seconds))
    case .number(let seconds): self.seconds(seconds)
    default: nil
    }
  }

  private static func seconds(_ seconds: Double?) -> Int? {
    guard let seconds, abs(seconds) < 1e12 else { return nil }
    return Int((seconds * 1_000_000).rounded())
  }
}
