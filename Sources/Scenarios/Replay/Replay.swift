import Moonlatch

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
  private var reader: LogReader
  private let caseColumn: LogColumn
  @exclusivity(unchecked) private var clock: LogClock?
  private let known: KnownCases
  private let cases: OpenCases
  private let name = ByteBuffer()
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
    reader = try LogReader(log)
    caseColumn = try Replay.column(options.caseColumn, "--case", reader)
    if !options.timeColumn.isEmpty {
      let column = try Replay.column(options.timeColumn, "--time", reader)
      clock = LogClock(column, format: options.timeFormat)
    }
    let action =
      options.map == nil ? try Replay.column(options.actionColumn, "--action", reader) : nil
    var limits = options.limits
    // Nobody goes back in a case.
    limits.history = 1
    known = KnownCases(
      flow,
      LogEvents(
        flow.flow, action: action, map: options.map, header: reader.header,
        column: reader.column),
      limits, remembers: !options.isFresh, print: print)
    cases = OpenCases(isInterleaved: options.isInterleaved)
  }

  private static func column(_ name: String, _ option: String, _ reader: LogReader) throws
    -> LogColumn
  {
    if let column = reader.column(name) { return column }
    let names = reader.header ?? []
    throw LogError(
      description: "the log has no column \(name)\(Names.suggestion(for: name, among: names))"
        + "; name it with \(option) (its columns: \(names.joined(separator: ", ")))")
  }

  /// Plays the log to its end, or to the first malformed row where that is asked for.
  package func run() throws -> ReplaySummary {
    rows: while let (line, row) = try reader.next() {
      summary.rows += 1
      switch try play(row, line) {
      case nil: continue
      case .malformed(let reason):
        summary.malformed += 1
        try observe(.malformed(line: line, reason: reason))
        if options.isStrict { break rows }
      case .skipped(let reason):
        summary.skipped += 1
        try observe(.skipped(line: line, reason: reason))
      }
    }
    (summary.cases, summary.whole) = (cases.count, cases.whole)
    if reader.header != nil { summary.delimiter = reader.delimiter }
    summary.timeFormat = clock?.format
    return summary
  }

  /// Plays a row; says what is wrong with one that cannot be played.
  private func play(_ row: LogRow, _ line: Int) throws -> LogEvents.Nothing? {
    if case .malformed(let reason) = row { return .malformed(reason) }
    guard let name = name(of: row) else { return .malformed("no case in \(caseColumn.name)") }
    if let nothing = known.events.read(row) { return nothing }
    var time: Int?
    if let column = clock?.column {
      guard let read = clock?.time(of: row) else { return .malformed(noTime(in: column, of: row)) }
      time = read
    }
    guard let played = try cases.find(name, known) else {
      return .malformed(
        "case \(String(decoding: name, as: UTF8.self)) had ended: its rows do not stand together; "
          + "sort the log by case, or use --interleaved")
    }
    let why = try played.play(known, at: time)
    if why != nil || options.tellsPassed { try tell(played, line, why) }
    switch why?.isRefusal {
    case nil: summary.passed += 1
    case true?: summary.refused += 1
    case false?: summary.failed += 1
    }
    return nil
  }

  private func noTime(in column: LogColumn, of row: LogRow) -> String {
    let found = (row.value(column) ?? .nil).text(limit: 60)
    let expected = clock?.format.map { $0 == .iso ? "" : ", where the times are \($0.rawValue)" }
    var hint = ""
    if clock?.format == nil, case .string(let text)? = row.value(column),
      [.dayFirst, .monthFirst].contains(where: { LogTime.microseconds(text, as: $0) != nil })
    {
      hint = "; say with --time-format whether it is dd/mm/yyyy or mm/dd/yyyy"
    }
    return "no time in \(column.name)\(expected ?? ""): \(found)\(hint)"
  }

  /// The bytes of the case's name, until the next row is read.
  private func name(of row: LogRow) -> UnsafeBufferPointer<UInt8>? {
    if case .cells(let cells) = row, let index = caseColumn.index {
      return cells[index].isEmpty ? nil : cells[index]
    }
    guard var text = row.name(caseColumn) else { return nil }
    name.clear()
    text.withUTF8 { name.append($0) }
    return name.bytes
  }

  private func tell(_ played: ReplayCase, _ line: Int, _ why: ReplayDeviation.Why?) throws {
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
