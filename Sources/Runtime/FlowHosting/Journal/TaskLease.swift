import FlowKernel

/// A lease with which the row of a task is inserted: the node that opens the task performs it itself.
package struct TaskLease: Sendable, Hashable {
  /// The token, which gives the right to answer.
  package let token: String
  /// The name of the node.
  package let worker: String
  /// The length of the lease, in microseconds.
  package let length: Int

  package init(token: String = TaskTable.newToken(), worker: String, length: Int) {
    (self.token, self.worker, self.length) = (token, worker, length)
  }
}
