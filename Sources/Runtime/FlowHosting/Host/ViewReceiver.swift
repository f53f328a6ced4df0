import FlowKernel
import LuaRuntime

/// A receiver of the values of a view, which ends their sequence when it is released.
package final class ViewReceiver: Sendable {
  private let continuation: AsyncStream<Result<Value, ViewError>>.Continuation

  init(_ continuation: AsyncStream<Result<Value, ViewError>>.Continuation) {
    self.continuation = continuation
  }

  deinit { continuation.finish() }

  /// Adds a value to the sequence; an error is its last element.
  package func receive(_ value: Result<Value, ViewError>) {
    continuation.yield(value)
    if case .failure = value { continuation.finish() }
  }
}
