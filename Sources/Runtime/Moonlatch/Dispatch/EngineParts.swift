/// The payload of the action that is offered.
struct CurrentPayload {
  /// What the host's own rules are asked about, where there are any.
  var value: Value = [:]
  /// What encodes it, for the record of the transition.
  ///
  /// It holds the payload of any action before where this one takes nothing.
  var writer = PayloadWriter()
}

/// The keys that open and close scopes.
struct ScopeKeys {
  /// The key of each scope in the state.
  var values: [Value?]
  /// What openings and closings last went by; nil where keys have changed since.
  var refreshed: Int?

  init(count: Int) { values = Array(repeating: nil, count: count) }
}

/// What the host has opened by itself.
struct HostScopeInstances {
  /// In order, with numbers that are never given again.
  var held: [(scope: String, number: Int, key: HostKey)] = []
  var last = 0
  /// The opening through which an action is being offered, if it is.
  var dispatchedThrough: Int?
}

/// What the flow calls of the host's, and the calls that are under way.
package struct CapabilityCalls {
  var capabilities: Capabilities
  package internal(set) var pending = PendingCalls()
  /// The call that the effect under way is about to wait for.
  var prepared: Engine.PreparedCall?
  /// The record that is being replayed, of which answers are taken.
  var recorded: RecordedCalls?

  init(capabilities: Capabilities) { self.capabilities = capabilities }
}
