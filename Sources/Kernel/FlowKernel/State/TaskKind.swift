/// The kind of performer of a task; a number is never reused.
public enum TaskKind: Int, Sendable, Hashable {
  /// No capability of the host file has its name.
  case missing = 0
  /// Workers claim it over HTTP.
  case worker = 1
  /// The server sends an HTTP request.
  case http = 2
  /// The server runs a command.
  case command = 3
  /// The server sends a notification.
  case notification = 4
}
