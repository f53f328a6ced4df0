import FlowKernel

/// The open tasks of a case's calls, as the journal has them when the case is activated.
package struct StoredTasks: Sendable {
  /// An answer that the effect has not got yet.
  package struct Answer: Sendable {
    package let key: OpenTask.Key
    package let outcome: TaskOutcome
    /// The time at which it was given, in microseconds since 1970.
    package let time: Int
  }

  /// All open tasks.
  package let keys: Set<OpenTask.Key>
  /// The answers among them, in the order in which they were given.
  package let answers: [Answer]

  package init(_ all: some Sequence<StoredTask>) {
    let rows = all.filter { $0.task.kind != .notification }
    keys = Set(rows.map(\.task.key))
    answers = rows.sorted { ($0.answered ?? 0, $0.id) < ($1.answered ?? 0, $1.id) }.compactMap {
      row in
      guard let outcome = row.outcome, let time = row.answered else { return nil }
      return Answer(key: row.task.key, outcome: outcome, time: time)
    }
  }
}
