import LuaRuntime
import StateCharts

/// Deferral: an action that a state postpones waits until the state is left, and is dispatched again then.
///
/// A postponed action is a timer that is never due and whose owner is the state. So it belongs to the revision, and is
/// stored, restored, renamed, compared and shown as timers are.
extension Engine {
  /// Returns the outcome of a rejected action: it passes if a state postpones it.
  func outcome(of rejection: consuming Rejection, _ action: LoadedAction, _ cause: Cause?)
    -> Outcome
  {
    guard configuration.postpones, case .refused(let refusal) = copy rejection,
      let state = refusal.postponedIn
    else { return Outcome(rejection) }
    do throws(Rejection) {
      return .passed(try postpone(action, in: state, refusal, cause))
    } catch {
      return Outcome(error)
    }
  }

  private func postpone(
    _ action: LoadedAction, in state: ActiveState, _ refusal: Refusal, _ cause: Cause?
  ) throws(Rejection) -> Commit {
    instrumentation?.recordReadOfTimers()
    if let excess = refusal.ofExcess(in: caseState.timers, limits) { throw .refused(excess) }
    // The history needs room for it too, as long as undo can go back to before.
    guard reserve(for: 2 * (400 + scratch.payload.writer.bytes.count)) else {
      throw .failed(
        scriptFailure(
          ScriptError(kind: .limit, message: excess("\(action.name), which is postponed,")),
          action: action.name))
    }
    let postponed = LoadedAction(postponing: action)
    let commit = try applyTransitions(postponed, EnabledTransitions(), cause: cause)
    let queued = QueuedAction(
      name: action.name, payload: commit.payload, cause: cause ?? Cause(revision: revision),
      by: scratch.dispatchedBy)
    guard settings.startsEffectsAndTimers else { return commit }
    caseState.set(queued, due: EngineTime.never, owner: .postponed(state))
    history.amend(caseState.takeChanges(), at: revision)
    return commit
  }

  /// Queues the actions that a state has postponed, in the order of arrival, because it is left.
  package func release(postponedIn state: ActiveState) {
    enqueue(stopTimers(ownedBy: .postponed(state)))
  }

  /// Queues the postponed actions whose state no longer postpones them in this text of the flow.
  func releasePostponedNoMore() {
    enqueue(
      caseState.stopTimers { timer in
        guard case .postponed(let active) = timer.owner, let action = timer.action else {
          return false
        }
        guard let (machine, state) = find(active) else { return true }
        return !machine.chart.chart.states[Int(state)].transitions.contains {
          $0.postpones && $0.trigger == .action(action.name)
        }
      })
  }

  private func enqueue(_ released: [PendingTimer]) {
    for timer in released { caseState.queue.add(timer.event, owner: .nobody) }
  }
}
