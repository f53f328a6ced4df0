import LuaRuntime

/// The format of a log's times, found out if one time alone does not decide.
///
/// The first time is read. If day and month could be in either order, all other times are read as well: a single order
/// has to fit the whole column. The bytes that were read are held, and read once more by the replay.
struct LogTimeSurvey {
  /// The format of the column; nil if each row decides for itself.
  let format: LogTime.Format?
  /// The log from its beginning.
  let log: LogInput

  /// The number of rows in which the first time is looked for.
  private static let mostRows = 1_000

  /// Reads as much of a log as determining the format needs.
  ///
  /// - Throws: `LogError` if the times can be read in two ways.
  init(_ input: LogInput, column name: String) throws {
    let held = HeldLog(input)
    format = try LogTimeSurvey.format(held.input, name)
    log = held.again()
  }

  private static func format(_ input: LogInput, _ name: String) throws -> LogTime.Format? {
    var reader = try LogReader(input)
    guard let column = try reader.column(name) else { return nil }
    var found: (formats: [LogTime.Format], text: String, line: Int)?
    var rows = 0
    while found == nil, rows < mostRows, let (line, row) = try reader.next() {
      rows += 1
      guard let text = row.timeText(column) else { continue }
      let formats = LogTime.formats(of: text)
      if !formats.isEmpty { found = (formats, text, line) }
    }
    guard let found else { return nil }
    guard found.formats.contains(where: \.isOfDayAndMonth) else {
      guard found.formats.count > 1 else { return nil }
      throw ambiguous(name, found.formats, found.text, found.line)
    }
    var deciding = Deciding()
    deciding.add(found.formats, found.text, found.line)
    while let (line, row) = try reader.next() {
      guard let text = row.timeText(column) else { continue }
      deciding.add(LogTime.formats(of: text), text, line)
    }
    let kinds = deciding.first.sorted { $0.value.line < $1.value.line }
    guard let decided = kinds.first else {
      throw ambiguous(name, found.formats, found.text, found.line)
    }
    guard kinds.count > 1 else { return decided.key }
    throw LogError(
      description: "the times in \(Value.quoted(name, limit: 60)) contradict each other: "
        + kinds.map { "\(Value.quoted($1.text, limit: 60)) in line \($1.line) is \($0.rawValue)" }
        .joined(separator: ", ") + "; say with --time-format how they are written")
  }

  /// The first time that fits exactly one format, for each format.
  private struct Deciding {
    private(set) var first: [LogTime.Format: (text: String, line: Int)] = [:]

    mutating func add(_ formats: [LogTime.Format], _ text: String, _ line: Int) {
      guard formats.count == 1, let format = formats.first, format.isOfDayAndMonth,
        first[format] == nil
      else { return }
      first[format] = (text, line)
    }
  }

  private static func ambiguous(
    _ name: String, _ formats: [LogTime.Format], _ text: String, _ line: Int
  ) -> LogError {
    LogError(
      description: "the times in \(Value.quoted(name, limit: 60)) can be "
        + formats.map(\.rawValue).joined(separator: " or ")
        + ", as \(Value.quoted(text, limit: 60)) in line \(line): say with --time-format which")
  }
}

/// A log that holds what has been read of it, so that it can be read once more.
private final class HeldLog {
  private let source: LogInput
  private var bytes: [UInt8] = []
  private var events: [LogEvent] = []
  /// True if the source has ended; it must not be read again then.
  private var isAtEnd = false

  init(_ source: LogInput) { self.source = source }

  /// The log, which is held as it is read.
  var input: LogInput {
    switch source {
    case .text(let read):
      .text { buffer in
        let count = try read(buffer)
        self.bytes.append(contentsOf: buffer.prefix(max(count, 0)))
        self.isAtEnd = count <= 0
        return count
      }
    case .events(let next):
      .events {
        guard let event = try next() else {
          self.isAtEnd = true
          return nil
        }
        self.events.append(event)
        return event
      }
    }
  }

  /// Returns the log from its beginning; what was held is dropped once it has been read.
  func again() -> LogInput {
    switch source {
    case .text(let read):
      var given = 0
      return .text { buffer in
        guard given < self.bytes.count else {
          self.bytes = []
          given = 0
          return self.isAtEnd ? 0 : try read(buffer)
        }
        let next = self.bytes[given...].prefix(buffer.count)
        buffer.copyBytes(from: next)
        given += next.count
        return next.count
      }
    case .events(let next):
      var given = 0
      return .events {
        guard given < self.events.count else {
          self.events = []
          given = 0
          return self.isAtEnd ? nil : try next()
        }
        given += 1
        return self.events[given - 1]
      }
    }
  }
}
