import LuaRuntime
import SCXML
import StateCharts

/// Sessions of SCXML documents: an event is a dispatch is a macrostep is one transition.
///
/// After appendix D of the recommendation (https://www.w3.org/TR/scxml/#AlgorithmforSCXMLInterpretation). The chart's
/// planner chooses and moves; here its content runs between, and what that raises and sends is seen to.
extension Engine {
  // MARK: Does the event pass?

  /// Finds the ways that a session takes for an event.
  ///
  /// An event that `finalize` or `autoforward` uses, or whose conditions raise errors, passes without one.
  func askDocument(
    _ ways: ActionWays, _ action: LoadedAction, _ plan: inout Plan
  ) throws(Rejection) {
    guard let document = flow.document else { return }
    let event = event(named: action.name)
    let number = session(of: event)
    documentRun.event = event
    documentRun.early = []
    documentRun.isMoving = false
    let machine = loadedMachines[number]
    if let end = end(of: number, at: places, document) {
      throw .refused(
        Refusal(
          action: action.name, by: .machine(machine.name),
          reason: end.isEmpty ? "\(machine.name) does not run" : "the chart has ended in \(end)",
          place: flow.machines[number].place))
    }
    if !isBeforehand(event, of: number, document) {
      let kept = takePlanner(of: machine)
      defer { planners[number] = kept }
      var failure: Rejection?
      var refusing: Planner.WayNumber?
      let found = kept.planner.select(CompiledChart.events, at: stops(of: machine)) { way in
        Rejection.note(&failure) { () throws(Rejection) in
          guard matches(way, action.name, number, document) else { return false }
          let holds = try holds(way, of: machine, action.name)
          if !holds { refusing = way }
          return holds
        }
      }
      if let failure { throw failure }
      if found {
        kept.planner.filter(at: stops(of: machine), remembering: memory(of: machine, kept.planner))
        return plan.add(.chosen(machine, kept.planner.taken))
      }
      if documentRun.early.isEmpty {
        throw .refused(refusal(action, of: machine, by: refusing, document))
      }
    }
    plan.add(.chosen(machine, []))
  }

  /// The name of the final state in which a session has ended, the empty text for one that does not run; nil for one
  /// that goes on.
  private func end(
    of session: Int, at stops: [Planner.Stop], _ document: FlowDocument
  ) -> String? {
    let machine = loadedMachines[session]
    let stop = stops[machine.firstRegion]
    guard stop >= 0 else { return "" }
    let state = machine.chart.stopStates[Int(stop)]
    return document.ends[session].contains(state)
      ? machine.chart.chart.states[Int(state)].name : nil
  }

  /// Whether an event is used before ways are looked for: what that does may change which are taken.
  private func isBeforehand(
    _ event: DocumentEvent, of session: Int, _ document: FlowDocument
  ) -> Bool {
    document.documents[session].invokes.contains { invoke in
      guard let other = invoke.document, isInvoked(invoke, by: session) else { return false }
      return (invoke.forwards && isRunning(other))
        || (invoke.finalize != nil && event.invokeID == id(of: invoke, session))
    }
  }

  /// Whether the state is active that invokes something: that may have ended already.
  private func isInvoked(_ invoke: Document.Invoke, by session: Int) -> Bool {
    let stops = documentRun.isMoving ? documentRun.stops : places
    return loadedMachines[session].isActive(invoke.state, at: stops)
  }

  private func isRunning(_ session: Int) -> Bool {
    let stops = documentRun.isMoving ? documentRun.stops : places
    return stops[loadedMachines[session].firstRegion] >= 0
  }

  func matches(
    _ way: Planner.WayNumber, _ event: String, _ session: Int, _ document: FlowDocument
  ) -> Bool {
    document.events[session][Int(way)].contains { $0.matches(event) }
  }

  /// Whether a way's condition holds: one that raises an error does not, and the error is an event.
  private func holds(
    _ way: Planner.WayNumber, of machine: LoadedMachine, _ action: String
  ) throws(Rejection) -> Bool {
    let condition = machine.chart.rows[Int(way)].condition
    if condition < 0 { return true }
    switch vm.callRule(machine.reference(condition), name: nil, budget: budget) {
    case .passed: return true
    case .refused, .nothing: return false
    case .raised(let error):
      guard error.kind == .runtime else { throw .failed(scriptFailure(error, action: action)) }
      let place = machine.functions[Int(condition)].place
      let event = DocumentEvent.error("execution", error, at: place)
      if documentRun.isMoving {
        documentRun.raised[machine.index].append(event)
      } else {
        documentRun.early.append(event)
      }
      return false
    }
  }

  private func refusal(
    _ action: LoadedAction, of machine: LoadedMachine, by way: Planner.WayNumber?,
    _ document: FlowDocument
  ) -> Refusal {
    let number = machine.index
    let stops = places[machine.regions]
    var possible: Set<String> = []
    for stop in stops where stop >= 0 {
      var state = machine.chart.stopStates[Int(stop)]
      while state >= 0 {
        for case .events(let names) in machine.chart.chart.states[Int(state)].ways.map(\.trigger) {
          possible.formUnion(names.filter { flow.indexOfAction[$0] != nil || $0 == "*" })
        }
        state = machine.chart.nodes[Int(state)].parent
      }
    }
    let here = machine.whereabouts(stops)
    let place = way.flatMap { SourcePlace(machine.chart.way($0).place) }
    let named = Value.quoted(action.name, limit: 60)
    var reason = "no way for \(named) in \(here)"
    if way != nil {
      reason = "the condition of \(named) in \(here) does not hold"
    } else if !possible.isEmpty {
      reason += " (possible: \(possible.sorted().joined(separator: ", ")))"
    }
    return Refusal(
      action: action.name, by: .machine(machine.name), reason: reason,
      place: place ?? flow.machines[number].place)
  }

  /// The action under way as an event, with what came along.
  private func event(named name: String) -> DocumentEvent {
    let payload = documentRun.payload
    guard documentRun.isQueued, let fields = payload.recordValue,
      fields.keys.contains(where: { $0.hasPrefix("#") })
    else {
      return DocumentEvent(name: name, isPayload: payload != [:] && !payload.isNil)
    }
    return DocumentEvent(
      name: name, sendID: fields[EventPart.sendID]?.stringValue,
      origin: fields[EventPart.origin]?.stringValue,
      invokeID: fields[EventPart.invokeID]?.stringValue, data: fields[EventPart.data] ?? .nil)
  }

  private func session(of event: DocumentEvent) -> Int {
    guard !event.isPayload, let number = documentRun.payload[EventPart.session]?.integerValue,
      loadedMachines.indices.contains(number)
    else { return 0 }
    return number
  }

  // MARK: The macrostep

  /// What a session does for the event under way.
  func takeMacrostep(_ plan: Plan, of action: String) throws -> [MachineMove] {
    guard let document = flow.document, case .chosen(let machine, let ways)? = plan.courses.first,
      let event = documentRun.event
    else { return [] }
    let early = documentRun.early
    documentRun.begin(loadedMachines.count, at: places)
    defer { documentRun.isMoving = false }
    let session = machine.index
    documentRun.raised[session] = early
    var moves: [MachineMove] = []
    var chosen = ways
    if isBeforehand(event, of: session, document) {
      for invoke in document.documents[session].invokes {
        guard let other = invoke.document, isInvoked(invoke, by: session) else { continue }
        if let finalize = invoke.finalize, event.invokeID == id(of: invoke, session) {
          try runContent(finalize, of: session)
        }
        if invoke.forwards, isRunning(other) {
          let data = event.isPayload ? documentRun.payload : event.data
          deliver(
            event.name, data, to: other, sendID: event.sendID ?? "", from: session,
            origin: event.origin, invokeID: event.invokeID)
        }
      }
      chosen = try select(CompiledChart.events, of: machine, action) ?? []
    }
    if !chosen.isEmpty { try step(machine, chosen, &moves) }
    try complete(machine, action, &moves)
    return moves
  }

  /// The beginning of the document itself.
  func startDocument() throws -> [MachineMove] {
    documentRun.begin(loadedMachines.count, at: places.map { _ in -1 })
    documentRun.event = nil
    defer { documentRun.isMoving = false }
    var moves: [MachineMove] = []
    try start(0, with: [:], &moves)
    return moves
  }

  func takeDocumentStart() throws(Rejection) -> [MachineMove] {
    var moves: [MachineMove] = []
    _ = try transaction(
      for: "the initial state", checksInvariants: false, worksOutKeys: false, startsRecords: false
    ) {
      try vm.setEmptyPayload()
      moves = try startDocument()
    }
    for move in moves { move.apply(to: &places) }
    latestSteps = steps(of: moves)
    return moves
  }

  /// A session begins: its variables, then its first states.
  private func start(
    _ session: Int, with given: [String: Value], _ moves: inout [MachineMove]
  ) throws {
    guard let document = flow.document else { return }
    let (machine, declared) = (loadedMachines[session], document.documents[session])
    let outer = documentRun.event
    documentRun.event = nil
    defer { documentRun.event = outer }
    try vm.call(
      vm.preludeFunction("document_quiet"), [.integer(session), true], phase: .rule, budget: budget)
    if session > 0 {
      try vm.callWriter(vm.preludeFunction("begin_document"), [.integer(session)], budget: budget)
    }
    for datum in declared.data where !declared.bindsLate || datum.state == 0 {
      try bind(datum, of: session, given)
    }
    for script in declared.scripts { try runContent(script, of: session) }
    let kept = takePlanner(of: machine)
    var configuration: [Planner.Stop] = []
    kept.planner.begin(&configuration, remembering: kept.planner.noMemory)
    let move = MachineMove(machine, after: kept.planner)
    let defaults = Set(kept.planner.defaults)
    planners[session] = kept
    documentRun.active[session] = []
    try enter(move, defaults, of: session)
    documentRun.active[session] = nil
    moves.append(move)
    try complete(machine, "the initial state", &moves)
    try vm.call(
      vm.preludeFunction("document_quiet"), [.integer(session), false], phase: .rule, budget: budget
    )
  }

  private func bind(
    _ datum: Document.Datum, of session: Int, _ given: [String: Value]
  ) throws {
    if let value = given[datum.id], datum.state == 0 {
      try vm.callWriter(
        vm.preludeFunction("set_document_value"), [.integer(session), .string(datum.id), value],
        budget: budget)
    } else if let function = datum.function {
      try runContent(function, of: session)
    }
  }

  /// Takes ways without events, then events that were raised, until nothing is left; then what is to be invoked is.
  private func complete(
    _ machine: LoadedMachine, _ action: String, _ moves: inout [MachineMove]
  ) throws {
    guard let document = flow.document else { return }
    let session = machine.index
    while true {
      if end(of: session, at: documentRun.stops, document) != nil {
        return try finish(session, &moves)
      }
      if machine.chart.hasRounds, let ways = try select(CompiledChart.rounds, of: machine, action) {
        try count(machine, moves)
        try step(machine, ways, &moves)
        continue
      }
      if !documentRun.raised[session].isEmpty {
        let event = documentRun.raised[session].removeFirst()
        documentRun.event = event
        if let ways = try select(CompiledChart.events, of: machine, event.name) {
          try count(machine, moves)
          try step(machine, ways, &moves)
        } else if event.place != nil {
          documentRun.untaken.append(event)
        }
        continue
      }
      try invoke(of: machine, &moves)
      if documentRun.raised[session].isEmpty { return }
    }
  }

  private func count(_ machine: LoadedMachine, _ moves: [MachineMove]) throws(ScriptError) {
    documentRun.microsteps += 1
    if documentRun.microsteps <= limits.rounds { return }
    let last = moves.suffix(4).flatMap(\.ways).map { machine.chart.way($0).place.line }
    throw ScriptError(
      kind: .limit,
      message:
        "one event leads on and on (\(limits.rounds) microsteps), last by the transitions of lines "
        + Names.list(last.map(String.init)))
  }

  /// The ways that a session takes for the event under way, or for none; nil where there are none.
  private func select(
    _ action: Planner.ActionNumber, of machine: LoadedMachine, _ name: String
  ) throws -> [Planner.WayNumber]? {
    guard let document = flow.document else { return nil }
    let configuration = Array(documentRun.stops[machine.regions])
    let kept = takePlanner(of: machine)
    defer { planners[machine.index] = kept }
    let event = action == CompiledChart.events ? documentRun.event?.name : nil
    var failure: Rejection?
    let found = kept.planner.select(action, at: configuration) { way in
      Rejection.note(&failure) { () throws(Rejection) in
        if let event, !matches(way, event, machine.index, document) { return false }
        return try holds(way, of: machine, name)
      }
    }
    if let failure { throw failure }
    guard found else { return nil }
    kept.planner.filter(at: configuration, remembering: memory(of: machine, kept.planner))
    return kept.planner.taken
  }

  private func step(
    _ machine: LoadedMachine, _ ways: [Planner.WayNumber], _ moves: inout [MachineMove]
  ) throws {
    let move = try microstep(of: machine, ways)
    moves += documentRun.removed + [move]
    documentRun.removed = []
  }

  /// Exits, content and entries of ways that are taken together.
  private func microstep(
    of machine: LoadedMachine, _ ways: [Planner.WayNumber]
  ) throws -> MachineMove {
    let session = machine.index
    var configuration = Array(documentRun.stops[machine.regions])
    let kept = takePlanner(of: machine)
    var memory = self.memory(of: machine, kept.planner)
    kept.planner.taken = ways
    kept.planner.move(&configuration, remembering: &memory)
    let move = MachineMove(machine, after: kept.planner, remembering: memory)
    let defaults = Set(kept.planner.defaults)
    planners[session] = kept
    let stops = documentRun.stops
    documentRun.active[session] = Set(machine.active(at: Array(stops[machine.regions])))
    try leave(move.left, of: session)
    for way in ways {
      if let content = machine.chart.way(way).content { try runContent(content, of: session) }
    }
    try enter(move, defaults, of: session)
    documentRun.active[session] = nil
    if hasHistory { remember(move) }
    return move
  }

  private func leave(_ states: [Planner.StateNumber], of session: Int) throws {
    guard let document = flow.document else { return }
    let machine = loadedMachines[session]
    for state in states {
      for block in machine.chart.chart.states[Int(state)].onExit {
        try runContent(block, of: session)
      }
      for invoke in document.documents[session].invokes where invoke.state == state {
        documentRun.started.remove(DocumentRun.Started(session, invoke.state, invoke.number))
        if let other = invoke.document, isRunning(other) { try cancel(session: other) }
      }
      documentRun.active[session]?.remove(state)
    }
  }

  private func enter(
    _ move: MachineMove, _ defaults: Set<Planner.StateNumber>, of session: Int
  ) throws {
    guard let document = flow.document else { return }
    let machine = loadedMachines[session]
    let declared = document.documents[session]
    // Where it stands is written before what its states do runs: that may ask.
    try vm.take(TransitionSteps(TransitionSteps.fields(of: move)), budget: budget)
    move.apply(to: &documentRun.stops)
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
        if let content = machine.chart.chart.states[Int(history)].ways.first?.content {
          try runContent(content, of: session)
        }
      }
      if listing.kind == .final { try finished(state, of: session, declared) }
    }
  }

  private func bindLate(_ datum: Document.Datum, of session: Int) throws {
    guard let function = datum.function else { return }
    let isNew = try vm.call(
      vm.preludeFunction("bind_document_value"), [.integer(session), .string(datum.id)],
      phase: .rule, budget: budget)
    if isNew.first == true { try runContent(function, of: session) }
  }

  /// A final state was entered: its parent is done, and so may be the one around.
  private func finished(
    _ state: Planner.StateNumber, of session: Int, _ declared: Document
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
    let isDone = machine.chart.children(of: around).allSatisfy { isFinal($0, machine, active) }
    if isDone {
      documentRun.raised[session].append(
        DocumentEvent(
          name: "done.state.\(machine.chart.chart.states[Int(around)].name)", kind: .internal))
    }
  }

  private func isFinal(
    _ state: Planner.StateNumber, _ machine: LoadedMachine, _ active: Set<Planner.StateNumber>
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

  private func doneData(
    _ state: Planner.StateNumber, of session: Int, _ declared: Document
  ) throws -> Value {
    guard let function = declared.doneData[state] else { return .nil }
    return try work(function, of: session) ?? .nil
  }

  // MARK: Content

  /// Runs a block: an error in it ends the block, and is an event.
  private func runContent(_ function: Chart.Function, of session: Int) throws {
    let machine = loadedMachines[session]
    do throws(ScriptError) {
      try vm.callReducer(machine.reference(function), budget: budget)
    } catch {
      guard error.kind == .runtime else { throw error }
      documentRun.raised[session].append(
        .error("execution", error, at: machine.functions[Int(function)].place))
    }
  }

  /// What a function works out; nil where it raises an error, which is an event then.
  private func work(_ function: Chart.Function, of session: Int) throws -> Value? {
    let machine = loadedMachines[session]
    do throws(ScriptError) {
      return try vm.callOnState(machine.reference(function), budget: budget).first ?? .nil
    } catch {
      guard error.kind == .runtime else { throw error }
      documentRun.raised[session].append(
        .error("execution", error, at: machine.functions[Int(function)].place))
      return nil
    }
  }

  // MARK: Other sessions

  /// What an invocation is called.
  private func id(of invoke: Document.Invoke, _ session: Int) -> String {
    invoke.id
      ?? "\(loadedMachines[session].chart.chart.states[Int(invoke.state)].name).\(invoke.number + 1)"
  }

  /// Starts what the states invoke that were entered and are active still.
  private func invoke(of machine: LoadedMachine, _ moves: inout [MachineMove]) throws {
    guard let document = flow.document, !document.documents[machine.index].invokes.isEmpty else {
      return
    }
    let session = machine.index
    for invoke in document.documents[session].invokes {
      guard machine.isActive(invoke.state, at: documentRun.stops),
        moves.contains(where: { $0.machine.index == session && $0.entered.contains(invoke.state) }),
        !documentRun.started.contains(DocumentRun.Started(session, invoke.state, invoke.number))
      else { continue }
      documentRun.started.insert(DocumentRun.Started(session, invoke.state, invoke.number))
      try begin(invoke, of: session, document, &moves)
    }
  }

  private func begin(
    _ invoke: Document.Invoke, of session: Int, _ document: FlowDocument,
    _ moves: inout [MachineMove]
  ) throws {
    if let location = invoke.idLocation {
      documentRun.idAsked = id(of: invoke, session)
      defer { documentRun.idAsked = nil }
      try runContent(location, of: session)
    }
    guard let other = invoke.document else {
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

  /// A session has come to its end: it leaves all its states, and who invoked it is told.
  private func finish(_ session: Int, _ moves: inout [MachineMove]) throws {
    guard let document = flow.document else { return }
    let machine = loadedMachines[session]
    let stop = documentRun.stops[machine.firstRegion]
    let end = machine.chart.stopStates[Int(stop)]
    let states = Array(machine.active(at: Array(documentRun.stops[machine.regions])).reversed())
    documentRun.active[session] = Set(states)
    try leave(states.filter { $0 > 0 }, of: session)
    documentRun.active[session] = nil
    let data = try doneData(end, of: session, document.documents[session])
    documentRun.untaken += documentRun.raised[session].filter { $0.place != nil }
    documentRun.raised[session] = []
    moves += documentRun.removed
    documentRun.removed = []
    guard let (outer, place) = document.invokers[session] else { return }
    try remove(session, &moves)
    let id = id(of: document.documents[outer].invokes[place], outer)
    deliver(
      "done.invoke.\(id)", data, to: outer, sendID: "", from: session, origin: nil, invokeID: id)
  }

  /// A session is no more: it stands nowhere, and has no variables.
  private func remove(_ session: Int, _ moves: inout [MachineMove]) throws {
    let machine = loadedMachines[session]
    let stops = Array(documentRun.stops[machine.regions])
    let move = MachineMove(machine, from: stops, to: stops.map { _ in -1 }, entered: [])
    try vm.take(TransitionSteps(TransitionSteps.fields(of: move)), budget: budget)
    move.apply(to: &documentRun.stops)
    moves.append(move)
    try vm.callWriter(vm.preludeFunction("end_document"), [.integer(session)], budget: budget)
    documentRun.ended.insert(session)
  }

  /// Who invoked it has left the state that did.
  private func cancel(session: Int) throws {
    let machine = loadedMachines[session]
    let states = Array(machine.active(at: Array(documentRun.stops[machine.regions])).reversed())
    documentRun.active[session] = Set(states)
    try leave(states.filter { $0 > 0 }, of: session)
    documentRun.active[session] = nil
    documentRun.raised[session] = []
    var moves: [MachineMove] = []
    try remove(session, &moves)
    documentRun.removed += moves
  }

  /// Has an event come to a session when the transition stands.
  private func deliver(
    _ name: String, _ data: Value, to session: Int, delay: Double = 0, sendID: String,
    from sender: Int, origin: String?, invokeID: String?
  ) {
    var payload: [String: Value] = [EventPart.data: data]
    if session > 0 { payload[EventPart.session] = .integer(session) }
    if let origin { payload[EventPart.origin] = .string(origin) }
    if let invokeID { payload[EventPart.invokeID] = .string(invokeID) }
    if !sendID.isEmpty { payload[EventPart.sendID] = .string(sendID) }
    payload = payload.filter { !$0.value.isNil }
    if payload.isEmpty { payload[EventPart.session] = .integer(0) }
    documentRun.messages.append(
      DocumentRun.Message(
        name: name, payload: .record(payload), delay: delay, sendID: sendID, session: sender))
  }

  // MARK: What content asks

  /// Answers what the functions of documents ask.
  func answerOfDocument(_ arguments: [Value]) throws -> [Value] {
    guard let document = flow.document, arguments.count >= 2,
      let session = arguments[1].integerValue, loadedMachines.indices.contains(session)
    else { return [] }
    let value = arguments.count > 2 ? arguments[2] : .nil
    switch arguments[0].stringValue {
    case "in": return [.boolean(isIn(value.stringValue ?? "", session))]
    case "event": return [part(value.stringValue ?? "")]
    case "system": return [system(value.stringValue ?? "", session)]
    case "text": return [.string(JSONText.text(value))]
    case "id":
      if let id = documentRun.idAsked { return [.string(id)] }
      return [.string(newID())]
    case "raise":
      documentRun.raised[session].append(
        DocumentEvent(name: value.stringValue ?? "", kind: .internal))
    case "error":
      documentRun.raised[session].append(
        .error("execution", ScriptError(kind: .runtime, message: value.stringValue ?? ""), at: nil))
    case "cancel": cancelSends(value.stringValue ?? value.description, of: session)
    case "send": try send(value, of: session, document)
    default: break
    }
    return []
  }

  private func isIn(_ name: String, _ session: Int) -> Bool {
    let machine = loadedMachines[session]
    guard let state = machine.stateNumbers[name] else { return false }
    if documentRun.isMoving, let active = documentRun.active[session] {
      return active.contains(state)
    }
    return machine.isActive(state, at: documentRun.isMoving ? documentRun.stops : places)
  }

  private func part(_ field: String) -> Value {
    guard let event = documentRun.event else { return .nil }
    let text = { (text: String?) in text.map(Value.string) ?? .nil }
    switch field {
    case "name": return .string(event.name)
    case "type": return .string(event.kind.rawValue)
    case "sendid": return text(event.sendID)
    case "origin": return text(event.origin)
    case "origintype":
      return event.kind == .external ? .string(Engine.scxmlProcessor) : .nil
    case "invokeid": return text(event.invokeID)
    case "data": return event.isPayload ? true : event.data
    default: return .nil
    }
  }

  static let scxmlProcessor = "http://www.w3.org/TR/scxml/#SCXMLEventProcessor"

  private func address(of session: Int) -> String { "#_scxml_\(loadedMachines[session].name)" }

  private func system(_ name: String, _ session: Int) -> Value {
    switch name {
    case "_name": .string(flow.document?.documents[session].name ?? "")
    case "_sessionid": .string(loadedMachines[session].name)
    case "_ioprocessors":
      [
        Engine.scxmlProcessor: ["location": .string(address(of: session))],
        "scxml": ["location": .string(address(of: session))],
      ]
    default: .nil
    }
  }

  private func newID() -> String {
    documentRun.ids += 1
    return "send.\(revision + 1).\(documentRun.ids)"
  }

  private func cancelSends(_ id: String, of session: Int) {
    documentRun.messages.removeAll { $0.sendID == id && $0.session == session && $0.delay > 0 }
    documentRun.cancelled.append((session, id))
  }

  private func send(_ message: Value, of session: Int, _ document: FlowDocument) throws {
    let target = message["target"]?.stringValue ?? ""
    let kind = message["kind"]?.stringValue ?? ""
    let known = ["", "scxml", Engine.scxmlProcessor, "http://www.w3.org/TR/scxml/"]
    let given = message["id"]?.stringValue
    let id = given ?? newID()
    func fail(_ word: String, _ why: String) {
      documentRun.raised[session].append(
        DocumentEvent(
          name: "error.\(word)", kind: .platform, sendID: given, data: .string(why),
          place: flow.machines[session].place))
    }
    guard known.contains(kind) else {
      let isHTTP = kind.hasSuffix("#BasicHTTPEventProcessor") || kind == "basichttp"
      return fail(
        isHTTP ? "communication" : "execution",
        isHTTP ? "there is no BasicHTTP event processor" : "there is no event processor \(kind)")
    }
    guard let name = message["event"]?.stringValue, !name.isEmpty else {
      return fail("execution", "<send> names an event")
    }
    let seconds: Double
    switch message["delay"] {
    case nil, .nil?: seconds = 0
    case .string(let text)?:
      guard let found = Engine.delay(text) else {
        return fail("execution", "delay \(text) is no time: 2s, 500ms")
      }
      seconds = found
    case let value?:
      guard let found = value.doubleValue, found >= 0, found.isFinite else {
        return fail("execution", "delay \(value) is no time: 2s, 500ms")
      }
      seconds = found
    }
    let data = message["data"] ?? .nil
    if target == "#_internal" {
      documentRun.raised[session].append(
        DocumentEvent(name: name, kind: .internal, sendID: given, data: data))
      return
    }
    let receiver: Int
    var invokeID: String?
    switch target {
    case "", address(of: session): receiver = session
    case "#_parent":
      guard let (outer, place) = document.invokers[session] else {
        return fail("communication", "there is no parent")
      }
      receiver = outer
      invokeID = self.id(of: document.documents[outer].invokes[place], outer)
    default:
      let all = document.documents.indices
      if let other = all.first(where: { isRunning($0) && address(of: $0) == target }) {
        receiver = other
      } else if let invoke = document.documents[session].invokes.first(where: {
        "#_" + self.id(of: $0, session) == target
      }), let other = invoke.document, isRunning(other) {
        receiver = other
      } else if target.hasPrefix("#_") {
        return fail("communication", "there is no session \(target)")
      } else {
        return fail("execution", "\(target) is no target of the SCXML event processor")
      }
    }
    try expectRoom(for: data.size, of: name)
    deliver(
      name, data, to: receiver, delay: seconds, sendID: given ?? (message["id"] == nil ? "" : id),
      from: session,
      origin: address(of: session), invokeID: invokeID)
  }

  /// `2s`, `500ms`, `.5s`, in seconds.
  static func delay(_ text: String) -> Double? {
    let text = text.filter { !$0.isWhitespace }
    let units: [(String, Double)] = [
      ("ms", 0.001), ("s", 1), ("m", 60), ("h", 3_600), ("d", 86_400),
    ]
    for (unit, factor) in units where text.hasSuffix(unit) {
      guard let number = Double(text.dropLast(unit.count)), number >= 0, number.isFinite else {
        return nil
      }
      return number * factor
    }
    return nil
  }

  // MARK: When it stands

  /// Sends what sessions have sent, and stops what they have cancelled.
  func sendMessages(_ cause: Cause, isStarting: Bool = false) {
    let run = documentRun
    for (session, id) in run.cancelled {
      ledger.cancelTimers {
        $0.owner == owner(of: session) && $0.action?.payload[EventPart.sendID]?.stringValue == id
      }
    }
    for session in run.ended { ledger.stopTimers(ownedBy: owner(of: session)) }
    for message in run.messages where !(run.ended.contains(message.session) && message.delay > 0) {
      let queued = QueuedAction(name: message.name, payload: message.payload, cause: cause)
      add(
        queued, in: message.delay, owner: message.delay > 0 ? owner(of: message.session) : .nobody)
    }
    if isStarting {
      documentRun.untakenAtStart = run.untaken
      tellOfBeginning()
    } else {
      tell(of: run.untaken)
    }
    documentRun.messages = []
    documentRun.cancelled = []
    documentRun.ended = []
    documentRun.untaken = []
  }

  /// What went wrong before anybody heard of it.
  func tellOfBeginning() {
    let events = documentRun.untakenAtStart
    if !events.isEmpty { tell(of: events) }
  }

  private func tell(of untaken: [DocumentEvent]) {
    for event in untaken {
      report(.untaken(event.name, event.data.stringValue ?? "", event.place))
    }
  }

  private func owner(of session: Int) -> PendingTimer.Owner {
    .during(ActiveState(machine: loadedMachines[session].name, state: ""))
  }
}

extension DocumentEvent {
  static func error(_ word: String, _ error: ScriptError, at place: SourcePlace?) -> DocumentEvent {
    let own = error.line.map { SourcePlace(file: error.chunk ?? place?.file ?? "", line: $0) }
    return DocumentEvent(
      name: "error.\(word)", kind: .platform, data: .string(error.message),
      place: own ?? place ?? SourcePlace(file: "", line: 0))
  }
}

extension TransitionSteps {
  /// The fields of a move alone.
  static func fields(of move: MachineMove) -> [Step] {
    move.changes.compactMap { change in
      move.machine.fields[Int(change.region)].map { field in
        .move(
          field, to: change.to < 0 ? nil : move.machine.values[Int(change.to)],
          region: Int(change.region), of: nil)
      }
    }
  }
}
