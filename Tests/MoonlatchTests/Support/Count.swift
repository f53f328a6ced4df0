import Synchronization

/// A counter that tasks and threads share.
final class Count: Sendable {
  private let value = Atomic(0)

  var now: Int { value.load(ordering: .acquiring) }

  func add() { value.wrappingAdd(1, ordering: .acquiringAndReleasing) }
}
