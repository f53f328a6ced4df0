import FlowKernel
import FlowLanguage
import LuaRuntime
import Platform
import Synchronization

/// Ends scripts that take too long by the clock, and the process if that is of no use.
///
/// The limits end every script long before; this is for what they do not reach.
package final class Watchdog: Sendable {
  /// How long one run of a script may take.
  package let patience: Duration
  /// How long it may take to end once it was asked to.
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

  /// Makes one that does not look yet.
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

  /// Whether a script was asked to end.
  package var hasFired: Bool { state.withLock { $0.hasFired } }

  /// Looks again and again, until the process ends.
  package func start() {
    let pause = min(patience / 4, .milliseconds(999)) / .microseconds(1)
    SystemThread.start {
      while true {
        usleep(UInt32(max(1, pause)))
        self.look()
      }
    }
  }

  /// Looks once at what runs.
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
    return seconds < 1 ? "\(Int(seconds * 1000)) ms" : "\(Int(seconds)) s"
  }
}

extension Watchdog {
  /// The variable that says how many seconds a script may take.
  package static let variable = "MOONLATCH_PATIENCE"

  /// A value of the variable that is no length of time.
  package struct BadPatience: Error, CustomStringConvertible {
    let text: String
    package var description: String {
      "\(Watchdog.variable) says how many seconds a script may take, such as 30 or 0.5, not \"\(text)\""
    }
  }

  /// Does something while the one looks that the environment asks for.
  ///
  /// - Throws: exit code 124, where a script was asked to end.
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

  /// The one that the environment asks for.
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
