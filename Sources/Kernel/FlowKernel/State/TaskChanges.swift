/// The tasks that an entry opens and closes; their rows change in the entry's transaction.
package struct TaskChanges: Sendable, Hashable {
  /// A task for which nothing waits any more.
  package struct Closed: Sendable, Hashable {
    /// The id of the call.
    package let call: String
    /// The number of the try.
    package let tryNumber: Int
    /// True if the effect has got the answer; false if the task was cancelled.
    package let isAnswered: Bool

    package init(call: String, tryNumber: Int, isAnswered: Bool) {
      (self.call, self.tryNumber, self.isAnswered) = (call, tryNumber, isAnswered)
    }
  }

  /// The tasks that were closed; they are closed before others are opened.
  package internal(set) var closed: [Closed] = []
  /// The tasks that were opened, in the order of their calls.
  package internal(set) var opened: [OpenTask] = []

  /// Makes an entry's changes; by default none.
  package init(closed: [Closed] = [], opened: [OpenTask] = []) {
    (self.closed, self.opened) = (closed, opened)
  }

  /// True if no task changes.
  package var isEmpty: Bool { closed.isEmpty && opened.isEmpty }
}
