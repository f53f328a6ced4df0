import FlowLanguage
import LuaRuntime

extension Engine {
  /// The queue, then the timers in order, then the effects that wait without a time.
  package var pendingWork: [PendingWork] {
    var asleep: Set<Int> = []
    let queued =
      caseState.queue.actions.map { PendingWork(.queued, $0, due: nil) }
      + caseState.queue.beginning.compactMap { state in
        guard let began = caseState.stateEffectTriggers[state], let effect = effect(of: state)
        else {
          return nil
        }
        return PendingWork(
          kind: .queued, title: effect.title(during: state), action: began.name,
          payload: began.payload,
          cause: began.cause.revision, due: nil)
      }
    let due = caseState.timers.pending.compactMap { timer -> PendingWork? in
      let time = Duration.microseconds(timer.due)
      switch timer.event {
      case .action(let action):
        guard case .postponed(let state) = timer.owner else {
          return PendingWork(.timer, action, of: timer.owner, due: time)
        }
        var postponed = PendingWork(.postponed, action, due: nil)
        postponed.postponedIn = state.title
        return postponed
      case .wake(let effect):
        // An effect that waits for several functions wakes with the first of them.
        guard let running = effects[effect]?.root, asleep.insert(running.number).inserted else {
          return nil
        }
        return PendingWork(running, due: time)
      case .begin: return nil
      }
    }
    let waiting = effects.all.filter { !asleep.contains($0.number) }
    let all = queued + due + waiting.map { PendingWork($0, due: nil) }
    return all.map { $0.shown(flow) }
  }

  /// The timers that were refused while their states stay active, as sentences such as
  /// `expire is not tried again: m stays in open`.
  package var refusedTimerSentences: [String] { caseState.refusedTimers.values.joined().sorted() }
}
