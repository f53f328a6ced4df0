/// A subscription to a view.
///
/// It lasts until it is cancelled or the host goes.
public struct ViewSubscription: Sendable {
  private let end: @Sendable () throws -> Void

  init(_ end: @escaping @Sendable () throws -> Void) { self.end = end }

  /// Ends the subscription: its handler is not called again.
  ///
  /// Cancelling twice does nothing.
  ///
  /// Throws an `AgentError` when it is called from inside the host.
  public func cancel() throws { try end() }
}
