import Foundation
import LuaRuntime
import Synchronization

/// Ctrl-C for scripts that run in other VMs than the session's: scenarios that `:run` plays.
enum OtherRuns {
  private final class Watched: Sendable {
    let isOver = Atomic(false)
  }

  /// How often it is looked whether somebody has pressed Ctrl-C, in seconds.
  private static let period = 0.02

  /// Does what `body` says, and after Ctrl-C ends every script that it runs.
  static func endingOnInterrupt<Answer>(_ body: () throws -> Answer) rethrows -> Answer {
    let watched = Watched()
    Thread.detachNewThread {
      while !watched.isOver.load(ordering: .relaxed) {
        Thread.sleep(forTimeInterval: period)
        if Interruption.hasCome { RunUnderWay.all.forEach { $0.end() } }
      }
    }
    defer { watched.isOver.store(true, ordering: .relaxed) }
    return try body()
  }
}
