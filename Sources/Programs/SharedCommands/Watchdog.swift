import FlowKernel
import FlowLanguage
import LuaRuntime
import Platform

/// A watchdog that ends scripts that run too long by the clock, and then the process if they do not end.
///
/// The limits end nearly all scripts long before; this covers what they do not reach.
package final class Watchdog: Sendable {
  /// The maximum time of one run of a script.
  package let patience: Duration
  /// The time that a script has to end once it was asked to.
  package let grace: Duration
  private let tell: @Sendable (String) -> Void
  private let giveUp: @Sendable () -> Void
  private let state = Mutex(State())

  private struct State {
    var seen: [CurrentRun: Seen] = [:]
    var hasFired = false
  }

  private struct Seen {
    var since: ContinuousClock.Instant
    var askedAt: ContinuousClock.Instant?
  }

  /// Creates a watchdog that does not check yet.
  package init(
    patience: Duration = .seconds(30), grace: Duration = .seconds(5),
    tell: @escaping @Sendable (String) -> Void = { Terminal.writeError("moonlatch: \($0)\n") },
    giveUp: @escaping @Sendable () -> Void = {
      UnfinishedFile.removeAll()
      _exit(ExitStatus.outOfTime.rawValue)
    }
  ) {
    self.patience = patience
    self.grace = grace
    self.tell = tell
    self.giveUp = giveUp
  }

  /// True if a script was asked to end.
  package var hasFired: Bool { state.withLock { $0.hasFired } }

  /// Starts to check regularly, until the process ends.
  package func start() {
    let pause = min(patience / 4, .milliseconds(999)) / .microseconds(1)
    SystemThread.start {
      while true {
        usleep(UInt32(max(1, pause)))
        self.look()
      }
    }
  }

  /// Checks the running scripts once.
  package func look(at runs: [CurrentRun] = CurrentRun.all, now: ContinuousClock.Instant = .now) {
    state.withLock { state in
      state.seen = state.seen.filter { runs.contains($0.key) }
      for run in runs {
        var seen = state.seen[run] ?? Seen(since: now)
        if let askedAt = seen.askedAt {
          if now - askedAt >= grace { abandon(run) }
        } else if now - seen.since >= patience {
          seen.askedAt = now
          state.hasFired = true
          tell("\(run.kind) has been running for \(seconds(now - seen.since)); it is stopped")
          run.end()
        }
        state.seen[run] = seen
      }
    }
  }

  private func abandon(_ run: CurrentRun) {
    let command = CommandLine.arguments.dropFirst().joined(separator: " ")
    tell("\(run.kind) does not stop, so the command ends here: moonlatch \(command)")
    giveUp()
  }

  private func seconds(_ time: Duration) -> String {
    let seconds = time / .seconds(1)
    return seconds < 1 ? "\(Int(seconds * 1000)) ms" : DurationText.text(seconds.rounded(.down))
  }
}

extension Watchdog {
  /// The environment variable for the maximum time of a script, in seconds.
  package static let variable = "MOONLATCH_PATIENCE"

  /// The error for a value of the variable that is not a duration.
  package struct BadPatience: Error, CustomStringConvertible {
    let text: String
    package var description: String {
      "\(Watchdog.variable) is the time limit of a script in seconds, such as 30 or 0.5, not \"\(text)\""
    }
  }

  /// Runs `body` while a watchdog checks, with the patience of the environment.
  ///
  /// - Throws: exit code 124 if a script was asked to end.
  package static func watch(isLooking: Bool = true, _ body: () throws -> Void) throws {
    let watchdog = try fromEnvironment()
    if isLooking { watchdog.start() }
    do {
      try body()
    } catch  where watchdog.hasFired {
      throw ExitStatus.outOfTime
    }
    if watchdog.hasFired { throw ExitStatus.outOfTime }
  }

  /// Returns a watchdog with the patience that the environment sets.
  package static func fromEnvironment() throws(BadPatience) -> Watchdog {
    guard let text = getenv(variable).map({ String(cString: $0) }), !text.isEmpty else {
      return Watchdog()
    }
    guard let seconds = Double(text), seconds > 0, seconds < 1e9 else {
      throw BadPatience(text: text)
    }
    return Watchdog(patience: .seconds(seconds))
  }
}
