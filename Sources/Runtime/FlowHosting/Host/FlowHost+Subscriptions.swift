import FlowKernel
import LuaRuntime

/// Subscriptions to views and to commits.
extension FlowHost {
  /// Calls `handler` with the view's value now and whenever it changes.
  ///
  /// The handler is called after the commit and outside the host's lock, in the order of commits and of subscriptions.
  ///
  /// - Returns: the subscription, which ends when it is cancelled or released.
  /// - Throws: as `view(_:)`.
  public func subscribe(
    _ name: String, _ handler: @escaping @Sendable (Result<Value, ViewError>) -> Void
  ) throws(ViewError) -> ViewSubscription {
    try subscribe(name, while: nil, handler)
  }

  /// Calls `handler` with the view's value now and whenever it changes, for as long as `owner` lives.
  ///
  /// The host does not keep the owner alive; the handler receives it, so that it need not capture it. The
  /// subscription lasts as long as its owner, even if the returned subscription is released.
  ///
  /// ```swift
  /// try host.subscribe("takings", owner: display) { display, value in display.show(value) }
  /// ```
  ///
  /// - Returns: the subscription, by which it can be cancelled earlier.
  /// - Throws: as `view(_:)`.
  @discardableResult
  public func subscribe<Owner: AnyObject & Sendable>(
    _ name: String, owner: Owner,
    _ handler: @escaping @Sendable (Owner, Result<Value, ViewError>) -> Void
  ) throws(ViewError) -> ViewSubscription {
    try subscribe(name, while: { [weak owner] in owner != nil }) { [weak owner] value in
      if let owner { handler(owner, value) }
    }
  }

  /// Calls `handler` with every commit, in order, after it was made and outside the host's lock.
  ///
  /// - Returns: the subscription, which ends when it is cancelled or released.
  /// - Throws: `AgentError` if the host is called from inside itself, or was stopped.
  public func observe(
    _ handler: @escaping @Sendable (Commit) -> Void
  ) throws -> ViewSubscription {
    try observe(while: nil, handler)
  }

  /// Calls `handler` with every commit, for as long as `owner` lives.
  ///
  /// - Returns: the subscription, by which it can be cancelled earlier.
  /// - Throws: `AgentError` if the host is called from inside itself, or was stopped.
  @discardableResult
  public func observe<Owner: AnyObject & Sendable>(
    owner: Owner, _ handler: @escaping @Sendable (Owner, Commit) -> Void
  ) throws -> ViewSubscription {
    try observe(while: { [weak owner] in owner != nil }) { [weak owner] commit in
      if let owner { handler(owner, commit) }
    }
  }

  /// Calls `passed` with every commit and `rejected` with every rejected dispatch, in order.
  ///
  /// - Throws: `AgentError` if the host is called from inside itself, or was stopped.
  package func observeDispatches(
    passed: @escaping @Sendable (Commit) -> Void,
    rejected: @escaping @Sendable (RejectedDispatch) -> Void
  ) throws -> ViewSubscription {
    let (receiver, refusals) = (Receiver(passed), Receiver(rejected))
    let number = try use {
      $0.observers.subscriptions.observe(while: nil, refusals: refusals.handler, receiver.handler)
    }
    return subscription(number, receiver, endsWhenReleased: true)
  }

  private func subscribe(
    _ name: String, while isWanted: (@Sendable () -> Bool)?,
    _ handler: @escaping @Sendable (Result<Value, ViewError>) -> Void
  ) throws(ViewError) -> ViewSubscription {
    let receiver = Receiver(handler)
    let number = try useView { engine throws(ViewError) in
      try engine.subscribe(name, while: isWanted, receiver.handler)
    }
    return subscription(number, receiver, endsWhenReleased: isWanted == nil)
  }

  /// Subscribes to a view, and blocks no thread.
  package func subscribeWhenFree(
    to name: String, _ handler: @escaping @Sendable (Result<Value, ViewError>) -> Void
  ) async throws -> ViewSubscription {
    let receiver = Receiver(handler)
    let number = try await useWhenFree { engine in
      Result { try engine.subscribe(name, while: nil, receiver.handler) }
    }.get()
    return subscription(number, receiver, endsWhenReleased: true)
  }

  private func observe(
    while isWanted: (@Sendable () -> Bool)?,
    _ handler: @escaping @Sendable (Commit) -> Void
  ) throws -> ViewSubscription {
    let receiver = Receiver(handler)
    let number = try use { $0.observers.subscriptions.observe(while: isWanted, receiver.handler) }
    return subscription(number, receiver, endsWhenReleased: isWanted == nil)
  }

  /// Makes a subscription that ends without taking the host's lock: its handler is not called any more, and
  /// the engine removes it at the next call of the host.
  private func subscription<Message>(
    _ number: Int, _ receiver: Receiver<Message>, endsWhenReleased: Bool
  ) -> ViewSubscription {
    ViewSubscription(endsWhenReleased: endsWhenReleased) { [weak receiver, weak ended] in
      receiver?.end()
      ended?.add(number)
    }
  }
}

extension Engine {
  /// Adds a subscriber to a view, and delivers the present value to it first.
  ///
  /// - Returns: the subscription's number.
  fileprivate func subscribe(
    _ name: String, while isWanted: (@Sendable () -> Bool)?,
    _ handler: @escaping Delivery.ViewHandler
  ) throws(ViewError) -> Int {
    let view = try reader(of: name)
    if observers.subscriptions.hasNobody { forgetTouchedViews() }
    let value = watchedValue(of: view, others: observers.subscriptions.size)
    let number = observers.subscriptions.add(
      view, current: try? value.get(), while: isWanted, handler)
    observers.subscriptions.tell(.value(value.map(\.value), for: number, handler))
    return number
  }
}
