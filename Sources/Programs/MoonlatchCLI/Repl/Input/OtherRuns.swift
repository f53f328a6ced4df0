import LuaRuntime
import Platform
import Synchronization

/// The handling of Ctrl-C for scripts in other VMs than the session's: scenarios that `:run` plays.
enum OtherRuns {
  private final class Watched: Sendable {
    let isOver = Atomic(false)
  }

  /// The interval of checks for Ctrl-C, in microseconds.
  private static let period: UInt32 = 20_000

  /// Runs `body`, and after Ctrl-C ends every script that runs.
  static func endingOnInterrupt<Answer>(_ body: () throws -> Answer) rethrows -> Answer {
    let watched = Watched()
    SystemThread.start {
      while !watched.isOver.load(ordering: .relaxed) {
        usleep(period)
        if Interruption.hasCome { CurrentRun.all.forEach { $0.end() } }
      }
    }
    defer { watched.isOver.store(true, ordering: .relaxed) }
    return try body()
  }
}
