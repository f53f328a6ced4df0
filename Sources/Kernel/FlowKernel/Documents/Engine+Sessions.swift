import FlowLanguage
import LuaRuntime
import SCXML
import StateCharts

/// The sessions of SCXML documents: their start, their invocations, and their end.
extension Engine {
  /// Starts the session of the document itself, and returns the microsteps.
  func takeDocumentStart() throws(Rejection) -> [Microstep] {
    var moves: [Microstep] = []
    _ = try transaction(
      for: "the initial state", checksInvariants: false, worksOutKeys: false, startsRecords: false
    ) {
      try vm.setEmptyPayload()
      documentRun.begin(loadedMachines.count, at: derived.configuration)
      defer { documentRun.isMoving = false }
      try start(0, with: [:], &moves)
      try tellWhetherQuiet(false)
    }
    for move in moves { move.apply(to: &derived.configuration) }
    scratch.latestSteps = steps(of: moves)
    return moves
  }

  /// Starts a session: sets its variables, then enters its initial states.
  func start(
    _ session: Int, with given: [String: Value], _ moves: inout [Microstep]
  ) throws {
    guard let document = flow.document else { return }
    let (machine, declared) = (loadedMachines[session], document.documents[session])
    let outer = documentRun.event
    vm.spend(DocumentCosts.session)
    try see(nil)
    if session > 0 {
      try vm.callWriter(vm.preludeFunction("begin_document"), [.integer(session)], budget: budget)
    }
    for datum in declared.data where !declared.bindsLate || datum.state == 0 {
      try bind(datum, of: session, given)
    }
    for script in declared.scripts { try runContent(script, of: session) }
    let move = entry(of: machine).microstep
    documentRun.active[session] = []
    try enter(move, of: session)
    documentRun.active[session] = nil
    moves.append(move)
    try complete(machine, document, "the initial state", &moves)
    try see(outer)
  }

  /// Makes an event visible to conditions and content; nil before a session's first event.
  func see(_ event: DocumentEvent?) throws(ScriptError) {
    documentRun.event = event
    if documentRun.isQuiet != (event == nil) { try tellWhetherQuiet(event == nil) }
  }

  private func tellWhetherQuiet(_ isQuiet: Bool) throws(ScriptError) {
    documentRun.isQuiet = isQuiet
    try vm.call(
      vm.preludeFunction("document_quiet"), [.boolean(isQuiet)], phase: .rule, budget: budget)
  }

  package func bind(
    _ datum: Document.Datum, of session: Int, _ given: [String: Value]
  ) throws {
    if let value = given[datum.id], datum.state == 0 {
      try vm.callWriter(
        vm.preludeFunction("set_document_value"), [.integer(session), .string(datum.id), value],
        budget: budget)
      try vm.endBlock()
    } else if let function = datum.function {
      try runContent(function, of: session)
    }
  }

  /// Returns the id of an invocation.
  package func id(of invoke: Document.Invoke, _ session: Int) -> String {
    invoke.id
      ?? "\(loadedMachines[session].chart.chart.states[Int(invoke.state)].name).\(invoke.number + 1)"
  }

  /// Starts the invocations of the states that were entered and are still active.
  func invoke(of machine: LoadedMachine, _ moves: inout [Microstep]) throws {
    guard let document = flow.document, !document.documents[machine.index].invokes.isEmpty else {
      return
    }
    let session = machine.index
    for invoke in document.documents[session].invokes {
      guard machine.isActive(invoke.state, at: documentRun.leafNumbers),
        moves.contains(where: { $0.machine.index == session && $0.entered.contains(invoke.state) }),
        !documentRun.started.contains(DocumentRun.Started(session, invoke.state, invoke.number))
      else { continue }
      documentRun.started.insert(DocumentRun.Started(session, invoke.state, invoke.number))
      try begin(invoke, of: session, document, &moves)
    }
  }

  func begin(
    _ invoke: Document.Invoke, of session: Int, _ document: FlowDocument,
    _ moves: inout [Microstep]
  ) throws {
    if let location = invoke.idLocation {
      documentRun.idAsked = id(of: invoke, session)
      defer { documentRun.idAsked = nil }
      try runContent(location, of: session)
    }
    var found = invoke.document
    if let choice = invoke.choice {
      guard let source = try work(choice, of: session) else { return }
      found = source.stringValue.flatMap { invoke.choices[$0] }
    }
    guard let other = found else {
      documentRun.raised[session].append(
        DocumentEvent(
          name: invoke.isOfUnknownType ? "error.execution" : "error.communication", kind: .platform,
          data: .string(invoke.obstacle ?? ""), place: SourcePlace(invoke.place)))
      return
    }
    var given: [String: Value] = [:]
    for parameter in invoke.parameters {
      guard let value = try work(parameter.function, of: session) else { return }
      given[parameter.name] = value
    }
    try start(other, with: given, &moves)
  }

  /// Ends a session that has reached a final state: it leaves all its states, and its invoker receives an event.
  func finish(_ session: Int, _ moves: inout [Microstep]) throws {
    guard let document = flow.document else { return }
    let machine = loadedMachines[session]
    let leafNumber = documentRun.leafNumbers[machine.firstRegion]
    let end = machine.chart.leafStates[Int(leafNumber)]
    let states = Array(
      machine.active(at: Array(documentRun.leafNumbers[machine.regions])).reversed())
    documentRun.active[session] = Set(states)
    try leave(states.filter { $0 > 0 }, of: session)
    documentRun.active[session] = nil
    let data = try doneData(end, of: session, document.documents[session])
    documentRun.untaken += documentRun.raised[session].filter { $0.place != nil }
    documentRun.raised[session] = []
    moves += documentRun.removed
    documentRun.removed = []
    documentRun.end(session, at: address(of: session))
    guard let (outer, place) = document.invokers[session] else { return }
    try remove(session, &moves)
    let id = id(of: document.documents[outer].invokes[place], outer)
    deliver(
      "done.invoke.\(id)", data, to: outer, sendID: "", from: session, origin: nil, invokeID: id)
  }

  /// Removes a session, which then has no active states and no variables.
  func remove(_ session: Int, _ moves: inout [Microstep]) throws {
    let machine = loadedMachines[session]
    vm.spend(DocumentCosts.session)
    let leafNumbers = Array(documentRun.leafNumbers[machine.regions])
    let move = Microstep(machine, from: leafNumbers, to: leafNumbers.map { _ in -1 }, entered: [])
    try vm.take(TransactionSteps(TransactionSteps.fields(of: move)), budget: budget)
    move.apply(to: &documentRun.leafNumbers)
    moves.append(move)
    try vm.callWriter(vm.preludeFunction("end_document"), [.integer(session)], budget: budget)
  }

  /// Cancels a session because its invoker has left the state that invoked it.
  package func cancel(session: Int) throws {
    let machine = loadedMachines[session]
    let states = Array(
      machine.active(at: Array(documentRun.leafNumbers[machine.regions])).reversed())
    documentRun.active[session] = Set(states)
    try leave(states.filter { $0 > 0 }, of: session)
    documentRun.active[session] = nil
    documentRun.raised[session] = []
    documentRun.end(
      session, at: address(of: session), cancelledBy: flow.document?.invokers[session]?.document)
    var moves: [Microstep] = []
    try remove(session, &moves)
    documentRun.removed += moves
  }
}
