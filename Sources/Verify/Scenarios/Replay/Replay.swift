import FlowKernel
import LuaRuntime

/// A replay, which dispatches the events of a recorded log to a flow, case by case.
///
/// Each case is a fresh flow. The rows of a case are expected to be together. A case is then closed when the next one
/// begins, and memory grows by only eight bytes for each case; a row of a case that was closed before counts as
/// malformed. In an interleaved log every case stays open to the end. Events that were played once are not played again
/// (`CaseTree`).
package final class Replay {
  /// The options of a replay: which columns contain what, and how strict it is.
  package struct Options {
    package var caseColumn = "case:concept:name"
    package var actionColumn = "concept:name"
    package var timeColumn = "time:timestamp"
    /// The format of times; nil for the format of the first time.
    package var timeFormat: LogTime.Format?
    package var isInterleaved = false
    /// True if a malformed row ends the replay.
    package var isStrict = false
    /// True if every case is played by itself, without the outcomes of earlier cases.
    package var isFresh = false
    /// True if events that passed are reported too.
    package var tellsPassed = false
    /// The map that returns the events of rows, in place of the columns.
    package var map: LogMap?
    package var limits = Limits()
    package init() {}
  }

  /// An event of the replay itself.
  package enum Event {
    case played(Played)
    case malformed(line: Int, reason: String)
    /// The map left a row out.
    case skipped(line: Int, reason: String)
  }

  /// One event of the log with its outcome.
  package struct Played {
    package let name: String
    package let line: Int
    package let action: String
    package let payload: Value
    /// The time in microseconds since the case began.
    package let time: Int
    /// The deviation; nil if the event passed.
    package let deviation: ReplayDeviation?
  }

  private let options: Options
  private let observe: (Event) throws -> Void
  private let log: RecordedEvents
  private let known: KnownCases
  private let cases: OpenCases
  @exclusivity(unchecked) private var summary = ReplaySummary()

  /// Reads the log's header.
  ///
  /// - Parameters:
  ///   - log: the log to play.
  ///   - observe: receives the events that did not pass and the rows that are not events, and the events that passed if
  ///     the options ask for them.
  /// - Throws: `LogError` if the log has no such columns.
  package init(
    _ flow: LoadedFlow, options: Options, log: LogInput,
    print: @escaping @Sendable (String) -> Void, observe: @escaping (Event) throws -> Void
  ) throws {
    (self.options, self.observe) = (options, observe)
    self.log = try RecordedEvents(flow.flow, options: options, log: log)
    var limits = options.limits
    // A case is never undone.
    limits.history = 1
    known = KnownCases(
      flow, self.log.events, limits, remembers: !options.isFresh, print: print)
    cases = OpenCases(isInterleaved: options.isInterleaved)
  }

  /// Plays the log to its end, or to the first malformed row if the replay is strict.
  package func run() throws -> ReplaySummary {
    rows: while let (line, row) = try log.next() {
      summary.rows += 1
      switch row {
      case .event(let name, let time):
        guard let found = try cases.find(name, known) else {
          try reportRow(malformed: Replay.ended(name), line)
          if options.isStrict { break rows }
          continue
        }
        try play(found, at: time, line)
      case .malformed(let reason):
        try reportRow(malformed: reason, line)
        if options.isStrict { break rows }
      case .skipped(let reason):
        summary.skipped += 1
        summary.skippedRows.add(reason, line: line)
        try observe(.skipped(line: line, reason: reason))
      }
    }
    (summary.cases, summary.whole) = (cases.count, cases.whole)
    summary.delimiter = log.delimiter
    summary.timeFormat = log.timeFormat
    return summary
  }

  private func reportRow(malformed reason: String, _ line: Int) throws {
    summary.malformed += 1
    try observe(.malformed(line: line, reason: reason))
  }

  private static func ended(_ name: UnsafeBufferPointer<UInt8>) -> String {
    "case \(Value.quoted(String(decoding: name, as: UTF8.self), limit: 60)) had ended: its rows are not together; "
      + "sort the log by case, or use --interleaved"
  }

  /// Plays the event that was read last.
  private func play(_ played: ReplayCase, at time: Int?, _ line: Int) throws {
    let why = try played.play(known, at: time)
    if why != nil || options.tellsPassed { try reportRow(played, line, why) }
    switch why?.isRefusal {
    case nil: summary.passed += 1
    case true?: summary.refused += 1
    case false?: summary.failed += 1
    }
  }

  private func reportRow(_ played: ReplayCase, _ line: Int, _ why: ReplayDeviation.RejectionReason?)
    throws
  {
    let name = played.title
    let (action, payload) = known.events.event(known.events.bytes)
    let deviation = why.map { ReplayDeviation($0, action, of: name, line: line) }
    if let deviation { summary.add(deviation) }
    try observe(
      .played(
        Played(
          name: name, line: line, action: action, payload: payload, time: played.time,
          deviation: deviation)))
  }
}
