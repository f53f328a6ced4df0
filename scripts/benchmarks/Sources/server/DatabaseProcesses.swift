import Bench
import Foundation

/// The processes of a PostgreSQL server, which can be stopped and resumed.
final class DatabaseProcesses {
  private let postmaster: pid_t
  private var stopped: [pid_t] = []

  /// - Parameter folder: the one that `scripts/postgres` has made.
  init(in folder: String) throws {
    let file = URL(filePath: folder).appending(path: "data/postmaster.pid")
    let text = try String(contentsOf: file, encoding: .utf8)
    guard let first = text.split(separator: "\n").first, let number = pid_t(first) else {
      throw WrongResult("\(file.path) names no process")
    }
    postmaster = number
  }

  deinit { resume() }

  /// Stops all of them: the first one before its children, so that it makes no more.
  func stop() throws {
    stopped = [postmaster]
    kill(postmaster, SIGSTOP)
    let list = "/proc/\(postmaster)/task/\(postmaster)/children"
    let children = try String(contentsOfFile: list, encoding: .utf8)
      .split(whereSeparator: \.isWhitespace).compactMap { pid_t($0) }
    try WrongResult.unless(!children.isEmpty, "the database has no processes")
    for child in children { kill(child, SIGSTOP) }
    stopped += children
  }

  func resume() {
    for process in stopped.reversed() { kill(process, SIGCONT) }
    stopped = []
  }
}
