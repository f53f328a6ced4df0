import Dispatch
import FlowKernel
import Platform

/// A timer that rings when something of a sleeping case is due.
package final class CaseScheduler: Sendable {
  private struct State {
    var timer: (any DispatchSourceTimer)?
    var due = Int.max
    var ring: (@Sendable () async -> Void)?
    var isStopped = false
  }

  private let state = Mutex(State())
  /// Returns the time of the wall clock, in microseconds since 1970.
  private let wall: @Sendable () -> Int
  /// The longest time until the clock is read again, in microseconds: timers stand still while the machine sleeps.
  private static let longestSleep = 60_000_000

  package init(wall: @escaping @Sendable () -> Int) { self.wall = wall }

  func onRing(_ ring: @escaping @Sendable () async -> Void) { state.withLock { $0.ring = ring } }

  /// Rings at a time of the wall clock, in microseconds since 1970, unless it rings earlier.
  package func ring(at due: Int) {
    state.withLock { state in
      guard !state.isStopped, due < state.due else { return }
      state.due = due
      let timer = state.timer ?? DispatchSource.makeTimerSource(queue: .global())
      schedule(timer, for: due)
      if state.timer == nil {
        timer.setEventHandler { [weak self] in self?.look() }
        timer.activate()
      }
      state.timer = timer
    }
  }

  package func stop() {
    state.withLock { state in
      state.timer?.cancel()
      state = State()
      state.isStopped = true
    }
  }

  private func schedule(_ timer: any DispatchSourceTimer, for due: Int) {
    let left = min(max(EngineTime.later(due, by: -wall()), 0), CaseScheduler.longestSleep)
    timer.schedule(deadline: .now() + .microseconds(left))
  }

  package func look() {
    let ring: (@Sendable () async -> Void)? = state.withLock { state in
      guard let timer = state.timer, state.due != .max else { return nil }
      if state.due > wall() {
        schedule(timer, for: state.due)
        return nil
      }
      state.due = .max
      return state.ring
    }
    if let ring { Task.detached { await ring() } }
  }
}
