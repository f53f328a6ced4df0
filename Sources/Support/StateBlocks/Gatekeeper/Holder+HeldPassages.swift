extension Gatekeeper.Holder {
  /// The revision at which the option was taken, which a flow always gives.
  package var since: Int { revision ?? 0 }
}
