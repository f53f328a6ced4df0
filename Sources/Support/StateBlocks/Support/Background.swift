import Dispatch

/// A thread for work that nobody waits for, taken when there is some.
///
/// A serial queue of its own gets its thread at once. The global queues share theirs with Swift's
/// own tasks: there, two tasks that wait for an agent could keep it from its work until the system
/// notices.
struct Background: Sendable {
  private let queue: DispatchQueue

  init(name: String) {
    queue = DispatchQueue(label: "StateBlocks \(name)")
  }

  func run(_ work: @escaping @Sendable () -> Void) {
    queue.async(execute: work)
  }
}
