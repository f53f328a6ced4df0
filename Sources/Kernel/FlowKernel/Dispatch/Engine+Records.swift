import LuaRuntime
import StateCharts

/// Step 3 for the machines of records: which records an action concerns, and which transitions they take.
extension Engine {
  func askRecords(
    _ transitions: TransitionTable, _ action: LoadedAction,
    inside state: ChartInterpreter.StateNumber,
    _ plan: inout EnabledTransitions
  ) throws(Rejection) {
    guard let selection = transitions.selection else { return }
    guard let records = transitions.machine.records else { return }
    let found = try select(selection, for: action)
    if let missing = found.missing, !records.passesWithout(action.name) {
      throw .refused(
        refusal("there is no \(missing)", action, by: transitions.machine))
    }
    var selections: [EnabledTransitions.TransitionSelection] = []
    for number in found.first..<found.first + UInt32(found.count) {
      let leafNumbers = try leafNumbers(of: number, in: transitions.machine, action)
      guard isOffered(transitions, at: leafNumbers) else {
        if !selection.namesEach { continue }
        throw .refused(try impossible(action, transitions.machine, records, number, leafNumbers))
      }
      let subject = ChartSubject(
        machine: transitions.machine, record: number, leafNumbers: leafNumbers)
      selections.append(
        try asking(subject, records, action, namesEach: selection.namesEach) {
          () throws(Rejection) in
          try select(transitions, action, of: subject, inside: state)
        })
    }
    if selections.isEmpty, !selection.namesEach {
      throw .refused(noneTakes(action, transitions.machine, records, count: found.count))
    }
    plan.add(selections)
  }

  /// Returns the microstep of the only record that the action names, if it is prepared.
  ///
  /// Returns nil if the records, or the error, have to be found in the general way.
  func chooseForNamed(
    _ transitions: TransitionTable, _ action: LoadedAction
  ) throws(Rejection) -> Unmanaged<PreparedMicrostep>? {
    guard let selector = transitions.onlySelector, let leafNumber = vm.selectNamed(selector) else {
      return nil
    }
    defer { vm.unfocus() }
    if transitions.numbers(from: leafNumber).isEmpty {
      vm.forgetSelected()
      return nil
    }
    scratch.selectedRecord = 1
    defer { scratch.selectedRecord = nil }
    return try choose(transitions, action, from: leafNumber)
  }

  private func select(
    _ selection: RecordSelection, for action: LoadedAction
  ) throws(Rejection) -> LuaVM.Selection {
    try failing(action.name) { () throws(ScriptError) in
      try vm.selectRecords(selection.selector)
    }
  }

  /// Returns the configuration of a selected record's machine.
  private func leafNumbers(
    of record: UInt32, in machine: LoadedMachine, _ action: LoadedAction
  ) throws(Rejection) -> [ChartInterpreter.LeafNumber] {
    try failing(action.name) { () throws(ScriptError) in try leafNumbers(of: record, in: machine) }
  }

  package func leafNumbers(of record: UInt32, in machine: LoadedMachine) throws(ScriptError)
    -> [ChartInterpreter.LeafNumber]
  {
    guard let records = machine.records else { return [] }
    var leafNumbers = try vm.leafNumbers(
      of: record, in: records.number, regions: machine.fields.count)
    for region in leafNumbers.indices where machine.fields[region] == nil {
      leafNumbers[region] = Int32(machine.beginning[region])  // its leaf never changes
    }
    if leafNumbers.contains(where: { $0 < -1 }) {
      let keys = try vm.keys(of: record, in: records.number) ?? []
      throw ScriptError(
        kind: .runtime,
        message:
          "\(records.title(keys)): the value of its field is not a state of machine \(machine.name)"
      )
    }
    return leafNumbers.map { ChartInterpreter.LeafNumber($0) }
  }

  private func isOffered(
    _ transitions: TransitionTable, at leafNumbers: [ChartInterpreter.LeafNumber]
  ) -> Bool {
    leafNumbers.contains {
      $0 >= 0 && !transitions.machine.chart.candidates(transitions.action, at: $0).isEmpty
    }
  }

  /// Asks the machine of one record; conditions get the record and its keys.
  private func asking<Answer>(
    _ subject: ChartSubject, _ records: LoadedRecords, _ action: LoadedAction,
    namesEach: Bool, _ ask: () throws(Rejection) -> Answer
  ) throws(Rejection) -> Answer {
    try failing(action.name) { () throws(ScriptError) in
      try vm.focus(on: subject.record, of: records.number)
    }
    scratch.selectedRecord = subject.record
    defer {
      scratch.selectedRecord = nil
      vm.unfocus()
    }
    do throws(Rejection) {
      return try ask()
    } catch {
      guard case .refused(let said) = error, !namesEach, said.postponedIn == nil else {
        throw error
      }
      let title = try title(of: subject.record, in: records, action)
      let reason = said.reason.flatMap {
        $0.hasPrefix("\(action.name) is not possible in") ? nil : $0
      }
      throw .refused(
        Refusal(
          action: action.name, rejectedBy: said.rejectedBy,
          reason: "\(action.name) is not possible for \(title)" + (reason.map { ": \($0)" } ?? ""),
          place: said.place))
    }
  }

  private func title(
    of record: UInt32, in records: LoadedRecords, _ action: LoadedAction
  ) throws(Rejection) -> String {
    try failing(action.name) { () throws(ScriptError) in
      records.title(try vm.keys(of: record, in: records.number) ?? [])
    }
  }

  // MARK: Refusals

  private func refusal(
    _ reason: String, _ action: LoadedAction, by machine: LoadedMachine
  ) -> Refusal {
    Refusal(
      action: action.name, rejectedBy: .machine(machine.name), reason: reason,
      place: flow.machines[machine.index].place)
  }

  private func possible(_ action: LoadedAction, in machine: LoadedMachine) -> String {
    let states = machine.statesTaking(action.name)
    return states.isEmpty ? "" : " (possible in: \(states.joined(separator: ", ")))"
  }

  private func impossible(
    _ action: LoadedAction, _ machine: LoadedMachine, _ records: LoadedRecords, _ record: UInt32,
    _ leafNumbers: [ChartInterpreter.LeafNumber]
  ) throws(Rejection) -> Refusal {
    refusal(
      "\(action.name) is not possible for \(try title(of: record, in: records, action)) in "
        + machine.whereabouts(leafNumbers[...]) + possible(action, in: machine), action, by: machine
    )
  }

  private func noneTakes(
    _ action: LoadedAction, _ machine: LoadedMachine, _ records: LoadedRecords, count: Int
  ) -> Refusal {
    refusal(
      count == 0
        ? "\(action.name) concerns all records of \(records.path), and there are none"
        : "\(action.name) is not possible for any of \(records.path)"
          + possible(action, in: machine), action, by: machine)
  }

  /// Asks the machine of the record with these keys alone.
  func askRecord(
    _ keys: [Value], of machine: LoadedMachine, by trigger: ChartTrigger, _ action: LoadedAction,
    _ plan: inout EnabledTransitions
  ) throws(Rejection) {
    guard let records = machine.records else { return }
    vm.forgetSelected()
    let number = try failing(action.name) { () throws(ScriptError) in
      try vm.selectRecord(of: records.number, keys: keys)
    }
    guard let number else {
      throw .refused(refusal("there is no \(records.title(keys))", action, by: machine))
    }
    let subject = ChartSubject(
      machine: machine, record: number,
      leafNumbers: try leafNumbers(of: number, in: machine, action))
    let transitions = try asking(subject, records, action, namesEach: true) {
      () throws(Rejection) in try enabledTransitions(by: trigger, action, of: subject)
    }
    plan.add(.selected(subject, transitions))
  }

  // MARK: The transition

  /// Returns the keys of a microstep's record, which are empty for a machine of the state; nil if the record is gone.
  func keys(of move: Microstep) -> [Value]? {
    guard let records = move.machine.records else { return [] }
    return try? vm.keys(of: move.record, in: records.number)
  }

  /// Collects the changes of records since the last call in this transaction, and updates their history values.
  package func noteRecords() throws(ScriptError) {
    let notes = try vm.takeRecordNotes()
    if notes.isEmpty { return }
    if configuration.hasHistory { remember(notes) }
    scratch.recordNotes.add(notes)
  }

  /// Returns a newly added record, and the states that are active in it, in the order of entry.
  ///
  /// Returns nil for any other note, and for a machine without timers, postponed actions and effects.
  package func find(
    coming note: LuaVM.RecordNote
  ) throws(ScriptError) -> (
    machine: LoadedMachine, record: UInt32, keys: [Value], states: [ChartInterpreter.StateNumber]
  )? {
    guard case .came(let number, let keys) = note, let machine = recordMachines[number],
      machine.lasts, let record = try vm.selectRecord(of: number, keys: keys)
    else { return nil }
    let leafNumbers = try leafNumbers(of: record, in: machine)
    let states =
      leafNumbers == machine.beginning ? machine.entered : machine.active(at: leafNumbers)
    return (machine, record, keys, states)
  }

  /// Stops the timers and effects of records that are gone, and transfers those of records under new keys.
  func standRecords() {
    if let instrumentation {
      instrumentation.recordRead(of: .timers)
      instrumentation.recordRead(of: .effects)
    }
    if caseState.timers.isEmpty, caseState.queue.isEmpty, caseState.stateEffectTriggers.isEmpty,
      caseState.refusedTimers.isEmpty
    {
      return
    }
    var renamed: [ActiveState: ActiveState] = [:]
    for note in scratch.recordNotes.all {
      switch note {
      case .came: continue
      case .went(let number, let keys):
        for state in lastingStates(of: number, keys) { stop(whatLastsIn: state) }
      case .moved(let number, let from, let to):
        for state in lastingStates(of: number, from) {
          renamed[state] = ActiveState(machine: state.machine, state: state.state, keys: to)
        }
      }
    }
    if !renamed.isEmpty { rename(renamed) }
  }

  private func lastingStates(of number: Int32, _ keys: [Value]) -> [ActiveState] {
    guard let machine = recordMachines[number] else { return [] }
    return machine.stateEffectTriggers.values.sorted().map { machine.active($0, keys: keys) }
  }

  private func stop(whatLastsIn state: ActiveState) {
    release(postponedIn: state)
    stopTimers(of: state)
    stopEffect(of: state, because: "its record was removed")
  }

  /// Transfers timers, postponed actions and effects of states to the states of the same records under new keys.
  package func rename(_ states: [ActiveState: ActiveState]) {
    caseState.rename(states) { timer, new in
      guard let action = timer.action, action.transition == nil,
        let payload = find(new)?.machine.records?.payload(new.keys)
      else { return timer.action }
      return switch timer.owner {
      case .state: action.with(payload: payload)
      case .postponed: action.with(payload: action.payload.replacing(fieldsOf: payload))
      case .stateEffect, .instance, .effect, .nobody: action
      }
    }
    caseState.queue.rename(states)
    for (effect, state) in effects.rename(states) { caseState.effects[effect]?.state = state }
    if let source = scratch.source, let new = states[source] { scratch.source = new }
  }
}

extension Value {
  /// Returns this record with the values of another one, for the fields that both have.
  fileprivate func replacing(fieldsOf other: Value) -> Value {
    guard case .record(let fields) = self, case .record(let others) = other else { return self }
    return .record(fields.merging(others.filter { fields[$0.key] != nil }) { $1 })
  }
}
