/// What somebody is to be told, once the engine is free again.
enum Delivery: Sendable {
  typealias ViewHandler = @Sendable (Result<Value, ViewError>) -> Void
  typealias TransitionHandler = @Sendable (Transition) -> Void

  /// The value of a view, for the subscription of that number.
  case value(Result<Value, ViewError>, for: Int, ViewHandler)
  case transition(Transition, TransitionHandler)
  case end(@Sendable () -> Void)

  func tell() {
    switch self {
    case .value(let value, _, let handler): handler(value)
    case .transition(let transition, let handler): handler(transition)
    case .end(let go): go()
    }
  }
}
