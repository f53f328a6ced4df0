import LuaRuntime

/// A capability that is performed outside of the process: each call opens a task.
package struct TaskCapability: Sendable {
  package let kind: TaskKind
  /// The queue of its tasks.
  package let queue: String
  /// The longest time from the call to the answer, in microseconds; nil if there is none.
  package let timeout: Int?
  /// The length of a worker's lease, in microseconds.
  package let lease: Int
  /// The number of lost leases after which a task is dead.
  package let attempts: Int
  /// Returns the arguments of a call for the task; throws an error that names the wrong one.
  package let arguments: @Sendable ([Value]) throws -> Value
  /// Returns the faults of a result, each as a sentence.
  package let faults: @Sendable (Value) -> [String]
  /// Returns arguments as they may be shown: with dots in place of secrets.
  package let hiding: @Sendable (Value) -> Value
  /// Returns a result as it may be shown.
  package let hidingResult: @Sendable (Value) -> Value

  package init(
    kind: TaskKind, queue: String, timeout: Int? = nil, lease: Int = 60_000_000,
    attempts: Int = 20, arguments: @escaping @Sendable ([Value]) throws -> Value,
    faults: @escaping @Sendable (Value) -> [String] = { _ in [] },
    hiding: @escaping @Sendable (Value) -> Value = { $0 },
    hidingResult: @escaping @Sendable (Value) -> Value = { $0 }
  ) {
    (self.kind, self.queue, self.timeout) = (kind, queue, timeout)
    (self.lease, self.attempts) = (lease, attempts)
    (self.arguments, self.faults) = (arguments, faults)
    (self.hiding, self.hidingResult) = (hiding, hidingResult)
  }
}
