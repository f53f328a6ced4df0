/// A subscription to a view, or to every transition.
///
/// It lasts until it is cancelled, or the host is stopped or goes, or its owner does where it has one.
public struct ViewSubscription: Sendable {
  private let end: @Sendable () throws(AgentError) -> Void

  init(_ end: @escaping @Sendable () throws(AgentError) -> Void) { self.end = end }

  /// Ends the subscription: its handler is not called again.
  ///
  /// Cancelling twice does nothing.
  ///
  /// - Throws: `AgentError` when it is called from inside the host.
  public func cancel() throws(AgentError) { try end() }
}
