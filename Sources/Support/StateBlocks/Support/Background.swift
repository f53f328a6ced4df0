import Dispatch

/// A background thread for work that no caller waits for, started on demand.
///
/// Each instance has a serial queue, which gets a thread at once. The global queues share their threads with Swift's
/// tasks: there, two tasks that wait for an agent could block its work until the system notices.
struct Background: Sendable {
  private let queue: DispatchQueue

  init(name: String) {
    queue = DispatchQueue(label: "StateBlocks \(name)")
  }

  func run(_ work: @escaping @Sendable () -> Void) {
    queue.async(execute: work)
  }
}
