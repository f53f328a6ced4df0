import FlowLanguage
import LuaRuntime
import SCXML
import StateCharts

/// Macrosteps of the sessions of SCXML documents: an event is a dispatch, with one macrostep and one commit.
extension Engine {
  /// Runs the macrostep of a session for the current event, and returns its microsteps.
  func takeMacrostep(_ plan: EnabledTransitions, of action: String) throws -> [Microstep] {
    guard let document = flow.document,
      case .selected(let subject, let transitions)? = plan.selections.first,
      let event = documentRun.event
    else { return [] }
    let machine = subject.machine
    let early = documentRun.early
    documentRun.begin(loadedMachines.count, at: derived.configuration)
    defer { documentRun.isMoving = false }
    let session = machine.index
    vm.spend(DocumentCosts.step)
    documentRun.raised[session] = early
    var moves: [Microstep] = []
    var selected = transitions
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
      selected = try select(event.name, for: action, of: machine, document)
    }
    if !selected.isEmpty { try step(machine, selected, &moves) }
    try complete(machine, document, action, &moves)
    return moves
  }

  /// Completes a macrostep after the transitions of an event, or after the initial states of a session.
  func complete(
    _ machine: LoadedMachine, _ document: FlowDocument, _ action: String,
    _ moves: inout [Microstep]
  ) throws {
    var session = SessionMacrostep(
      engine: self, document: document, machine: machine, action: action, moves: moves)
    defer { moves = session.moves }
    moves = []
    try Macrostep.run(&session)
  }

  /// Throws if only errors in conditions of eventless transitions are queued, which would be raised again without end.
  fileprivate func expectProgress(of session: Int) throws(ScriptError) {
    let raised = documentRun.raised[session]
    guard let first = raised.first, raised.allSatisfy(\.isOfEventless) else { return }
    var error = ScriptError(
      kind: .limit,
      message: "the condition of an eventless transition raises an error whenever it is evaluated, "
        + "endlessly: " + (first.data.stringValue ?? first.name))
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
        "one event causes endless microsteps (\(limits.microsteps) so far), "
        + "the last ones by the transitions of lines "
        + Names.list(last.map(String.init)))
  }

  /// Counts a raised event, and throws at the limit.
  ///
  /// Conditions may raise an error for each error, without any microstep.
  func countRaised(_ event: DocumentEvent) throws(ScriptError) {
    documentRun.raisedCount += 1
    if documentRun.raisedCount <= limits.queue { return }
    throw ScriptError(
      kind: .limit,
      message:
        "one event raises endless events (\(limits.queue) so far, \(event.name) the last)")
  }

  /// Selects the transitions that an event, or no event (nil), enables in a session, without those that conflict.
  package func select(
    _ event: String?, for action: String, of machine: LoadedMachine, _ document: FlowDocument
  ) throws -> [ChartInterpreter.TransitionNumber] {
    let subject = self.session(machine)
    var refusing: ChartInterpreter.TransitionNumber?
    return try resolveConflicts(
      try select(event, for: action, of: subject, document, refusing: &refusing), of: subject)
  }

  /// Returns a session as a subject, in its configuration in the current macrostep.
  private func session(_ machine: LoadedMachine) -> ChartSubject {
    ChartSubject(machine: machine, leafNumbers: Array(documentRun.leafNumbers[machine.regions]))
  }

  func step(
    _ machine: LoadedMachine, _ transitions: [ChartInterpreter.TransitionNumber],
    _ moves: inout [Microstep]
  ) throws {
    let move = try takeMicrostep(of: machine, by: transitions)
    moves += documentRun.removed + [move]
    documentRun.removed = []
  }

  /// Takes transitions in one microstep: exits, content, entries.
  private func takeMicrostep(
    of machine: LoadedMachine, by transitions: [ChartInterpreter.TransitionNumber]
  ) throws -> Microstep {
    let session = machine.index
    vm.spend(DocumentCosts.step)
    let subject = self.session(machine)
    let move = try microstep(of: subject, by: transitions)
    documentRun.active[session] = machine.activeStates(at: subject.leafNumbers)
    try leave(move.left, of: session)
    for transition in transitions {
      if let content = machine.chart.transition(transition).content {
        try runContent(content, of: session)
      }
    }
    try enter(move, of: session)
    documentRun.active[session] = nil
    if self.configuration.hasHistory { remember(move) }
    return move
  }

  package func leave(_ states: [ChartInterpreter.StateNumber], of session: Int) throws {
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

  func enter(_ move: Microstep, of session: Int) throws {
    guard let document = flow.document else { return }
    let defaults = Set(move.defaults)
    let machine = loadedMachines[session]
    let declared = document.documents[session]
    // The configuration is written before the content of states runs, because that may ask for it.
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

  /// Raises the event that the parent of a final state is done, and that of the parallel state around it if it is done
  /// too.
  package func finished(
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
    // The check begins with the last region, which is entered last. In the other order, a thousand regions would be
    // asked a million times.
    let isDone = machine.chart.children(of: around).reversed().allSatisfy {
      isFinal($0, machine, active)
    }
    if isDone {
      documentRun.raised[session].append(
        DocumentEvent(
          name: "done.state.\(machine.chart.chart.states[Int(around)].name)", kind: .internal))
    }
  }

  package func isFinal(
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

  package func doneData(
    _ state: ChartInterpreter.StateNumber, of session: Int, _ declared: Document
  ) throws -> Value {
    guard let function = declared.doneData[state] else { return .nil }
    return try work(function, of: session) ?? .nil
  }

  /// Runs a block of content; an error in it ends the block, and becomes an event.
  package func runContent(_ function: Chart.Function, of session: Int) throws {
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

  /// Raises the event of an error in a block; throws if a limit was reached.
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

  /// Returns the result of a function; nil if it raises an error, which becomes an event.
  package func work(_ function: Chart.Function, of session: Int) throws -> Value? {
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

/// The macrostep of one session of a document.
private struct SessionMacrostep: MacrostepDialect {
  let engine: Engine
  let document: FlowDocument
  let machine: LoadedMachine
  /// The name of the current action.
  let action: String
  var moves: [Microstep]
  /// True if the condition of an eventless transition raised an error since the last microstep, and no transition took
  /// it.
  var isErrorUntaken = false

  private var run: DocumentRun { engine.documentRun }
  private var session: Int { machine.index }

  var hasEnded: Bool { engine.end(of: session, at: run.leafNumbers, document) != nil }

  mutating func end() throws { try engine.finish(session, &moves) }

  mutating func takeEventless() throws -> Bool {
    guard machine.chart.hasEventless else { return false }
    let before = run.raised[session].count
    let transitions = try engine.select(nil, for: action, of: machine, document)
    if !transitions.isEmpty {
      try perform(transitions)
      return true
    }
    for place in run.raised[session].indices.dropFirst(before) {
      run.raised[session][place].isOfEventless = true
    }
    return false
  }

  mutating func takeInternalEvent() throws -> Bool {
    if isErrorUntaken { try engine.expectProgress(of: session) }
    if run.raised[session].isEmpty { return false }
    let event = run.raised[session].removeFirst()
    try engine.countRaised(event)
    try engine.see(event)
    let transitions = try engine.select(event.name, for: action, of: machine, document)
    if !transitions.isEmpty {
      try perform(transitions)
    } else if event.place != nil {
      run.untaken.append(event)
      if event.isOfEventless { isErrorUntaken = true }
    }
    return true
  }

  mutating func invoke() throws -> Bool {
    try engine.invoke(of: machine, &moves)
    return !run.raised[session].isEmpty
  }

  private mutating func perform(_ transitions: [ChartInterpreter.TransitionNumber]) throws {
    try engine.count(machine, moves)
    try engine.step(machine, transitions, &moves)
    isErrorUntaken = false
  }
}
