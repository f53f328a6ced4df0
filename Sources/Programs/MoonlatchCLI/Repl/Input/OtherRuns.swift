import LuaRuntime
import Platform
import Synchronization

/// Ctrl-C for scripts that run in other VMs than the session's: scenarios that `:run` plays.
enum OtherRuns {
  private final class Watched: Sendable {
    let isOver = Atomic(false)
  }

  /// How often it is looked whether somebody has pressed Ctrl-C, in microseconds.
  private static let period: UInt32 = 20_000

  /// Does what `body` says, and after Ctrl-C ends every script that it runs.
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
