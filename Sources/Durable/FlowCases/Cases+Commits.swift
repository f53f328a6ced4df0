import FlowHosting
import FlowKernel

extension Cases {
  /// Calls `handler` with every commit of every case that this process runs, once it is stored.
  ///
  /// ```swift
  /// let subscription = orders.observe { id, commit in print(id, commit) }
  /// ```
  ///
  /// The commits of one case come in order. The handler is called on a thread of the journal, and should
  /// return soon. It keeps no case awake.
  ///
  /// - Returns: the subscription, which ends when it is cancelled or released.
  public func observe(
    _ handler: @escaping @Sendable (_ id: String, _ commit: Commit) -> Void
  ) -> ViewSubscription {
    let number = watch.observe(handler)
    return ViewSubscription(endsWhenReleased: true) { [weak watch] in
      watch?.removeObserver(number)
    }
  }
}
