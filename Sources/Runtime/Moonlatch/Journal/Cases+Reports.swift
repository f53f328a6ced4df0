/// Readiness: what a server reports of its cases.
extension Cases {
  /// How many shards this node holds; nil where the journal is not shared.
  package var leasesHeld: Int? { node?.held.count }

  /// Has each append to the journal reported once it is kept or has failed, with the time that it took.
  package func onAppend(_ report: @escaping @Sendable (Duration) -> Void) {
    watch.appendReport.withLock { $0 = report }
  }
}
