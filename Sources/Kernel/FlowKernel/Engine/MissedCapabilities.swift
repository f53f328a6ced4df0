import Platform

/// The capabilities that durable effects have called and nobody provides, so that each is reported once in a process.
package final class MissedCapabilities: Sendable {
  private let titles = Mutex<Set<String>>([])

  package init() {}

  /// Adds a capability, such as `root.mail`; returns true for its first call.
  func add(_ title: String) -> Bool { titles.withLock { $0.insert(title).inserted } }
}
