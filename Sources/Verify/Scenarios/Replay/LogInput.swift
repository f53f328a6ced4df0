import LuaRuntime

/// The input of a replay: the text of a log, or events that were already read from one.
package enum LogInput {
  /// A function that returns the next event, or nil at the end of the log.
  package typealias Events = () throws -> LogEvent?

  /// CSV or JSON lines in UTF-8.
  case text(LogSource)
  case events(Events)
}

/// An event that was read from a log with columns of its own.
package struct LogEvent {
  /// The content of an event.
  package enum Content: Equatable {
    case fields([String: Value])
    /// The event cannot be read, for the given reason.
    case malformed(String)
  }

  /// The number of the line in which the event begins.
  package let line: Int
  package let content: Content

  package init(line: Int, _ content: Content) { (self.line, self.content) = (line, content) }
}
