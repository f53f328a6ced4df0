extension Gatekeeper.Holder {
  /// The revision since when, which there always is in a flow.
  package var since: Int { revision ?? 0 }
}
