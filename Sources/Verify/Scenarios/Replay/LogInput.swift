import LuaRuntime

/// What a replay reads: the text of a log, or what somebody has read of it.
package enum LogInput {
  /// Gives the next event, nil at the log's end.
  package typealias Events = () throws -> LogEvent?

  /// CSV or JSON lines in UTF-8.
  case text(LogSource)
  case events(Events)
}

/// An event that was read from a log with columns of its own.
package struct LogEvent {
  /// What it came to.
  package enum Content: Equatable {
    case fields([String: Value])
    /// What cannot be read as an event, and why.
    case malformed(String)
  }

  /// The line that it begins in.
  package let line: Int
  package let content: Content

  package init(line: Int, _ content: Content) { (self.line, self.content) = (line, content) }
}
