import FlowLanguage
import LuaRuntime
import StateCharts

/// Eventless microsteps: the part of a macrostep that no action triggers.
///
/// While transitions of `always` or `on_done` are enabled, all machines take theirs at once. The state alone decides
/// which are enabled. So a machine is asked only if it has moved, or if a condition of its active states has read
/// something that changed.
extension Engine {
  /// The eventless microsteps under way.
  ///
  /// The value is reused, so that a microstep allocates no lists.
  struct EventlessMicrosteps {
    /// The configuration of all machines.
    fileprivate var leafNumbers: [ChartInterpreter.LeafNumber] = []
    /// The microsteps so far, in order.
    fileprivate(set) var moves: [Microstep] = []
    /// The number of microsteps that came before the first eventless one.
    fileprivate(set) var before = 0
    fileprivate var count = 0
    /// The indices of the machines to ask next, in order.
    fileprivate var asked: [Int] = []
    /// The selections of the next microstep, and the indices of the machines of the state among them.
    fileprivate var selections: [EnabledTransitions.TransitionSelection] = []
    fileprivate var movers: [Int] = []

    fileprivate mutating func restart(from configuration: [ChartInterpreter.LeafNumber]) {
      if leafNumbers.count == configuration.count {
        leafNumbers.withUnsafeMutableBufferPointer { leafNumbers in
          for index in leafNumbers.indices { leafNumbers[index] = configuration[index] }
        }
      } else {
        leafNumbers = configuration
      }
      if moves.count < 100 { EventlessMicrosteps.clear(&moves) } else { moves = [] }
      EventlessMicrosteps.clear(&asked)
      (before, count) = (0, 0)
    }

    /// Empties a list that mostly has one or two elements, for which replacing a subrange by nothing would cost more.
    @inline(__always)
    fileprivate static func clear<Element>(_ list: inout [Element]) {
      while list.popLast() != nil {}
    }

    fileprivate mutating func add(_ move: Microstep) {
      move.apply(to: &leafNumbers)
      moves.append(move)
    }

    fileprivate mutating func ask(_ place: Int) {
      var index = asked.count
      while index > 0, asked[index - 1] > place { index -= 1 }
      if index == 0 || asked[index - 1] != place { asked.insert(place, at: index) }
    }
  }

  /// Returns true if machines may take eventless transitions after those of an action.
  @inline(__always)
  func mayGoOn(_ plan: EnabledTransitions, _ moves: [Microstep], isTouched: Bool) -> Bool {
    if isTouched || eventless?.records.isEmpty == false { return true }
    if let transition = plan.onlyMicrostep, moves.isEmpty {
      return transition._withUnsafeGuaranteedRef { $0.leadsOn }
    }
    return moves.contains(where: \.leadsOn)
  }

  /// Takes the eventless microsteps that follow those of an action, and appends them.
  func takeEventlessMicrosteps(
    of action: String, after plan: EnabledTransitions, _ moves: inout [Microstep], isTouched: Bool
  ) throws {
    guard let eventless else { return }
    if let transition = plan.onlyMicrostep, moves.isEmpty, eventless.records.isEmpty,
      !isTouched || eventless.machines.count == 1
    {
      let move = transition._withUnsafeGuaranteedRef { $0.move }
      if try !goesOn(move, on: eventless, action, isTouched: isTouched) { return }
    }
    scratch.eventless.restart(from: derived.configuration)
    if let transition = plan.onlyMicrostep, moves.isEmpty {
      scratch.eventless.add(transition._withUnsafeGuaranteedRef { $0.move })
    } else {
      for move in moves { scratch.eventless.add(move) }
    }
    for move in scratch.eventless.moves where move.leadsOn {
      if let place = eventless.place(of: move.machine) { scratch.eventless.ask(place) }
    }
    if isTouched { askAgain(eventless) }
    try go(on: eventless, action, &moves)
  }

  /// Returns true if the only machine to ask has an enabled eventless transition; mostly it has none.
  private func goesOn(
    _ move: Microstep, on eventless: EventlessTransitions, _ action: String, isTouched: Bool
  ) throws(Rejection) -> Bool {
    guard let place = eventless.place(of: move.machine) else { return isTouched }
    let machine = eventless.machines[place]
    guard let transitions = machine.transitions, let change = move.changes.first else {
      return true
    }
    return try transition(of: machine, transitions, from: change.to, action) != nil
  }

  /// Takes the eventless microsteps that follow after machines were put into states, and appends them.
  ///
  /// All machines are asked, and there is no payload.
  func takeEventlessMicrosteps(
    of action: String, from leafNumbers: [ChartInterpreter.LeafNumber], _ moves: inout [Microstep]
  ) throws {
    guard let eventless else { return }
    try vm.setEmptyPayload()
    _ = vm.takeTouchedConditions()
    scratch.eventless.restart(from: leafNumbers)
    for move in moves { scratch.eventless.add(move) }
    for place in eventless.machines.indices { scratch.eventless.ask(place) }
    try go(on: eventless, action, &moves)
  }

  /// Takes the eventless microsteps of the initial state.
  func takeFirstEventlessMicrosteps(_ moves: inout [Microstep]) throws(Rejection) {
    var all = moves
    _ = try transaction(
      for: "the initial state", checksInvariants: false, worksOutKeys: false, startsRecords: false
    ) {
    } eventless: {
      try takeEventlessMicrosteps(of: "the initial state", from: derived.configuration, &all)
    }
    let eventless = all.dropFirst(moves.count)
    for move in eventless { move.apply(to: &derived.configuration) }
    scratch.latestSteps = steps(of: eventless)
    moves = all
  }

  private func go(
    on eventless: EventlessTransitions, _ action: String, _ moves: inout [Microstep]
  ) throws {
    scratch.eventless.before = scratch.eventless.moves.count
    defer { if !eventless.records.isEmpty { vm.forgetTouchedRecords() } }
    var machines = FlowMacrostep(engine: self, eventless: eventless, action: action)
    try Macrostep.run(&machines)
    if scratch.eventless.count > 0 { moves = scratch.eventless.moves }
  }

  /// Takes one eventless microstep; returns false if no machine has an enabled transition.
  @inline(__always)
  fileprivate func takeEventless(_ eventless: EventlessTransitions, _ action: String) throws -> Bool
  {
    if eventless.records.isEmpty, scratch.eventless.asked.count == 1,
      let transitions = eventless.machines[scratch.eventless.asked[0]].transitions
    {
      // A single machine to ask, which is asked again if it moves.
      let machine = eventless.machines[scratch.eventless.asked[0]]
      let leafNumber = scratch.eventless.leafNumbers[machine.loaded.firstRegion]
      guard let transition = try transition(of: machine, transitions, from: leafNumber, action)
      else { return false }
      try count()
      try applyMicrostep(transition)
    } else {
      guard try selectInAll(eventless, action) else { return false }
      try count()
      try takeSelected()
      (scratch.eventless.asked, scratch.eventless.movers) = (
        scratch.eventless.movers, scratch.eventless.asked
      )
    }
    if vm.takeTouchedConditions() { askAgain(eventless) }
    return true
  }

  private func count() throws(ScriptError) {
    scratch.eventless.count += 1
    if scratch.eventless.count > limits.microsteps { throw endlessMicrosteps() }
  }

  /// Selects the transitions of all machines for the next microstep; returns false if none is enabled.
  private func selectInAll(
    _ eventless: EventlessTransitions, _ action: String
  ) throws(Rejection) -> Bool {
    EventlessMicrosteps.clear(&scratch.eventless.selections)
    EventlessMicrosteps.clear(&scratch.eventless.movers)
    for index in scratch.eventless.asked.indices {
      let place = scratch.eventless.asked[index]
      if let selection = try selection(of: eventless.machines[place], action) {
        scratch.eventless.selections.append(selection)
        scratch.eventless.movers.append(place)
      }
    }
    for machine in eventless.records {
      for subject in try touchedRecords(of: machine, action) {
        if let selection = try selectEventless(of: subject, action) {
          scratch.eventless.selections.append(selection)
        }
      }
    }
    return !scratch.eventless.selections.isEmpty
  }

  private func applyMicrostep(_ transition: Unmanaged<PreparedMicrostep>) throws(ScriptError) {
    try vm.goOn()
    try vm.take(transition._withUnsafeGuaranteedRef { $0.steps }, budget: budget)
    try vm.adopt()
    if !recordMachines.isEmpty { try noteRecords() }
    scratch.eventless.add(transition._withUnsafeGuaranteedRef { $0.move })
  }

  private func takeSelected() throws {
    if scratch.eventless.selections.count == 1,
      case .prepared(let transition) = scratch.eventless.selections[0]
    {
      return try applyMicrostep(transition)
    }
    try vm.goOn()
    let moves = try microsteps(scratch.eventless.selections)
    try vm.take(TransactionSteps(moves, reducer: nil), budget: budget)
    try vm.adopt()
    if !recordMachines.isEmpty { try noteRecords() }
    if configuration.hasHistory { for move in moves { remember(move) } }
    for move in moves { scratch.eventless.add(move) }
  }

  /// Adds the machines to ask again: those with an active state whose condition has read something that changed.
  private func askAgain(_ eventless: EventlessTransitions) {
    if scratch.eventless.asked.count == eventless.machines.count { return }
    var numbers = eventless.conditionNumbers
    while let number = vm.firstStaleReader(in: numbers) {
      numbers = number + 1..<numbers.upperBound
      if let place = eventless.place(ofActive: number, at: scratch.eventless.leafNumbers) {
        scratch.eventless.ask(place)
      }
    }
  }

  /// Selects the eventless transitions of a machine of the state; returns nil if none is enabled.
  private func selection(
    of machine: EventlessTransitions.Machine, _ action: String
  ) throws(Rejection) -> EnabledTransitions.TransitionSelection? {
    let loaded = machine.loaded
    if let transitions = machine.transitions {
      return try transition(
        of: machine, transitions, from: scratch.eventless.leafNumbers[loaded.firstRegion], action
      )
      .map { .prepared($0) }
    }
    vm.spend(loaded.regions.count)
    return try selectEventless(
      of: ChartSubject(
        machine: loaded, leafNumbers: Array(scratch.eventless.leafNumbers[loaded.regions])), action)
  }

  /// Selects the eventless transitions of a subject; returns nil if none is enabled.
  private func selectEventless(
    of subject: ChartSubject, _ action: String
  ) throws(Rejection) -> EnabledTransitions.TransitionSelection? {
    let selection = try select(.eventless, of: subject) { transition throws(Rejection) in
      try holds(transition, of: subject, action)
    }
    if selection.transitions.isEmpty { return nil }
    return try failing(action) { () throws(ScriptError) in
      .selected(subject, try resolveConflicts(selection.transitions, of: subject))
    }
  }

  /// Evaluates the condition of an eventless transition; that of a record's machine sees the record alone.
  private func holds(
    _ transition: ChartInterpreter.TransitionNumber, of subject: ChartSubject, _ action: String
  ) throws(Rejection) -> Bool {
    let machine = subject.machine
    let condition = machine.chart.rows[Int(transition)].condition
    if condition < 0 { return true }
    guard let records = machine.records else {
      return try machine.conditionReaders[condition].map { reader throws(Rejection) in
        try agrees(reader, to: transition, machine, action)
      } ?? true
    }
    let answer = try failing(action) { () throws(ScriptError) in
      try vm.ask(
        machine.reference(condition), ofRecord: subject.record, of: records.number, budget: budget)
    }
    return try agrees(answer, transition, machine, action)
  }

  /// Returns the records of a machine that were changed or added since the last microstep: only these are asked.
  private func touchedRecords(
    of machine: LoadedMachine, _ action: String
  ) throws(Rejection) -> [ChartSubject] {
    guard let records = machine.records else { return [] }
    return try failing(action) { () throws(ScriptError) in
      try vm.findTouchedRecords()
      let found = try vm.selectTouchedRecords(of: records.number)
      var subjects: [ChartSubject] = []
      for number in found.first..<found.first + UInt32(found.count) {
        subjects.append(
          ChartSubject(
            machine: machine, record: number, leafNumbers: try leafNumbers(of: number, in: machine))
        )
      }
      return subjects
    }
  }

  /// Returns the eventless transition that a machine takes next, if all its transitions are prepared.
  private func transition(
    of machine: EventlessTransitions.Machine, _ transitions: TransitionTable,
    from leafNumber: ChartInterpreter.LeafNumber, _ action: String
  ) throws(Rejection) -> Unmanaged<PreparedMicrostep>? {
    for number in transitions.numbers(from: leafNumber) {
      if let reader = machine.conditions[number],
        try !agrees(reader, to: transitions[number].number, machine.loaded, action)
      {
        continue
      }
      return transitions.reference(number)
    }
    return nil
  }

  private func agrees(
    _ reader: Int32, to transition: @autoclosure () -> ChartInterpreter.TransitionNumber,
    _ machine: LoadedMachine,
    _ action: String
  ) throws(Rejection) -> Bool {
    switch vm.askCondition(reader, budget: budget) {
    case .passed: true
    case .refused: false
    case let answer: try agrees(answer, transition(), machine, action)
    }
  }

  /// Returns the answer of a condition; throws if it returned nothing or raised an error.
  func agrees(
    _ answer: RuleAnswer, _ number: ChartInterpreter.TransitionNumber, _ machine: LoadedMachine,
    _ action: String
  ) throws(Rejection) -> Bool {
    switch answer {
    case .passed: return true
    case .refused: return false
    case .nothing:
      let transition = machine.chart.transition(number)
      let function = machine.functions[Int(machine.chart.rows[Int(number)].condition)]
      let message =
        "machine \(machine.name): \(machine.path(of: transition.source)): the when of "
        + "\(transition.trigger == .done ? "on_done" : "always") returned nothing; end it with \"return\" and "
        + "a condition"
      throw .failed(
        DispatchFailure(
          kind: .script, action: action, message: message,
          script: ScriptError(.runtime, message, at: function.place)))
    case .raised(let error): throw .failed(scriptFailure(error, action: action))
    }
  }
}

/// The macrostep of a flow's machines for one action, which has no internal events and no invocations.
private struct FlowMacrostep: MacrostepDialect {
  let engine: Engine
  let eventless: EventlessTransitions
  let action: String

  var hasEnded: Bool { false }
  func end() throws {}
  func takeEventless() throws -> Bool { try engine.takeEventless(eventless, action) }
  func takeInternalEvent() throws -> Bool { false }
  func invoke() throws -> Bool { false }
}
