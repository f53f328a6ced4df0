import FlowLanguage
import LuaRuntime
import StateCharts

/// Step 3 of a dispatch, which asks the machines that name the action and selects their transitions.
extension Engine {
  /// The state whose timer dispatches an action; in its machine only the leaves inside the state are asked.
  typealias TimersState = (machine: Int, state: ChartInterpreter.StateNumber)

  func askMachines(
    _ action: LoadedAction, _ inside: TimersState?, _ plan: inout EnabledTransitions
  ) throws(Rejection) {
    if !recordMachines.isEmpty { vm.forgetSelected() }
    guard action.canBePostponed else {
      for index in action.transitions.indices {
        try askMachine(action.transitions[index], action, inside, &plan)
      }
      return
    }
    // A refusal by one machine outweighs a postponement by another.
    var postponed: Refusal?
    for transitions in action.transitions {
      do throws(Rejection) {
        try askMachine(transitions, action, inside, &plan)
      } catch {
        guard case .refused(let refusal) = error, refusal.postponedIn != nil else { throw error }
        if postponed == nil { postponed = refusal }
      }
    }
    if let postponed { throw .refused(postponed) }
  }

  @inline(__always)
  private func askMachine(
    _ transitions: TransitionTable, _ action: LoadedAction, _ inside: TimersState?,
    _ plan: inout EnabledTransitions
  ) throws(Rejection) {
    if transitions.machine.dialect.acceptsAnyEvent {
      try askDocument(transitions, action, &plan)
    } else if transitions.isOfRecords {
      let state = inside.flatMap { $0.machine == transitions.index ? $0.state : nil } ?? 0
      if state == 0, !plan.moves, let transition = try chooseForNamed(transitions, action) {
        plan.add(transition)
      } else {
        try askRecords(transitions, action, inside: state, &plan)
      }
    } else if transitions.machine.isPrepared {
      plan.add(try choose(transitions, action))
    } else {
      let state = inside.flatMap { $0.machine == transitions.index ? $0.state : nil }
      let subject = subject(transitions.machine)
      let selected = try enabledTransitions(
        by: .action(transitions.action, inside: state ?? 0), action, of: subject)
      if let transition = try cachedMicrostep(by: selected, transitions, action) {
        plan.add(transition)
      } else {
        plan.add(try withoutConflicts(selected, of: subject, action))
      }
    }
  }

  /// Returns the refusal of an action that is not possible in a machine's configuration.
  ///
  /// - Parameter state: the state that lists the action as impossible; nil if none lists it.
  func impossible(
    _ action: LoadedAction, in machine: LoadedMachine,
    refusedBy state: ChartInterpreter.StateNumber? = nil
  ) -> Refusal {
    let declared = flow.machines[machine.index]
    let possible = machine.statesTaking(action.name)
    let overridden = state.flatMap { machine.state(taking: action.name, around: $0) }
    let end =
      if let state, let overridden {
        ": \(machine.path(of: state)) lists it as impossible; without that, \(overridden) around it would take it"
      } else {
        possible.isEmpty ? "" : " (possible in: \(possible.joined(separator: ", ")))"
      }
    let ofRecord = scratch.selectedRecord.flatMap { try? leafNumbers(of: $0, in: machine)[...] }
    return Refusal(
      action: action.name, rejectedBy: .machine(machine.name),
      reason: "\(action.name) is not possible in "
        + machine.whereabouts(ofRecord ?? derived.configuration[machine.regions])
        + end,
      place: declared.place)
  }

  /// Returns the first transition whose guard agrees; if none does, throws the refusal with the last reason.
  @inline(__always)
  func choose(_ transitions: TransitionTable, _ action: LoadedAction) throws(Rejection)
    -> Unmanaged<PreparedMicrostep>
  {
    try choose(transitions, action, from: derived.configuration[transitions.machine.firstRegion])
  }

  func choose(
    _ transitions: TransitionTable, _ action: LoadedAction,
    from leafNumber: ChartInterpreter.LeafNumber
  ) throws(Rejection) -> Unmanaged<PreparedMicrostep> {
    let numbers = transitions.numbers(from: leafNumber)
    var last: Refusal?
    for number in numbers {
      if let reference = transitions.guards[number] {
        let answer = vm.callRule(reference, name: nil, budget: budget)
        guard case .passed = answer else {
          // The refusal is made only now, because copying a rule or a machine costs more than everything else here.
          let refusal = try refusal(
            answer, of: transitions[number].number, transitions.machine, action)
          if refusal.reason != nil || last?.reason == nil { last = refusal }
          continue
        }
      }
      if let transition = transitions.reference(number) { return transition }
      let forbidden = forbidden(transitions[number].number, transitions.machine, action)
      let hasReason =
        transitions.machine.chart.transition(transitions[number].number).refusal != nil
      throw .refused(hasReason || last?.reason == nil ? forbidden : last ?? forbidden)
    }
    throw .refused(last ?? impossible(action, in: transitions.machine))
  }

  /// Selects the transitions of a subject that an action enables, without those that conflict.
  ///
  /// - Parameter hear: receives each region that selected no transition, and the reason.
  func select(
    _ transitions: TransitionTable, _ action: LoadedAction, of subject: ChartSubject,
    inside state: ChartInterpreter.StateNumber = 0, hear: ((Int32, Refusal) -> Void)? = nil
  ) throws(Rejection) -> EnabledTransitions.TransitionSelection {
    let selected = try enabledTransitions(
      by: .action(transitions.action, inside: state), action, of: subject, hear: hear)
    return try withoutConflicts(selected, of: subject, action)
  }

  private func withoutConflicts(
    _ selected: [ChartInterpreter.TransitionNumber], of subject: ChartSubject,
    _ action: LoadedAction
  ) throws(Rejection) -> EnabledTransitions.TransitionSelection {
    .selected(
      subject,
      try failing(action.name) { () throws(ScriptError) in
        try resolveConflicts(selected, of: subject)
      })
  }

  /// Returns the transitions that an action or a timer enables, including those that conflict.
  ///
  /// Throws the refusal if there are none.
  func enabledTransitions(
    by trigger: ChartTrigger, _ action: LoadedAction, of subject: ChartSubject,
    hear: ((Int32, Refusal) -> Void)? = nil
  ) throws(Rejection) -> [ChartInterpreter.TransitionNumber] {
    let machine = subject.machine
    var refusals: [ChartInterpreter.TransitionNumber: Refusal] = [:]
    let selection = try select(trigger, of: subject) { number throws(Rejection) in
      try agrees(number, machine, action, &refusals)
    } tells: {
      saysWhy($0, machine, refusals)
    }
    if let hear {
      for refusal in selection.refusals {
        hear(
          refusal.region,
          refusals[refusal.transition] ?? forbidden(refusal.transition, machine, action))
      }
    }
    if selection.transitions.isEmpty {
      throw .refused(refused(selection.refusals, refusals, machine, action))
    }
    return selection.transitions
  }

  /// Evaluates the guard of a transition, and records its refusal; returns true without a guard.
  func agrees(
    _ number: ChartInterpreter.TransitionNumber, _ machine: LoadedMachine, _ action: LoadedAction,
    _ refusals: inout [ChartInterpreter.TransitionNumber: Refusal]
  ) throws(Rejection) -> Bool {
    let condition = machine.chart.rows[Int(number)].condition
    if dialect.acceptsAnyEvent, let document = flow.document,
      !matches(number, action.name, machine.index, document)
    {
      return false
    }
    if condition < 0 { return true }
    let answer = vm.callRule(machine.reference(condition), name: nil, budget: budget)
    if case .passed = answer { return true }
    refusals[number] = try refusal(answer, of: number, machine, action)
    return false
  }

  /// Returns true if a transition has refused with a reason.
  func saysWhy(
    _ number: ChartInterpreter.TransitionNumber, _ machine: LoadedMachine,
    _ refusals: [ChartInterpreter.TransitionNumber: Refusal]
  ) -> Bool {
    if let refusal = refusals[number] { return refusal.reason != nil }
    return machine.chart.transition(number).refusal != nil
  }

  /// Returns the refusal with each region's last reason, in order and without duplicates.
  ///
  /// If a region postpones the action, its refusal is returned instead.
  func refused(
    _ all: [ChartInterpreter.Refusal], _ said: [ChartInterpreter.TransitionNumber: Refusal],
    _ machine: LoadedMachine,
    _ action: LoadedAction
  ) -> Refusal {
    var reasons: [String] = []
    var known: Set<String> = []
    var first: Refusal?
    for refusal in all {
      let told = said[refusal.transition] ?? forbidden(refusal.transition, machine, action)
      if told.postponedIn != nil { return told }
      if first == nil { first = told }
      if let reason = told.reason, known.insert(reason).inserted { reasons.append(reason) }
    }
    guard let first else { return impossible(action, in: machine) }
    return Refusal(
      action: action.name, rejectedBy: first.rejectedBy,
      reason: reasons.isEmpty ? nil : reasons.joined(separator: "; "), place: first.place)
  }

  private func forbidden(
    _ number: ChartInterpreter.TransitionNumber, _ machine: LoadedMachine, _ action: LoadedAction
  ) -> Refusal {
    let transition = machine.chart.transition(number)
    guard let reason = transition.refusal else {
      return impossible(action, in: machine, refusedBy: transition.source)
    }
    let keys = scratch.selectedRecord.flatMap { record in
      machine.records.flatMap { try? vm.keys(of: record, in: $0.number) }
    }
    return Refusal(
      action: action.name, rejectedBy: .machine(machine.name), reason: reason,
      place: SourcePlace(transition.place) ?? flow.machines[machine.index].place,
      postponedIn: transition.postpones
        ? machine.active(transition.source, keys: keys ?? []) : nil)
  }

  /// Returns the refusal of a transition's guard; throws if the guard failed.
  private func refusal(
    _ answer: RuleAnswer, of number: ChartInterpreter.TransitionNumber, _ machine: LoadedMachine,
    _ action: LoadedAction
  ) throws(Rejection) -> Refusal {
    let place = machine.chart.transition(number).condition.map { machine.functions[Int($0)].place }
    switch answer {
    case .passed, .refused(nil):
      return Refusal(
        action: action.name, rejectedBy: .machine(machine.name), reason: nil,
        place: place ?? flow.machines[machine.index].place)
    case .refused(let reason):
      return Refusal(
        action: action.name, rejectedBy: .machine(machine.name), reason: reason,
        place: place ?? flow.machines[machine.index].place)
    case .nothing:
      let function = machine.chart.transition(number).condition.map { machine.functions[Int($0)] }
      guard let function else { throw .refused(impossible(action, in: machine)) }
      throw .failed(returnedNothing("machine \(machine.name): when", function, action))
    case .raised(let error): throw .failed(scriptFailure(error, action: action.name))
    }
  }
}
