import StateCharts

/// The part of appendix D that concerns a random document's queues, events and content.
final class DocumentReference {
  /// The results of one step: the start or one event, with all that follows from it.
  struct Step: Hashable {
    var logged: [String] = []
    /// The names of the active states, in order; nil if the document has ended.
    var active: [String]?
  }

  /// The error of a document that has no end of microsteps, and so no result to compare.
  struct Endless: Error {}

  private let document: RandomDocument
  private let most: Int
  private let chart: Chart
  private let saysInitial: Set<Reference.State>
  private var reference: Reference
  private var variables: [String: Int] = [:]
  private var internalQueue: [String] = []
  private var externalQueue: [(event: String, session: String?)] = []
  /// The states that were entered in the macrostep and must invoke; `invoking` are the states whose sessions run.
  private var statesToInvoke: Set<Reference.State> = []
  private var invoking: Set<Reference.State> = []
  private var event = ""
  private var isRunning = true
  private var isReady = false
  private var logged: [String] = []
  private var microsteps = 0
  /// The moments of the start, which are recorded before content can run.
  private var stepsAtStart: [(Reference.Moment, Reference)] = []

  private init(_ document: RandomDocument, _ rules: QtRules, _ most: Int) {
    (self.document, self.most) = (document, most)
    let drawn = document.drawing.chart(.scxml)
    saysInitial = Set(
      drawn.states.indices.filter { drawn.states[$0].initial != nil }.map(Int32.init))
    chart = rules.chart(drawn)
    var start: [(Reference.Moment, Reference)] = []
    reference = Reference(chart, rules) { start.append(($0, $1)) }
    for name in RandomDocument.variables { variables[name] = 0 }
    stepsAtStart = start
  }

  /// Returns the steps of the document, up to the first event without an end of microsteps.
  ///
  /// - Parameters:
  ///   - rules: the deviations from the appendix.
  ///   - most: the maximum number of microsteps for an event.
  static func steps(
    of document: RandomDocument, _ rules: QtRules = [], most: Int = 60
  ) -> [Step] {
    let interpreter = DocumentReference(document, rules, most)
    var steps: [Step] = []
    do {
      steps.append(try interpreter.start())
      for event in document.events { steps.append(try interpreter.play(event)) }
    } catch {}
    return steps
  }

  // MARK: The loop

  private func start() throws(Endless) -> Step {
    let end = reference
    for (moment, now) in stepsAtStart {
      reference = now
      run(moment)
    }
    reference = end
    try macrostep()
    try runExternal()
    return step()
  }

  private func play(_ event: String) throws(Endless) -> Step {
    microsteps = 0
    externalQueue.append((event, nil))
    try runExternal()
    return step()
  }

  private func step() -> Step {
    defer { logged = [] }
    let active = reference.configuration.sorted().dropFirst().map { chart.states[Int($0)].name }
    return Step(logged: logged, active: isRunning ? active : nil)
  }

  private func runExternal() throws(Endless) {
    while isRunning, !externalQueue.isEmpty {
      let next = externalQueue.removeFirst()
      if let session = next.session {
        hear(next.event, session)
        continue
      }
      event = next.event
      for state in invoking.sorted() {
        externalQueue.append((event, chart.states[Int(state)].name))
      }
      let enabled = select(.event(event))
      if !enabled.isEmpty { try microstep(enabled) }
      try macrostep()
    }
  }

  private func macrostep() throws(Endless) {
    while isRunning {
      var enabled = select(.eventless)
      if enabled.isEmpty {
        if internalQueue.isEmpty {
          invoke()
          if internalQueue.isEmpty { return }
        }
        event = internalQueue.removeFirst()
        enabled = select(.event(event))
      }
      if !enabled.isEmpty { try microstep(enabled) }
    }
    // This is `exitInterpreter` in the appendix.
    for state in reference.configuration.sorted(by: >) where state > 0 {
      run(.exits(state))
      reference.configuration.remove(state)
    }
  }

  // MARK: Invoked sessions

  private func invoke() {
    for state in statesToInvoke.sorted() {
      let name = chart.states[Int(state)].name
      switch document.invocations[name] {
      case .endsAtOnce: externalQueue.append((RandomDocument.done(name), nil))
      case .endsWithEvent: invoking.insert(state)
      case nil: break
      }
    }
    statesToInvoke = []
  }

  /// Forwards an event to the session of a state.
  private func hear(_ event: String, _ name: String) {
    guard event == RandomDocument.ending || event.hasPrefix(RandomDocument.ending + "."),
      let state = invoking.first(where: { chart.states[Int($0)].name == name })
    else { return }
    invoking.remove(state)
    externalQueue.append((RandomDocument.done(name), nil))
  }

  private func cancel(_ state: Reference.State) {
    statesToInvoke.remove(state)
    guard invoking.remove(state) != nil else { return }
    let name = chart.states[Int(state)].name
    externalQueue.removeAll { $0.session == name }
  }

  private func select(_ cause: Reference.Cause) -> [Reference.Transition] {
    let (enabled, _) = reference.selectTransitions(cause, inside: 0) { transition in
      guard
        let condition = transition.condition.flatMap({ self.document.transitions[$0]?.condition })
      else {
        return true
      }
      return self.holds(condition)
    }
    return reference.removeConflictingTransitions(enabled)
  }

  private func microstep(_ transitions: [Reference.Transition]) throws(Endless) {
    microsteps += 1
    if microsteps > most { throw Endless() }
    var moved = reference
    moved.microstep(transitions) { moment, now in
      self.reference = now
      self.run(moment)
    }
    reference = moved
  }

  // MARK: Content

  private func run(_ moment: Reference.Moment) {
    switch moment {
    case .exits(let state):
      let own = document.blocks[chart.states[Int(state)].name]
      for block in own?.leaving ?? [] { run(block) }
      cancel(state)
    case .takes(let transition): runContent(of: reference.chartTransition(transition))
    case .enters(let state): enter(state)
    }
  }

  private func runContent(of transition: Chart.Transition) {
    if let own = transition.condition.flatMap({ document.transitions[$0] }) { run(own.content) }
  }

  private func enter(_ state: Reference.State) {
    let own = document.blocks[chart.states[Int(state)].name]
    statesToInvoke.insert(state)
    for block in own?.entering ?? [] { run(block) }
    if reference.statesForDefaultEntry.contains(state), saysInitial.contains(state) {
      run(own?.beginning ?? [])
    }
    if let history = reference.defaultHistory[state] {
      runContent(of: chart.states[Int(history)].transitions[0])
    }
    guard chart.states[Int(state)].kind == .final else { return }
    let parent = chart.states[Int(state)].parent
    if parent == 0 {
      isRunning = false
      return
    }
    internalQueue.append("done.state.\(chart.states[Int(parent)].name)")
    let around = chart.states[Int(parent)].parent
    if reference.isParallel(around), reference.children(around).allSatisfy(reference.isInFinalState)
    {
      internalQueue.append("done.state.\(chart.states[Int(around)].name)")
    }
  }

  /// Runs a block, up to an error in it.
  private func run(_ block: [Statement]) {
    for statement in block where !run(statement) {
      internalQueue.append("error.execution")
      return
    }
  }

  private func run(_ statement: Statement) -> Bool {
    switch statement {
    case .log(let label): logged.append(label)
    case .show(let name): logged.append("\(name): \(variables[name] ?? 0)")
    case .raise(let event): internalQueue.append(event)
    case .send(let event): externalQueue.append((event, nil))
    case .add(let name, let more, let below):
      variables[name] = ((variables[name] ?? 0) + more) % below
    case .copy(let name, let other): variables[name] = variables[other]
    case .fail: return false
    case .branch(let condition, let yes, let no):
      return (holds(condition) ? yes : no).allSatisfy(run)
    }
    return true
  }

  private func holds(_ condition: Condition) -> Bool {
    switch condition {
    case .isIn(let name): reference.configuration.contains { chart.states[Int($0)].name == name }
    case .isEvent(let name): event == name
    case .below(let name, let most): (variables[name] ?? 0) < most
    case .equals(let one, let other): variables[one] == variables[other]
    case .not(let inner): !holds(inner)
    case .both(let one, let other): holds(one) && holds(other)
    case .either(let one, let other): holds(one) || holds(other)
    }
  }
}
