import Bench
import Dispatch
import Foundation
import Synchronization

/// A thread that sends one request again and again, each after the answer to the one before.
final class Asking: Sendable {
  private struct State {
    var times: [Double] = []
    var error: (any Error)?
    var isOver = false
  }

  private let state = Mutex(State())
  private let end = DispatchSemaphore(value: 0)

  /// - Parameters:
  ///   - pause: how long it waits after an answer.
  ///   - expected: the beginning of each answer.
  init(
    _ request: [UInt8], of server: Served, pause: Duration = .zero, expecting expected: String
  ) throws {
    // Used by that thread alone.
    nonisolated(unsafe) let connection = try Connection(server.port)
    let microseconds = useconds_t(pause / .microseconds(1))
    Thread { [self] in
      while state.withLock({ !$0.isOver && $0.error == nil }) {
        do {
          let time = try milliseconds {
            let answer = try connection.ask(request)
            try WrongResult.unless(answer.hasPrefix(expected), "a request is answered: \(answer)")
          }
          state.withLock { $0.times.append(time) }
        } catch {
          state.withLock { $0.error = error }
        }
        usleep(microseconds)
      }
      end.signal()
    }.start()
  }

  /// How often it has been answered.
  var count: Int { state.withLock(\.times.count) }

  /// Waits for the last answer.
  ///
  /// - Returns: how long each answer took, in milliseconds.
  func stop() throws -> [Double] {
    state.withLock { $0.isOver = true }
    end.wait()
    return try state.withLock { state in
      if let error = state.error { throw error }
      return state.times
    }
  }
}

func milliseconds(_ body: () throws -> Void) rethrows -> Double {
  let begin = ContinuousClock.now
  try body()
  return (ContinuousClock.now - begin) / .milliseconds(1)
}
