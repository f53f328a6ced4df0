import FlowKernel
import LuaRuntime

/// A source of the values of views: a host, or a case.
package protocol ViewSource: Sendable {
  /// Sends the values of a view to a receiver, from the present one on.
  ///
  /// The sequence ends once the source has released the receiver.
  ///
  /// - Returns: a function that ends the subscription; calling it twice does nothing.
  func send(_ view: String, to receiver: ViewReceiver) -> @Sendable () -> Void
}

/// The views of a host, which it does not keep alive.
struct HostViewSource: ViewSource {
  weak let host: FlowHost?

  func send(_ view: String, to receiver: ViewReceiver) -> @Sendable () -> Void {
    do throws(ViewError) {
      // Without a host nothing holds the receiver any more, and the sequence ends.
      let subscription = try host?.subscribe(view) { receiver.receive($0) }
      return { subscription?.cancel() }
    } catch {
      receiver.receive(.failure(error))
      return {}
    }
  }
}
