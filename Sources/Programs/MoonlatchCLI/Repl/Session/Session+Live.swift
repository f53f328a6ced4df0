import FlowKernel
import HostFiles

/// The calls of capabilities that this process makes itself, with `--live`.
extension Session {
  /// Begins the calls that are open, waits for their answers in real time, and does what follows on them.
  ///
  /// Ctrl-C ends the wait; the calls continue, later inputs do not wait for them, and their answers are taken when they
  /// have come.
  ///
  /// - Parameter waits: false to take only the answers that have come.
  func deliverAnswers(waits: Bool = true) {
    // The calls of a scenario's flow are not those of the session.
    while halt == nil, lost == nil {
      tasks.follow(engine.openTasks)
      if waits { tasks.performances.wait { Interruption.hasCome } }
      if options.isInterruptible, Interruption.hasCome {
        // Else `:tasks` and the like would show nothing before the answer.
        return tasks.performances.endWait()
      }
      let ended = tasks.performances.removeEnded()
      if ended.isEmpty { return }
      for end in ended { deliver(end) }
    }
  }

  private func deliver(_ end: LivePerformances.Ended) {
    let name = end.task.capability
    guard engine.openTasks.contains(where: { $0.key == end.task.key }) else {
      return told.add(["  \(name) has answered, but nothing waits for it any more"])
    }
    switch end.outcome {
    case .answered(let outcome):
      do { try give(outcome, to: end.task) } catch { complaints.add("\(error)") }
    case .accepted:
      tasks[note: end.task] = "accepted; the answer comes through a webhook"
      told.add([
        "  \(name) is accepted; its answer would come through a webhook: :complete gives it"
      ])
    case .dead(let reason):
      tasks[note: end.task] = reason
      complaints.add(
        "\(name) was not performed: \(reason)\n    (:tasks lists it, :complete answers it)")
    case .interrupted:
      tasks[note: end.task] = "interrupted"
      complaints.add("\(name) was interrupted\n    (:tasks lists it, :complete answers it)")
    }
  }
}
