import FlowKernel
import LuaRuntime

/// Being told what happens.
extension FlowHost {
  /// Tells `handler` the view's value now and whenever it changes, in the order of transitions and
  /// of subscriptions, after the transition and outside the host's lock.
  ///
  /// - Returns: the subscription, which ends when it is cancelled or released.
  /// - Throws: as `view(_:)`.
  public func subscribe(
    _ name: String, _ handler: @escaping @Sendable (Result<Value, ViewError>) -> Void
  ) throws(ViewError) -> ViewSubscription {
    try subscribe(name, while: nil, handler)
  }

  /// Tells an object the view's value now and whenever it changes, for as long as the object lives.
  ///
  /// The host does not keep the owner alive; the handler is given it, so that it need not capture it.
  /// The subscription lasts as long as its owner, whether what is returned is kept or not.
  ///
  /// ```swift
  /// try host.subscribe("takings", owner: display) { display, value in display.show(value) }
  /// ```
  ///
  /// - Returns: what ends the subscription earlier.
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

  /// Tells `handler` of every transition, in order, after it was made and outside the host's lock.
  ///
  /// - Returns: the subscription, which ends when it is cancelled or released.
  /// - Throws: `AgentError` when the host is called from inside itself, or was stopped.
  public func observe(
    _ handler: @escaping @Sendable (Commit) -> Void
  ) throws -> ViewSubscription {
    try observe(while: nil, handler)
  }

  /// Tells an object of every transition, for as long as the object lives.
  ///
  /// - Returns: what ends the subscription earlier.
  /// - Throws: `AgentError` when the host is called from inside itself, or was stopped.
  @discardableResult
  public func observe<Owner: AnyObject & Sendable>(
    owner: Owner, _ handler: @escaping @Sendable (Owner, Commit) -> Void
  ) throws -> ViewSubscription {
    try observe(while: { [weak owner] in owner != nil }) { [weak owner] commit in
      if let owner { handler(owner, commit) }
    }
  }

  /// Tells of every transition, and of every action that was offered and did not pass, in order.
  ///
  /// - Throws: `AgentError` when the host is called from inside itself, or was stopped.
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

  /// What ends a subscription without taking the host's lock: nothing is told any more from then on, and
  /// the engine forgets it when the host is called next.
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
  /// Adds a subscriber to a view, who is told its present value first.
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
