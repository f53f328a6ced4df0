import LuaRuntime

/// What somebody is to be told, once the engine is free again.
struct Delivery: Sendable {
  typealias ViewHandler = @Sendable (Result<Value, ViewError>) -> Void
  typealias TransitionHandler = @Sendable (Transition) -> Void

  enum Message {
    case value(Result<Value, ViewError>, ViewHandler)
    case transition(Transition, TransitionHandler)
    case end(@Sendable () -> Void)
  }

  /// 0 where there is none.
  let subscription: Int
  let message: Message

  /// The value of a view; nil where something else is told.
  var value: Result<Value, ViewError>? {
    if case .value(let value, _) = message { value } else { nil }
  }

  func tell() {
    switch message {
    case .value(let value, let handler): handler(value)
    case .transition(let transition, let handler): handler(transition)
    case .end(let go): go()
    }
  }
}
