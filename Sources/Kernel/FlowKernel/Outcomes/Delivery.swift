import LuaRuntime

/// A message to an observer, delivered once the engine is free again.
package enum Delivery: Sendable {
  package typealias ViewHandler = @Sendable (Result<Value, ViewError>) -> Void
  package typealias CommitHandler = @Sendable (Commit) -> Void
  package typealias RefusalHandler = @Sendable (RejectedDispatch) -> Void

  /// The value of a view, for the subscription with that number.
  case value(Result<Value, ViewError>, for: Int, ViewHandler)
  case commit(Commit, CommitHandler)
  case refusal(RejectedDispatch, RefusalHandler)
  case end(@Sendable () -> Void)

  package func tell() {
    switch self {
    case .value(let value, _, let handler): handler(value)
    case .commit(let commit, let handler): handler(commit)
    case .refusal(let dispatch, let handler): handler(dispatch)
    case .end(let go): go()
    }
  }
}
