import FlowLanguage
import LuaRuntime
import StateCharts

/// The transaction: the only way in which the state's tree is written.
///
/// An action, a scenario's `given`, a move along the history and a reload all use it.
extension Engine {
  /// The delays of the timers of states that were entered.
  package typealias Delays = [StateDelay]

  /// The result of a transaction that is through.
  struct TransactionResult {
    /// The encoded patch, valid until the next transaction begins.
    package let patch: UnsafeRawBufferPointer
    package let delays: Delays?
  }

  /// Carries out a change of the state, if invariants and keys agree with the new state.
  ///
  /// If anything throws, the tree and the case's state are rolled back. Nothing that follows a transaction can fail:
  /// all that might fail is computed here, on the new state.
  ///
  /// - Parameters:
  ///   - action: the name that a failure has.
  ///   - place: the place of an error that has none of its own.
  ///   - checksInvariants: false for a state that has been the current one before.
  ///   - worksOutKeys: false for a state that nobody observes.
  ///   - startsRecords: false if the machines of records that the change adds have been started before.
  ///   - change: writes to the state.
  ///   - eventless: takes the eventless microsteps that follow.
  ///   - delays: computes the delays of the timers of states that the change enters.
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

  /// Evaluates the invariant with this number; returns nil if it holds.
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
      writes: (try? vm.patch()).map { Patch(bytes: $0, secrets: flow.secrets) })
  }

  // MARK: Delays

  /// Computes the delays of the timers of states that microsteps entered and did not leave again, and of added records.
  ///
  /// A delay that is a function of `s` is evaluated at the end of the transition. Returns nil if there are no timers.
  func workOutDelays(
    entering moves: [Microstep]
  ) throws(ScriptError) -> Delays? {
    let notes = scratch.recordNotes.all
    var delays: Delays?
    if moves.contains(where: \.machine.lasts) {
      try workOutDelays(entering: moves, besides: notes, &delays)
    }
    for note in notes {
      // A newly added record starts its own timers.
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

  /// Returns the keys of a microstep's record, which are empty for a machine of the state.
  ///
  /// Returns nil if its states have no timers, postponed actions or effects, if the record is gone, or if the record
  /// was newly added and starts its own timers.
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

  /// Computes the delays of timers that transitions restart, of states that stay active.
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

  /// Returns the result of a function of the flow for the state and the payload.
  ///
  /// An error without a place gets the place of the function.
  func workOut(_ function: FlowFunction) throws(ScriptError) -> Value {
    do throws(ScriptError) {
      return try vm.callOnState(function.reference, budget: budget).first ?? .nil
    } catch {
      var error = error
      error.take(function.place)
      throw error
    }
  }

  /// Returns the part of a message that names the function at whose end a value does not fit.
  ///
  /// The third argument is the reference of that function; the text is empty without it.
  package func ending(_ arguments: [Value]) -> String {
    guard arguments.count > 2, let number = arguments[2].integerValue else { return "" }
    let reference = LuaReference(number: number)
    let action = flow.actions.first { $0.reducer?.reference == reference }
    guard let action else { return " when the function that changed it here ended" }
    return " when \(Names.dotted("reduce", action.name)) ended"
  }
}
