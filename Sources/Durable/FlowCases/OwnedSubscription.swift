import FlowHosting
import Platform

/// A subscription to a case that lasts as long as its owner.
///
/// It and its handler retain each other until it is cancelled or the followed case ends.
final class OwnedSubscription: Sendable {
  private struct State {
    var subscription: ViewSubscription?
    var hasEnded = false
  }

  private let state = Mutex(State())

  /// Keeps a subscription until the owner is gone, and returns one that ends it earlier.
  func hold(_ subscription: ViewSubscription) -> ViewSubscription {
    let hasEnded = state.withLock { state in
      if !state.hasEnded { state.subscription = subscription }
      return state.hasEnded
    }
    // The owner was gone before the subscription was known here.
    if hasEnded { subscription.cancel() }
    return ViewSubscription(endsWhenReleased: false) { [weak self] in self?.cancel() }
  }

  /// Ends the subscription.
  func cancel() {
    let subscription = state.withLock { state in
      defer { (state.subscription, state.hasEnded) = (nil, true) }
      return state.subscription
    }
    subscription?.cancel()
  }
}
