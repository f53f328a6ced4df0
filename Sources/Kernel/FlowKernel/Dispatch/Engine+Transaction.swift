import FlowLanguage
import LuaRuntime
import StateCharts

/// All or nothing: the one way in which the state's tree is written to, whoever asks for it: an action,
/// a scenario's `given`, going along the history, a reload.
extension Engine {
  /// What the timers of the states that were entered are to do.
  package typealias Delays = [StateDelay]

  /// What stands once a transaction is through.
  struct TransactionResult {
    /// Encoded, and valid until the next transaction begins.
    package let patch: UnsafeRawBufferPointer
    package let delays: Delays?
  }

  /// Carries a change of the state out, if invariants and keys agree with what it leads to.
  ///
  /// If anything throws, the tree and the case's state are as they were. Nothing that follows on a transaction can fail:
  /// all that might is worked out here, on the state that is to be.
  ///
  /// - Parameters:
  ///   - action: whom a failure names.
  ///   - place: where an error is that has no place of its own.
  ///   - checksInvariants: false for a state that has stood before.
  ///   - worksOutKeys: false for a state at which nobody looks.
  ///   - startsRecords: false where the machines of records that come with the change have stood before.
  ///   - eventless: has the machines go on from there.
  ///   - delays: works out the timers of the states that the change enters.
  @inline(__always)
  func transaction(
    for action: String, at place: @autoclosure () -> SourcePlace? = nil,
    checksInvariants: Bool = true, worksOutKeys: Bool = true, startsRecords: Bool = true,
    _ change: () throws -> Void, eventless: () throws -> Void = {},
    delays: () throws(ScriptError) -> Delays? = { () throws(ScriptError) in nil }
  ) throws(Rejection) -> TransactionResult {
    let savepoint = caseState.savepoint
    vm.begin()
    do {
      try change()
      try vm.adopt()
      if !recordMachines.isEmpty {
        scratch.recordNotes = RecordChanges()
        if startsRecords { try noteRecords() } else { vm.dropRecordNotes() }
      }
      try eventless()
      let delays = try delays()
      if checksInvariants, instrumentation == nil || caseState.queue.hasRun,
        !flow.invariants.isEmpty,
        let failure = brokenInvariant(action: action)
      {
        throw Rejection.failed(failure)
      }
      let keys = worksOutKeys && flow.scopes.count > 1 ? try workOutKeys() : nil
      let patch = try vm.endTransaction()
      if let keys { take(keys) }
      return TransactionResult(patch: patch, delays: delays)
    } catch {
      throw takeBack(savepoint, error, action, place())
    }
  }

  private func takeBack(
    _ savepoint: CaseState.Savepoint, _ error: any Error, _ action: String, _ place: SourcePlace?
  ) -> Rejection {
    vm.rollback()
    caseState.rollback(to: savepoint)
    if configuration.hasHistory { readMemories() }
    if let rejection = error as? Rejection { return rejection }
    var script = error as? ScriptError ?? ScriptError(kind: .runtime, message: "\(error)")
    if let place { script.take(place) }
    return .failed(scriptFailure(script, action: action))
  }

  // MARK: Invariants

  func brokenInvariant(action: String) -> DispatchFailure? {
    var numbers = flow.invariantNumbers
    while let number = vm.firstStaleReader(in: numbers) {
      numbers = number + 1..<numbers.upperBound
      if let failure = failure(
        of: Int(number - flow.invariantNumbers.lowerBound), action: action)
      {
        return failure
      }
    }
    return nil
  }

  /// Asks the invariant of that number.
  package func failure(of number: Int, action: String) -> DispatchFailure? {
    let function = flow.invariants[number].function
    let title = Names.dotted("invariant", function.name)
    let broken: String
    switch vm.checkInvariant(flow.invariants[number].number, budget: budget) {
    case .passed: return nil
    case .refused(let reason):
      broken = "\(title) does not hold" + (reason.map { ": \($0)" } ?? "")
    case .nothing: broken = "\(title) returned nothing; end it with \"return\" and a condition"
    case .raised(let error): return scriptFailure(error, action: action)
    }
    return DispatchFailure(
      kind: .invariant, action: action, message: broken,
      script: ScriptError(.runtime, broken, at: function.place),
      patch: (try? vm.patch()).map { Patch(bytes: $0, secrets: flow.secrets) })
  }

  // MARK: Delays

  /// What is due some time after the states were entered that moves have entered, and not left again, and
  /// those of records that have come.
  ///
  /// A delay that is a function of `s` is worked out when the transition ends. Nil where there is none.
  func workOutDelays(
    entering moves: [Microstep]
  ) throws(ScriptError) -> Delays? {
    let notes = scratch.recordNotes.all
    var delays: Delays?
    if moves.contains(where: \.machine.lasts) {
      try workOutDelays(entering: moves, besides: notes, &delays)
    }
    for note in notes {
      // One that has come begins for itself.
      guard let coming = try find(coming: note) else { continue }
      try workOutDelays(
        of: coming.states, in: coming.machine, record: coming.record, keys: coming.keys, &delays)
    }
    if let delays { try requireReserve(forTimers: delays.count) }
    return delays
  }

  private func workOutDelays(
    entering moves: [Microstep], besides notes: [LuaVM.RecordNote], _ delays: inout Delays?
  ) throws(ScriptError) {
    let come = notes.isEmpty ? [] : recordsThatCame(notes)
    if Microstep.areApart(moves) {
      for move in moves {
        guard let keys = try keys(ofLasting: move, besides: come) else { continue }
        try workOutDelays(
          of: move.entered, in: move.machine, record: move.record, keys: keys, &delays)
        try workOutRestarts(by: move, ofAllBut: Set(move.left), keys: keys, &delays)
      }
    } else {
      var keys: [[Value]?] = []
      for move in moves { keys.append(try self.keys(ofLasting: move, besides: come)) }
      let entered = Microstep.stillEntered(by: moves, of: keys)
      for (index, move) in moves.enumerated() {
        guard let keys = keys[index] else { continue }
        try workOutDelays(
          of: entered[index], in: move.machine, record: move.record, keys: keys, &delays)
        let later = moves[index...].filter {
          $0.machine === move.machine && $0.record == move.record
        }
        try workOutRestarts(by: move, ofAllBut: Set(later.flatMap(\.left)), keys: keys, &delays)
      }
    }
  }

  private func recordsThatCame(_ notes: [LuaVM.RecordNote]) -> Set<Microstep.MachineID> {
    Set(
      notes.compactMap {
        guard case .came(let number, let keys) = $0, let machine = recordMachines[number] else {
          return nil
        }
        return Microstep.MachineID(machine: machine.index, keys: keys)
      })
  }

  /// The keys of the record that a move is of, none for one of the state; nil where nothing lasts in its
  /// states, the record stands no more, or it has come and begins for itself.
  private func keys(
    ofLasting move: Microstep, besides come: Set<Microstep.MachineID>
  ) throws(ScriptError) -> [Value]? {
    guard move.machine.lasts else { return nil }
    guard let records = move.machine.records else { return [] }
    guard let keys = try vm.keys(of: move.record, in: records.number) else { return nil }
    let isNew =
      !come.isEmpty && come.contains(Microstep.MachineID(machine: move.machine.index, keys: keys))
    return isNew ? nil : keys
  }

  func workOutDelays(
    of states: [ChartInterpreter.StateNumber], in machine: LoadedMachine, record: UInt32 = 0,
    keys: [Value] = [], _ delays: inout Delays?
  ) throws(ScriptError) {
    if let records = machine.records { try vm.focus(on: record, of: records.number) }
    defer { if machine.records != nil { vm.unfocus() } }
    for state in states where machine.chart.nodes[Int(state)].hasTimers {
      if delays == nil { delays = [] }
      for (number, timer) in machine.chart.chart.states[Int(state)].timers.enumerated() {
        let worked = try delay(of: timer, number, of: state, in: machine, keys: keys)
        if worked.microseconds != nil { delays?.append(worked) }
      }
    }
  }

  /// The delays of timers that transitions restart, of states that stay active.
  private func workOutRestarts(
    by move: Microstep, ofAllBut left: Set<ChartInterpreter.StateNumber>, keys: [Value],
    _ delays: inout Delays?
  ) throws(ScriptError) {
    guard move.restarts else { return }
    let machine = move.machine
    if let records = machine.records { try vm.focus(on: move.record, of: records.number) }
    defer { if machine.records != nil { vm.unfocus() } }
    for number in move.transitions {
      let transition = machine.chart.transition(number)
      guard let restarts = transition.restarts, !left.contains(transition.source) else { continue }
      let timers = machine.chart.chart.states[Int(transition.source)].timers
      for (number, timer) in timers.enumerated() where restarts.contains(timer.due) {
        var worked = try delay(of: timer, number, of: transition.source, in: machine, keys: keys)
        worked.isRestart = true
        if delays == nil { delays = [] }
        delays?.append(worked)
      }
    }
  }

  /// What a function of the flow works out from the state and the payload; what is wrong with that has the
  /// function's place, where it has none of its own.
  func workOut(_ function: FlowFunction) throws(ScriptError) -> Value {
    do throws(ScriptError) {
      return try vm.callOnState(function.reference, budget: budget).first ?? .nil
    } catch {
      var error = error
      error.take(function.place)
      throw error
    }
  }

  /// Which function has left something as it is, where that is asked: the third argument is its reference.
  package func ending(_ arguments: [Value]) -> String {
    guard arguments.count > 2, let number = arguments[2].integerValue else { return "" }
    let reference = LuaReference(number: number)
    let action = flow.actions.first { $0.reducer?.reference == reference }
    guard let action else { return " when the function ended that changed it here" }
    return " when \(Names.dotted("reduce", action.name)) ended"
  }
}
