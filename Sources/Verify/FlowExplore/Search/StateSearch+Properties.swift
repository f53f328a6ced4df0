import CExplore
import FlowKernel
import LuaRuntime

/// The questions of an exploration file about states and steps; its functions run on a miss.
extension StateSearch {
  /// Adds the tries of the exploration file's questions.
  func addSaid() throws(ExplorationError) {
    for (number, property) in setup.said.properties.enumerated() {
      // Fail at once: it can take hours until the question is asked.
      if bounds.hashes, property.isLive {
        throw ExplorationError(
          .setup,
          "\(property.place): \(property.title) is a property of runs and needs the states, but --hash stores only"
            + " their hashes: leave out one of the two")
      }
      try add(.property(number), property.kind == .step ? EXPLORE_STEP : EXPLORE_QUESTION)
      if property.when != nil { try add(.when(number), EXPLORE_QUESTION) }
    }
    if setup.said.mostEffects != nil { try add(.effects, EXPLORE_BOUND) }
    if let within = setup.said.within { try add(.said(within), EXPLORE_BOUND) }
    if let ends = setup.said.ends { try add(.said(ends), EXPLORE_END) }
  }

  /// Begins in the given state, or in one state for each part of the exploration file merged into it.
  func begin(with values: [UInt32], _ engine: Engine) throws {
    if setup.said.givens.isEmpty { return try beginThere(values) }
    for given in setup.said.givens {
      try values.withUnsafeBufferPointer { try engine.load(state: tree($0), canonical($0)) }
      let (givenCanonical, failure) = engine.exploreGiven(given.part)
      if let failure { throw given.fault(failure) }
      try beginThere(try self.values(of: try engine.exploredTree(), givenCanonical))
    }
  }

  private func beginThere(_ values: [UInt32]) throws(ExplorationError) {
    try ExplorationError.check(explore_begin(search, values, UInt32(values.count)))
  }

  /// Returns the `given` of the exploration file with which the path to a state begins; nil if the file has none.
  func given(before state: UInt32) -> Value? {
    guard state != EXPLORE_NONE else { return nil }
    var at = state
    while true {
      var mover: UInt32 = EXPLORE_NONE
      let parent = explore_parent(search, at, &mover)
      guard parent == EXPLORE_NONE else {
        at = parent
        continue
      }
      return given(mover)
    }
  }

  /// Returns the `given` with which the path to a finding begins; it may be about an initial state beyond the bounds.
  func given(before found: explore_finding) -> Value? {
    found.state == EXPLORE_NONE ? given(found.mover) : given(before: found.state)
  }

  private func given(_ number: UInt32) -> Value? {
    let givens = setup.said.givens
    return givens.indices.contains(Int(number)) ? givens[Int(number)].part : nil
  }

  // MARK: States

  /// Asks a function about a state, and learns its answer.
  func learn(
    _ trie: UInt32, _ values: Values, asking function: AskedFunction, _ pair: EnginePair
  ) throws {
    if try lock.locked({ () throws(any Error) in try isPlayed(trie) }) {
      let verdict = try function.verdict(
        try said(function, [.integer(function.number)], values, named: "explore_ask", pair),
        in: shown(values))
      return try answer(trie, verdict)
    }
    let (verdict, asked) = try ask(
      function, values, pair, reportsContinuations: sharesContinuations(trie))
    try lock.locked { () throws(any Error) in
      let kind = verdict.holds ? EXPLORE_PASSES : EXPLORE_REFUSED
      let reason = number(of: verdict.reason)
      if try learn(trie, asked.run, asked.instructions, kind, reason) { return }
      try learn(trie, values, asked.run.reads, kind, reason, [])
    }
  }

  /// Calls a function in a state without a trace of its reads.
  func said(
    _ function: AskedFunction, _ arguments: [Value], _ values: Values, named name: String,
    _ pair: EnginePair
  ) throws -> Result<[Value], ScriptError> {
    let (said, problem) = try pair.check(in: values, self, stays: { _ in true }) { checker in
      (
        checker.answer(asking: try checker.vm.preludeFunction(name), arguments),
        checker.explorersProblem
      )
    }
    if let problem { throw fault(problem, of: function) }
    return said
  }

  private func fault(_ problem: ExploredProblem, of function: AskedFunction) -> ExplorationError {
    ExplorationError(.setup, "\(function.place): \(setup.sentence(problem, by: function.title))")
  }

  /// Answers a question whose function is called each time.
  private func answer(_ trie: UInt32, _ verdict: AskedFunction.Verdict) throws {
    try lock.locked { () throws(any Error) in
      try answer(
        trie, verdict.holds ? EXPLORE_PASSES : EXPLORE_REFUSED, number(of: verdict.reason))
    }
  }

  /// Asks a function about a state, with a trace of its reads.
  func ask(
    _ function: AskedFunction, _ values: Values, _ pair: EnginePair,
    reportsContinuations: Bool = false
  ) throws -> (verdict: AskedFunction.Verdict, asked: Answered) {
    let asked = try ask(
      function, [.integer(function.number)], values, named: "explore_ask", pair,
      reportsContinuations: reportsContinuations)
    return (try function.verdict(asked.said, in: shown(values)), asked)
  }

  /// The result of a function in a state, with its reads.
  struct Answered {
    let said: Result<[Value], ScriptError>
    let run: ObservedRun
    let instructions: Int
  }

  func ask(
    _ function: AskedFunction, _ arguments: [Value], _ values: Values, named name: String,
    _ pair: EnginePair, reportsContinuations: Bool = false
  ) throws -> Answered {
    let engine = try pair.engine(in: values, self)
    let answer = try engine.explore(
      asking: engine.vm.preludeFunction(name), arguments,
      reportsContinuations: reportsContinuations)
    if let problem = engine.explorersProblem { throw fault(problem, of: function) }
    pair.tracerHasAnswered()
    return try lock.locked { () throws(any Error) in
      var observedRun = ObservedRun(
        values, tables: try pair.tables(in: answer.trace.before, slots), slots,
        reportsContinuations: reportsContinuations)
      try observedRun.take(answer.trace, answer.notes)
      return Answered(
        said: answer.said, run: observedRun, instructions: answer.trace.instructions)
    }
  }

  /// Returns a state as text for messages, with secrets hidden.
  func shown(_ values: Values) -> String {
    let state = value(of: values)
    let hidden = flow.flow.secrets?.hiding(state, at: StatePath([])) ?? state
    return hidden.text(limit: 200)
  }

  // MARK: Properties

  /// Asks a property about a state or a step, and learns its answer.
  func learn(
    _ trie: UInt32, _ values: Values, _ property: Property, by mover: UInt32?,
    _ pair: EnginePair
  ) throws {
    guard property.kind == .step, let mover else {
      return try learn(trie, values, asking: property.asked, pair)
    }
    if try lock.locked({ () throws(any Error) in try isPlayed(trie) }) {
      let (before, after) = halves(of: values)
      let said = try said(
        property.asked,
        [
          .integer(property.asked.number), .boolean(false), value(of: after),
          action(of: mover, before, pair),
        ], before, named: "explore_step", pair)
      return try answer(
        trie, try property.asked.verdict(said, in: "\(shown(before)) and then \(shown(after))"))
    }
    let (verdict, asked) = try ask(property, values, by: mover, pair)
    try lock.locked { () throws(any Error) in
      try learn(trie, values, property, by: mover, verdict, asked)
    }
  }

  private func learn(
    _ trie: UInt32, _ values: Values, _ property: Property, by mover: UInt32,
    _ verdict: AskedFunction.Verdict, _ asked: [Answered]
  ) throws {
    var reads: [explore_read] = []
    if property.looksAtMove {
      var observedRun = ObservedRun(halves(of: values).before, tables: [], slots)
      try observedRun.recordRead(of: .part(.effects))
      reads = [explore_read(slot: UInt32(EXPLORE_BY), value: mover)] + observedRun.reads
    }
    let known = Set(reads.map(\.slot))
    reads += asked[0].run.reads.filter { !known.contains($0.slot) }
    reads += asked[1].run.reads.map { explore_read(slot: $0.slot | EXPLORE_AFTER, value: $0.value) }
    try learn(
      trie, values, reads, verdict.holds ? EXPLORE_PASSES : EXPLORE_REFUSED,
      number(of: verdict.reason), [], by: mover)
  }

  private func halves(of values: Values) -> (before: Values, after: Values) {
    let count = values.count / 2
    return (Values(rebasing: values[..<count]), Values(rebasing: values[count...]))
  }

  /// Asks a property about a state or a step; a step is asked twice, with the reads in each of its two states.
  func ask(
    _ property: Property, _ values: Values, by mover: UInt32?, _ pair: EnginePair
  ) throws -> (verdict: AskedFunction.Verdict, asked: [Answered]) {
    guard property.kind == .step, let mover else {
      let (verdict, asked) = try ask(property.asked, values, pair)
      return (verdict, [asked])
    }
    let (before, after) = halves(of: values)
    let action = action(of: mover, before, pair)
    // One of the two states is loaded in the engine, which traces its reads; the other one is a copy.
    let asked = try [(before, after), (after, before)].enumerated().map { index, states in
      try ask(
        property.asked,
        [.integer(property.asked.number), .boolean(index == 1), value(of: states.1), action],
        states.0, named: "explore_step", pair)
    }
    let states = "\(shown(before)) and then \(shown(after))"
    let verdicts = try asked.map { try property.asked.verdict($0.said, in: states) }
    guard verdicts[0] == verdicts[1] else {
      throw ExplorationError(
        .setup,
        "\(property.place): \(property.title) returns different results for the same two states")
    }
    return (verdicts[0], asked)
  }

  func value(of values: Values) -> Value {
    lock.locked { StateForm.value(slots.places) { content($0, values) } }
  }

  private func action(of mover: UInt32, _ before: Values, _ pair: EnginePair) -> Value {
    move(mover, before, pair)?.told ?? [:]
  }
}
