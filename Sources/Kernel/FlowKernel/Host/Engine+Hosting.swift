/// Questions that a host asks in each turn.
///
/// Each is one call. Read by another module, `observers.subscriptions.isEmpty` copies the subscriptions first.
extension Engine {
  /// True if nobody is subscribed and nothing is to be delivered.
  package var hasNoSubscriptions: Bool { observers.subscriptions.isEmpty }

  /// Removes and returns what is to be delivered to subscribers.
  ///
  /// - Parameter atOnce: false if deliveries wait for a journal, so that even one that could be made now is returned.
  package func takeDeliveries(atOnce: Bool = true) -> [Delivery] {
    observers.subscriptions.takePending(atOnce: atOnce)
  }

  /// Sets the number of the agent's message that makes the latest deliveries.
  package func setLastMessage(_ number: Int) { observers.subscriptions.lastMessage = number }

  /// True if the turn under way needs an entry for what happened before it went back, and one for the rest.
  package var needsTwoEntries: Bool { observers.recorder?.needsTwoEntries == true }

  /// The number of effects that have failed since the latest entry.
  package var failedEffectCount: Int { observers.recorder?.failedEffects ?? 0 }

  /// Forgets the dispatches of this turn that did not pass.
  package func forgetRejected() { observers.recorder?.forgetRejected() }
}
