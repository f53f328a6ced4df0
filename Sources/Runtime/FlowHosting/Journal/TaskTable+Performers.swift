import FlowKernel

/// The performers of tasks, as the host file names them.
extension TaskTable {
  /// Updates the performers of tasks that no worker has leased to those that the host file names now.
  ///
  /// - Parameter performers: the performer of each capability; rows of other capabilities, and of those that nobody
  ///   provides, are dead. Those of plain effects fail, because no operator may retry them; those of notifications are
  ///   deleted.
  package func retarget(_ performers: Set<TaskPerformer>) throws(JournalError) {
    let now = Dictionary(
      performers.map { ([$0.scope, $0.name].map(ExactText.init), $0) },
      uniquingKeysWith: { first, _ in first })
    for known in try rows.performers(at: self.now) {
      let name = [known.scope, known.name].map(ExactText.init)
      if let performer = now[name], performer.kind != .missing {
        guard performer.kind != known.kind || performer.queue != known.queue else { continue }
        try rows.move(
          known, to: performer.kind, queue: performer.queue, .ready, error: nil, at: self.now)
      } else if known.kind == .notification {
        try removeAll(of: known)
      } else if known.kind != .missing {
        let error = TaskTable.missing("\(known.scope).\(known.name)")
        try failReadyOnce(known, error)
        try rows.move(
          known, to: .missing, queue: known.queue, .dead, error: error, at: self.now)
      }
    }
  }

  /// Fails the ready tasks of plain effects whose performer is gone.
  private func failReadyOnce(
    _ performer: TaskPerformer, _ reason: String
  ) throws(JournalError) {
    var query = TaskQuery(state: .ready, queue: performer.queue, limit: 1_000)
    while true {
      let listed = try rows.list(query)
      for known in listed where known.task.isOnce && known.performer == performer {
        // The list has no locks, so that somebody may have claimed the task since.
        if let row = try rows.row(known.id), row.state == .ready { try fail(row, reason) }
      }
      guard let last = listed.last, listed.count == query.limit else { return }
      query.after = last.id
    }
  }
}
