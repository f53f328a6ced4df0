import FlowLanguage
import LuaRuntime
import SCXML
import StateCharts

/// The admission of events by sessions of SCXML documents, which take them by transitions or use them beforehand.
extension Engine {
  /// Selects the transitions that a session takes for an event.
  ///
  /// An event that `finalize` or `autoforward` uses passes without one. So does an event whose conditions raise an
  /// error that a transition takes.
  func askDocument(
    _ transitions: TransitionTable, _ action: LoadedAction, _ plan: inout EnabledTransitions
  ) throws(Rejection) {
    guard let document = flow.document else { return }
    let event = event(named: action.name)
    let number = session(of: event)
    try show(event)
    documentRun.early = []
    documentRun.isMoving = false
    let machine = loadedMachines[number]
    if let end = end(of: number, at: derived.configuration, document) {
      throw .refused(
        Refusal(
          action: action.name, rejectedBy: .machine(machine.name),
          reason: end.isEmpty ? "\(machine.name) is not running" : "the chart has ended in \(end)",
          place: flow.machines[number].place))
    }
    let subject = subject(machine)
    if !isBeforehand(event, of: number, document) {
      var refusing: ChartInterpreter.TransitionNumber?
      let selected = try select(
        action.name, for: action.name, of: subject, document, refusing: &refusing)
      if !selected.isEmpty {
        let transitions = try failing(action.name) { () throws(ScriptError) in
          try resolveConflicts(selected, of: subject)
        }
        return plan.add(.selected(subject, transitions))
      }
      let errors = documentRun.early
      var (isTaken, other) = (false, refusing)
      for error in errors where !isTaken {
        try show(error)
        isTaken = try !select(
          error.name, for: action.name, of: subject, document, refusing: &other
        ).isEmpty
      }
      guard isTaken else {
        throw .refused(
          refusal(action, of: machine, by: refusing, document, because: errors.first))
      }
      documentRun.early = errors
      try show(event)
    }
    plan.add(.selected(subject, []))
  }

  /// Makes an event visible to conditions.
  private func show(_ event: DocumentEvent) throws(Rejection) {
    do { try see(event) } catch {
      throw .failed(scriptFailure(error, action: event.name))
    }
  }

  /// Selects the transitions that an event, or no event (nil), enables in a session, including those that conflict.
  ///
  /// - Parameters:
  ///   - action: the current action, which an error fails.
  ///   - refusing: is set to the last transition whose condition does not hold.
  func select(
    _ event: String?, for action: String, of subject: ChartSubject, _ document: FlowDocument,
    refusing: inout ChartInterpreter.TransitionNumber?
  ) throws(Rejection) -> [ChartInterpreter.TransitionNumber] {
    let machine = subject.machine
    return try select(event == nil ? .eventless : .event, of: subject) {
      transition throws(Rejection) in
      if let event, !matches(transition, event, machine.index, document) { return false }
      let holds = try holds(transition, of: machine, action)
      if !holds { refusing = transition }
      return holds
    }.transitions
  }

  /// Returns the name of the final state in which a session has ended; nil for a session that is running.
  ///
  /// It is the empty text for a session that has not been started.
  package func end(
    of session: Int, at leafNumbers: [ChartInterpreter.LeafNumber], _ document: FlowDocument
  ) -> String? {
    let machine = loadedMachines[session]
    let leafNumber = leafNumbers[machine.firstRegion]
    guard leafNumber >= 0 else { return "" }
    let state = machine.chart.leafStates[Int(leafNumber)]
    return document.isEnd(Int(state), of: session)
      ? machine.chart.chart.states[Int(state)].name : nil
  }

  /// Returns true if `finalize` or `autoforward` uses an event before transitions are selected.
  ///
  /// Either may change which transitions are enabled.
  func isBeforehand(
    _ event: DocumentEvent, of session: Int, _ document: FlowDocument
  ) -> Bool {
    document.documents[session].invokes.contains { invoke in
      let others = invoke.documents
      guard !others.isEmpty, isInvoked(invoke, by: session) else { return false }
      return (invoke.forwards && others.contains { isRunning($0) })
        || (invoke.finalize != nil && event.invokeID == id(of: invoke, session))
    }
  }

  /// Returns true if the state that invokes something is active; the invoked session may have ended already.
  func isInvoked(_ invoke: Document.Invoke, by session: Int) -> Bool {
    let leafNumbers = documentRun.isMoving ? documentRun.leafNumbers : derived.configuration
    return loadedMachines[session].isActive(invoke.state, at: leafNumbers)
  }

  package func isRunning(_ session: Int) -> Bool {
    let leafNumbers = documentRun.isMoving ? documentRun.leafNumbers : derived.configuration
    return leafNumbers[loadedMachines[session].firstRegion] >= 0
  }

  package func matches(
    _ transition: ChartInterpreter.TransitionNumber, _ event: String, _ session: Int,
    _ document: FlowDocument
  ) -> Bool {
    document.events[session][Int(transition)].contains { $0.matches(event) }
  }

  /// Returns true if the condition of a transition holds; an error counts as false, and becomes an event.
  func holds(
    _ transition: ChartInterpreter.TransitionNumber, of machine: LoadedMachine, _ action: String
  ) throws(Rejection) -> Bool {
    let condition = machine.chart.rows[Int(transition)].condition
    if condition < 0 { return true }
    switch vm.callRule(machine.reference(condition), name: nil, budget: budget) {
    case .passed: return true
    case .refused, .nothing: return false
    case .raised(let error):
      guard error.kind == .runtime else { throw .failed(scriptFailure(error, action: action)) }
      let place = machine.functions[Int(condition)].place
      let event = DocumentEvent.error("execution", error, at: place)
      vm.spend(Engine.instructionsPerFailure)
      if documentRun.isMoving {
        documentRun.raised[machine.index].append(event)
      } else {
        documentRun.early.append(event)
      }
      return false
    }
  }

  func refusal(
    _ action: LoadedAction, of machine: LoadedMachine,
    by transition: ChartInterpreter.TransitionNumber?,
    _ document: FlowDocument, because error: DocumentEvent? = nil
  ) -> Refusal {
    let number = machine.index
    let leafNumbers = derived.configuration[machine.regions]
    var possible: Set<String> = []
    for leafNumber in leafNumbers where leafNumber >= 0 {
      var state = machine.chart.leafStates[Int(leafNumber)]
      while state >= 0 {
        for case .events(let names) in machine.chart.chart.states[Int(state)].transitions.map(
          \.trigger)
        {
          possible.formUnion(names.filter { flow.indexOfAction[$0] != nil || $0 == "*" })
        }
        state = machine.chart.nodes[Int(state)].parent
      }
    }
    let here = machine.whereabouts(leafNumbers)
    let place = transition.flatMap { SourcePlace(machine.chart.transition($0).place) }
    let named = Value.quoted(action.name, limit: 60)
    var reason = "no transition for \(named) in \(here)"
    if let error {
      reason = "a condition of \(named) in \(here) raises an error: \(error.data.stringValue ?? "")"
    } else if transition != nil {
      reason = "the condition of \(named) in \(here) does not hold"
    } else if !possible.isEmpty {
      reason += " (possible: \(possible.sorted().joined(separator: ", ")))"
    }
    return Refusal(
      action: action.name, rejectedBy: .machine(machine.name), reason: reason,
      place: error?.place ?? place ?? flow.machines[number].place)
  }

  /// Returns the current action as an event, with its attributes and data.
  func event(named name: String) -> DocumentEvent {
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

  func session(of event: DocumentEvent) -> Int {
    guard !event.isPayload, let number = documentRun.payload[EventPart.session]?.integerValue,
      loadedMachines.indices.contains(number)
    else { return 0 }
    return number
  }
}
