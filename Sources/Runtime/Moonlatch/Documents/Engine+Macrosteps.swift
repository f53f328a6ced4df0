import LuaRuntime
import SCXML
import StateCharts

/// What a session of an SCXML document does for an event: an event is a dispatch is a macrostep is one transition.
///
/// After appendix D of the recommendation (https://www.w3.org/TR/scxml/#AlgorithmforSCXMLInterpretation). The chart's
/// planner chooses and moves; here its content runs between.
extension Engine {
  /// What a session does for the event under way.
  func takeMacrostep(_ plan: EnabledTransitions, of action: String) throws -> [Microstep] {
    guard let document = flow.document,
      case .chosen(let machine, let transitions)? = plan.courses.first,
      let event = documentRun.event
    else { return [] }
    let early = documentRun.early
    documentRun.begin(loadedMachines.count, at: derived.configuration)
    defer { documentRun.isMoving = false }
    let session = machine.index
    vm.spend(DocumentCosts.step)
    documentRun.raised[session] = early
    var moves: [Microstep] = []
    var chosen = transitions
    if isBeforehand(event, of: session, document) {
      for invoke in document.documents[session].invokes {
        guard isInvoked(invoke, by: session) else { continue }
        if let finalize = invoke.finalize, event.invokeID == id(of: invoke, session) {
          try runContent(finalize, of: session)
        }
        for other in invoke.documents where invoke.forwards && isRunning(other) {
          let data = event.isPayload ? documentRun.payload : event.data
          deliver(
            event.name, data, to: other, sendID: event.sendID ?? "", from: session,
            origin: event.origin, invokeID: event.invokeID, isForwarded: true)
        }
      }
      chosen = try select(CompiledChart.events, of: machine, action) ?? []
    }
    if !chosen.isEmpty { try step(machine, chosen, &moves) }
    try complete(machine, action, &moves)
    return moves
  }

  /// Takes ways without events, then events that were raised, until nothing is left; then what is to be invoked is.
  func complete(
    _ machine: LoadedMachine, _ action: String, _ moves: inout [Microstep]
  ) throws {
    guard let document = flow.document else { return }
    let session = machine.index
    // An error of a condition without an event came up since the last step, and nothing took it.
    var isErrorUntaken = false
    while true {
      if end(of: session, at: documentRun.leafNumbers, document) != nil {
        return try finish(session, &moves)
      }
      let before = documentRun.raised[session].count
      if machine.chart.hasEventless,
        let transitions = try select(CompiledChart.eventless, of: machine, action)
      {
        try count(machine, moves)
        try step(machine, transitions, &moves)
        isErrorUntaken = false
        continue
      }
      for place in documentRun.raised[session].indices.dropFirst(before) {
        documentRun.raised[session][place].isOfEventless = true
      }
      if isErrorUntaken { try expectProgress(of: session) }
      if !documentRun.raised[session].isEmpty {
        let event = documentRun.raised[session].removeFirst()
        try countRaised(event)
        try see(event)
        if let transitions = try select(CompiledChart.events, of: machine, event.name) {
          try count(machine, moves)
          try step(machine, transitions, &moves)
          isErrorUntaken = false
        } else if event.place != nil {
          documentRun.untaken.append(event)
          if event.isOfEventless { isErrorUntaken = true }
        }
        continue
      }
      try invoke(of: machine, &moves)
      if documentRun.raised[session].isEmpty { return }
    }
  }

  /// Throws where nothing waits but errors of conditions that are asked without an event: they raise them again and again.
  private func expectProgress(of session: Int) throws(ScriptError) {
    let raised = documentRun.raised[session]
    guard let first = raised.first, raised.allSatisfy(\.isOfEventless) else { return }
    var error = ScriptError(
      kind: .limit,
      message: "a condition without an event raises an error each time it is asked, without end: "
        + (first.data.stringValue ?? first.name))
    if let place = first.place { error.take(place) }
    throw error
  }

  func count(_ machine: LoadedMachine, _ moves: [Microstep]) throws(ScriptError) {
    documentRun.microsteps += 1
    if documentRun.microsteps <= limits.microsteps { return }
    let last = moves.suffix(4).flatMap(\.transitions).map {
      machine.chart.transition($0).place.line
    }
    throw ScriptError(
      kind: .limit,
      message:
        "one event leads on and on (\(limits.microsteps) microsteps), last by the transitions of lines "
        + Names.list(last.map(String.init)))
  }

  /// Conditions may raise an error for each error, without any step.
  func countRaised(_ event: DocumentEvent) throws(ScriptError) {
    documentRun.raisedCount += 1
    if documentRun.raisedCount <= limits.queue { return }
    throw ScriptError(
      kind: .limit,
      message:
        "one event leads on and on (\(limits.queue) events were raised, \(event.name) the last)")
  }

  /// The ways that a session takes for the event under way, or for none; nil where there are none.
  func select(
    _ action: ChartInterpreter.ActionNumber, of machine: LoadedMachine, _ name: String
  ) throws -> [ChartInterpreter.TransitionNumber]? {
    guard let document = flow.document else { return nil }
    let configuration = Array(documentRun.leafNumbers[machine.regions])
    let kept = withInterpreter(of: machine)
    defer { caches.interpreters[machine.index] = kept }
    let event = action == CompiledChart.events ? documentRun.event?.name : nil
    var failure: Rejection?
    let found = kept.interpreter.select(action, at: configuration) { transition in
      Rejection.note(&failure) { () throws(Rejection) in
        if let event, !matches(transition, event, machine.index, document) { return false }
        return try holds(transition, of: machine, name)
      }
    }
    if let failure { throw failure }
    guard found else { return nil }
    kept.interpreter.filter(at: configuration, remembering: memory(of: machine, kept.interpreter))
    return kept.interpreter.taken
  }

  func step(
    _ machine: LoadedMachine, _ transitions: [ChartInterpreter.TransitionNumber],
    _ moves: inout [Microstep]
  ) throws {
    let move = try microstep(of: machine, transitions)
    moves += documentRun.removed + [move]
    documentRun.removed = []
  }

  /// Exits, content and entries of ways that are taken together.
  func microstep(
    of machine: LoadedMachine, _ transitions: [ChartInterpreter.TransitionNumber]
  ) throws -> Microstep {
    let session = machine.index
    vm.spend(DocumentCosts.step)
    var configuration = Array(documentRun.leafNumbers[machine.regions])
    let kept = withInterpreter(of: machine)
    var memory = self.memory(of: machine, kept.interpreter)
    kept.interpreter.taken = transitions
    kept.interpreter.move(&configuration, remembering: &memory)
    let move = Microstep(machine, after: kept.interpreter, remembering: memory)
    let defaults = kept.interpreter.defaults.isEmpty ? [] : Set(kept.interpreter.defaults)
    caches.interpreters[session] = kept
    documentRun.active[session] = machine.activeStates(
      at: Array(documentRun.leafNumbers[machine.regions]))
    try leave(move.left, of: session)
    for transition in transitions {
      if let content = machine.chart.transition(transition).content {
        try runContent(content, of: session)
      }
    }
    try enter(move, defaults, of: session)
    documentRun.active[session] = nil
    if self.configuration.hasHistory { remember(move) }
    return move
  }

  func leave(_ states: [ChartInterpreter.StateNumber], of session: Int) throws {
    guard let document = flow.document else { return }
    let machine = loadedMachines[session]
    for state in states {
      for block in machine.chart.chart.states[Int(state)].onExit {
        try runContent(block, of: session)
      }
      for invoke in document.documents[session].invokes where invoke.state == state {
        documentRun.started.remove(DocumentRun.Started(session, invoke.state, invoke.number))
        for other in invoke.documents where isRunning(other) { try cancel(session: other) }
      }
      documentRun.active[session]?.remove(state)
    }
  }

  func enter(
    _ move: Microstep, _ defaults: Set<ChartInterpreter.StateNumber>, of session: Int
  ) throws {
    guard let document = flow.document else { return }
    let machine = loadedMachines[session]
    let declared = document.documents[session]
    // Where it stands is written before what its states do runs: that may ask.
    try vm.take(TransactionSteps(TransactionSteps.fields(of: move)), budget: budget)
    move.apply(to: &documentRun.leafNumbers)
    for state in move.entered {
      let listing = machine.chart.chart.states[Int(state)]
      documentRun.active[session]?.insert(state)
      if declared.bindsLate {
        for datum in declared.data where datum.state == state && datum.state > 0 {
          try bindLate(datum, of: session)
        }
      }
      for block in listing.onEnter { try runContent(block, of: session) }
      if defaults.contains(state), let content = listing.initial?.content {
        try runContent(content, of: session)
      }
      for history in defaults where machine.chart.nodes[Int(history)].parent == state {
        let listing = machine.chart.chart.states[Int(history)]
        if case .history = listing.kind, let content = listing.transitions.first?.content {
          try runContent(content, of: session)
        }
      }
      if listing.kind == .final { try finished(state, of: session, declared) }
    }
  }

  func bindLate(_ datum: Document.Datum, of session: Int) throws {
    guard let function = datum.function else { return }
    let isNew = try vm.call(
      vm.preludeFunction("bind_document_value"), [.integer(session), .string(datum.id)],
      phase: .rule, budget: budget)
    if isNew.first == true { try runContent(function, of: session) }
  }

  /// A final state was entered: its parent is done, and so may be the one around.
  func finished(
    _ state: ChartInterpreter.StateNumber, of session: Int, _ declared: Document
  ) throws {
    let machine = loadedMachines[session]
    let parent = machine.chart.nodes[Int(state)].parent
    guard parent > 0 else { return }
    let data = try doneData(state, of: session, declared)
    let name = machine.chart.chart.states[Int(parent)].name
    documentRun.raised[session].append(
      DocumentEvent(name: "done.state.\(name)", kind: .internal, data: data))
    let around = machine.chart.nodes[Int(parent)].parent
    guard around >= 0, machine.chart.nodes[Int(around)].kind == .parallel else { return }
    let active = documentRun.active[session] ?? []
    // The last one is entered last: were it asked last, a thousand regions would be asked a million times.
    let isDone = machine.chart.children(of: around).reversed().allSatisfy {
      isFinal($0, machine, active)
    }
    if isDone {
      documentRun.raised[session].append(
        DocumentEvent(
          name: "done.state.\(machine.chart.chart.states[Int(around)].name)", kind: .internal))
    }
  }

  func isFinal(
    _ state: ChartInterpreter.StateNumber, _ machine: LoadedMachine,
    _ active: Set<ChartInterpreter.StateNumber>
  ) -> Bool {
    switch machine.chart.nodes[Int(state)].kind {
    case .compound:
      machine.chart.children(of: state).contains {
        machine.chart.nodes[Int($0)].kind == .final && active.contains($0)
      }
    case .parallel: machine.chart.children(of: state).allSatisfy { isFinal($0, machine, active) }
    default: false
    }
  }

  func doneData(
    _ state: ChartInterpreter.StateNumber, of session: Int, _ declared: Document
  ) throws -> Value {
    guard let function = declared.doneData[state] else { return .nil }
    return try work(function, of: session) ?? .nil
  }

  /// Runs a block: an error in it ends the block, and is an event.
  func runContent(_ function: Chart.Function, of session: Int) throws {
    let machine = loadedMachines[session]
    do throws(ScriptError) {
      try vm.callReducer(machine.reference(function), budget: budget)
    } catch {
      try raise(error, in: function, of: session)
    }
    do throws(ScriptError) {
      try vm.endBlock()
    } catch {
      try raise(error, in: function, of: session)
    }
  }

  /// Raises the event of an error in a block; throws a limit that was reached.
  private func raise(
    _ error: ScriptError, in function: Chart.Function, of session: Int
  ) throws(ScriptError) {
    guard error.kind == .runtime else { throw error }
    vm.spend(Engine.instructionsPerFailure)
    let event = DocumentEvent.error(
      "execution", error, at: loadedMachines[session].functions[Int(function)].place)
    documentRun.raised[session].append(documentRun.failing ?? event)
    documentRun.failing = nil
  }

  /// What a function works out; nil where it raises an error, which is an event then.
  func work(_ function: Chart.Function, of session: Int) throws -> Value? {
    let machine = loadedMachines[session]
    do throws(ScriptError) {
      return try vm.callOnState(machine.reference(function), budget: budget).first ?? .nil
    } catch {
      guard error.kind == .runtime else { throw error }
      vm.spend(Engine.instructionsPerFailure)
      documentRun.raised[session].append(
        .error("execution", error, at: machine.functions[Int(function)].place))
      return nil
    }
  }
}
