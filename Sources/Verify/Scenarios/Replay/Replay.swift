import FlowKernel
import LuaRuntime

/// Offers the events of a recorded log, case by case, to a flow.
///
/// Each case is a fresh flow. Rows of one case are expected to stand together, so that a case is
/// closed when the next begins and memory does not grow with the log but by eight bytes a case; a row
/// of a case that was closed before counts as malformed. An interleaved log keeps every case open to
/// the end. What was played once is not played again (`CaseTree`).
package final class Replay {
  /// Which columns hold what, and how strict to be.
  package struct Options {
    package var caseColumn = "case:concept:name"
    package var actionColumn = "concept:name"
    package var timeColumn = "time:timestamp"
    /// How times are written; nil for as the first one is.
    package var timeFormat: LogTime.Format?
    package var isInterleaved = false
    /// Whether a malformed row ends the replay.
    package var isStrict = false
    /// Whether every case is played for itself, whatever earlier ones came to.
    package var isFresh = false
    /// Whether events that passed are told too.
    package var tellsPassed = false
    /// Says what rows offer, in place of the columns.
    package var map: LogMap?
    package var limits = Limits()
    package init() {}
  }

  /// What happens on the way.
  package enum Event {
    case played(Played)
    case malformed(line: Int, reason: String)
    /// The map left a row out.
    case skipped(line: Int, reason: String)
  }

  /// One event of the log and what it came to.
  package struct Played {
    package let name: String
    package let line: Int
    package let action: String
    package let payload: Value
    /// Microseconds since the case began.
    package let time: Int
    /// Nil for what passed.
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
  ///   - log: what is played.
  ///   - observe: is told what did not pass and what is no event, and what passed if that is asked
  ///     for.
  /// - Throws: `LogError` when the log has no such columns.
  package init(
    _ flow: LoadedFlow, options: Options, log: LogInput,
    print: @escaping @Sendable (String) -> Void, observe: @escaping (Event) throws -> Void
  ) throws {
    (self.options, self.observe) = (options, observe)
    self.log = try RecordedEvents(flow.flow, options: options, log: log)
    var limits = options.limits
    // Nobody goes back in a case.
    limits.history = 1
    known = KnownCases(
      flow, self.log.events, limits, remembers: !options.isFresh, print: print)
    cases = OpenCases(isInterleaved: options.isInterleaved)
  }

  /// Plays the log to its end, or to the first malformed row where that is asked for.
  package func run() throws -> ReplaySummary {
    rows: while let (line, row) = try log.next() {
      summary.rows += 1
      switch row {
      case .event(let name, let time):
        guard let found = try cases.find(name, known) else {
          try tell(malformed: Replay.ended(name), line)
          if options.isStrict { break rows }
          continue
        }
        try play(found, at: time, line)
      case .malformed(let reason):
        try tell(malformed: reason, line)
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

  private func tell(malformed reason: String, _ line: Int) throws {
    summary.malformed += 1
    try observe(.malformed(line: line, reason: reason))
  }

  private static func ended(_ name: UnsafeBufferPointer<UInt8>) -> String {
    "case \(Value.quoted(String(decoding: name, as: UTF8.self), limit: 60)) had ended: its rows do not stand together; "
      + "sort the log by case, or use --interleaved"
  }

  /// Plays the event that was read last.
  private func play(_ played: ReplayCase, at time: Int?, _ line: Int) throws {
    let why = try played.play(known, at: time)
    if why != nil || options.tellsPassed { try tell(played, line, why) }
    switch why?.isRefusal {
    case nil: summary.passed += 1
    case true?: summary.refused += 1
    case false?: summary.failed += 1
    }
  }

  private func tell(_ played: ReplayCase, _ line: Int, _ why: ReplayDeviation.RejectionReason?)
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
