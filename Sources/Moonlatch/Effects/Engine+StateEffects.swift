import LuaRuntime
import StateCharts

/// Effects of states: each begins as its state is entered, and is stopped as that is left.
///
/// Which of them are under way belongs to the revision (`Ledger.lasting`): going back to one at which an
/// effect was under way has it begin again.
extension Engine {
  func effect(of state: ActiveState) -> Effect? {
    guard let (machine, number) = find(state) else { return nil }
    return flow.machines[machine.index].effects[number]
  }

  // MARK: Beginning

  /// Begins the effects of the states that moves have entered, and not left again, outermost first: each
  /// to its first wait.
  func startEffects(of moves: [MachineMove], _ transition: Transition, _ cause: Cause) {
    let root = scopes.current[0] ?? 1
    var begun: Set<ActiveState> = []
    for move in moves {
      let machine = move.machine
      for state in move.begun where machine.isActive(state, at: places) {
        let active = machine.active(state)
        guard let effect = flow.machines[machine.index].effects[state],
          begun.insert(active).inserted
        else { continue }
        ledger.begin(
          active,
          QueuedAction(name: transition.action, payload: transition.payload, cause: cause))
        start(effect, in: root, transition, cause, during: active)
      }
    }
  }

  /// Has the effects of states that no action has entered wait for their turn.
  func queueEffects(of states: [Planner.StateNumber], in machine: LoadedMachine) {
    guard startsEffectsAndTimers else { return }
    for state in states
    where machine.chart.nodes[Int(state)].hasEffect && machine.isActive(state, at: places) {
      let active = machine.active(state)
      guard ledger.lasting[active] == nil else { continue }
      ledger.begin(active, QueuedAction(name: "", payload: [:], cause: Cause(revision: revision)))
      queue.add(.begin(active), owner: .nobody, from: active)
    }
  }

  /// Begins an effect whose turn has come.
  func begin(_ state: ActiveState) {
    guard let began = ledger.lasting[state], let effect = effect(of: state),
      effects.number(of: state) == nil
    else { return }
    vm.beginWork(.effect, budget: budget)
    defer { vm.endWork() }
    let transition = transition(of: began)
    do throws(ScriptError) {
      try vm.setPayload(began.payload)
    } catch {
      ledger.end(state)
      return ended(effect, of: transition, began.cause, error, during: state)
    }
    start(effect, in: scopes.current[0] ?? 1, transition, began.cause, during: state)
  }

  /// The transition with which an effect began, or one that says as much of it as is known still.
  private func transition(of began: QueuedAction) -> Transition {
    if let kept = history[began.cause.revision], kept.action == began.name { return kept }
    var writer = ValueWriter()
    if began.payload != [:] { writer.write(began.payload) }
    return writer.bytes.withUnsafeBytes {
      Transition(
        revision: began.cause.revision, action: began.name, cause: nil, microseconds: time,
        hostBegan: self.began, patch: UnsafeRawBufferPointer(start: nil, count: 0), payload: $0)
    }
  }

  // MARK: Ending

  /// An effect of a state is under way no more.
  func noteEnd(of running: RunningEffects.Running) {
    guard running.branch == nil, let state = running.state else { return }
    ledger.end(state, since: running.cause.revision)
  }

  /// Stops the effects of the states that a move has left, and what they have set; what they have
  /// dispatched is stale, unless it is one of that which has left the state.
  func stopEffects(of move: MachineMove) {
    for state in move.left where move.machine.chart.nodes[Int(state)].hasEffect {
      let active = move.machine.active(state)
      if let number = effects.number(of: active) {
        drop(number, because: "\(active.title) was left (#\(revision))")
      }
      ledger.end(active)
      ledger.stopTimers(ownedBy: .during(active))
      queue.remove(ownedBy: .during(active))
      queue.left(active, at: revision, byItself: sourceUnderWay == active)
    }
  }

  /// Refuses what the effect of a state had dispatched that was left since.
  func refuse(_ queued: QueuedAction, from state: ActiveState, leftAt revision: Int) {
    let machine = flow.machines.first { $0.name == state.machine }
    report(
      .queuedRefused(
        Refusal(
          action: queued.name, by: .machine(state.machine),
          reason: "stale: \(queued.name) comes from \(state.state), which was left (#\(revision))",
          place: machine?.place ?? SourcePlace(file: flow.file, line: 0)), spent: nil))
  }

  // MARK: Going back, and another text of the flow

  /// What the revision says is under way and is not: without `on_error` it begins again, otherwise it
  /// ends as that says.
  func goOnWithEffectsOfStates(because why: String) {
    guard startsEffectsAndTimers else { return }
    let beginning = Set(queue.beginning)
    for (state, began) in ledger.lasting.sorted(by: { $0.key.title < $1.key.title })
    where effects.number(of: state) == nil && !beginning.contains(state) {
      ledger.stopTimers(ownedBy: .during(state))
      guard let effect = effect(of: state) else {
        ledger.end(state)
        report(
          .stopped(
            title: "effect of \(state.title)", revision: began.cause.revision,
            "the reloaded flow has no such effect"))
        continue
      }
      if effect.onError == nil {
        queue.add(.begin(state), owner: .nobody, from: state)
        continue
      }
      ledger.end(state)
      ended(
        effect, of: transition(of: began), began.cause,
        ScriptError(.runtime, "it was stopped by \(why)", at: effect.function.place),
        during: state)
    }
  }
}
