import LuaRuntime

/// A list that a script or a user can make long, with the work that is done on it.
struct Shape: Sendable {
  let name: String
  /// The size of the list at one time.
  let base: Int
  /// True if the small form measures it, too.
  var isInSmallForm = false
  /// The reason for which it may grow faster than n log n; nil for all others.
  var exception: String?
  /// Makes the list, with so many elements, and does the work.
  let run: @Sendable (Int) throws -> Void

  /// All shapes, by what grows.
  static let all: [Shape] = [
    declarations, machines, lists, texts, effects, scenarios, histories, hosts,
  ].flatMap { $0 }

  /// Limits that no shape reaches.
  ///
  /// Without a limit of time there is no thread that watches it, so that the process can be copied.
  static let limits = Limits(
    instructionsPerDispatch: 2_000_000_000, instructionsPerLoad: 2_000_000_000,
    processorTime: .zero,
    memory: 4 << 30, payload: 256 << 20, state: 1 << 30, coroutines: 1_000_000, effects: 1_000_000,
    timers: 1_000_000, queue: 1_000_000, postponed: 1_000_000, tasks: 1_000_000, chain: 10_000_000,
    instructionsPerChain: 2_000_000_000, microsteps: 1_000_000, history: 1_000_000,
    retained: 2 << 30)
}

/// A shape did not do its work.
struct WrongResult: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }

  /// Throws unless it holds.
  static func unless(_ holds: Bool, _ description: @autoclosure () -> String) throws {
    if !holds { throw WrongResult(description()) }
  }
}
