import FlowKernel
import FlowLanguage
import Platform

/// A pair of engines that plays a flow for one thread at a time.
///
/// One engine traces what it reads; the other traces nothing, and checks what was learned.
final class EnginePair {
  private let flow: LoadedFlow
  private let setup: ExplorationSetup
  private var tracing: PositionedEngine?
  private var checking: PositionedEngine?
  /// The answers to an effect that a function has returned last.
  var lastAnswers: StateSearch.Answers?
  /// The last state that was decoded, by its slot values: the next question is mostly about the same one.
  private var latest: (values: [UInt32], tree: [UInt8], canonical: CanonicalState)?
  /// The played actions, by the numbers of their tries.
  private var moves: [PlayedMove?] = []
  /// The numbers of the tables in the last traced state.
  private var numbered: (state: [UInt8], tables: [PlaceTable.Number])?
  /// The lock that the thread which uses the pair holds.
  let lock = Lock()

  /// Creates a pair whose engines are made on first use.
  init(_ flow: LoadedFlow, _ setup: ExplorationSetup) { (self.flow, self.setup) = (flow, setup) }

  /// Returns the engine that traces what it reads.
  func engine() throws -> Engine { try tracer().engine }

  private func tracer() throws -> PositionedEngine {
    if let tracing { return tracing }
    let made = PositionedEngine(try makeEngine(traces: true))
    tracing = made
    return made
  }

  /// Returns the engine that traces nothing.
  private func checker() throws -> PositionedEngine {
    if let checking { return checking }
    let made = PositionedEngine(try makeEngine(traces: false))
    checking = made
    return made
  }

  // MARK: States

  /// Returns a state in the form in which engines load it.
  func standing(
    in values: StateSearch.Values, _ session: StateSearch
  ) -> (tree: [UInt8], canonical: CanonicalState) {
    if let latest, values.elementsEqual(latest.values) { return (latest.tree, latest.canonical) }
    let (tree, canonical) = session.lock.locked {
      (session.tree(values), session.canonical(values))
    }
    latest = (Array(values), tree, canonical)
    return (tree, canonical)
  }

  /// Tells the pair that the tracing engine has moved to a state with these values.
  func tracerHasGone(to values: [UInt32], _ canonical: CanonicalState) {
    tracing?.hasGone(to: values, nil, canonical)
  }

  /// Tells the pair that the checking engine has moved to a state with these values.
  func checkerHasGone(to values: [UInt32], _ tree: [UInt8], _ canonical: CanonicalState) {
    checking?.hasGone(to: values, tree, canonical)
  }

  /// Returns the tracing engine, loaded with a state.
  ///
  /// The pair must then be told where the engine is; otherwise the next state is loaded whole.
  func engine(in values: StateSearch.Values, _ session: StateSearch) throws -> Engine {
    let tracer = try tracer()
    try tracer.load(state: values, session) { standing(in: values, session) }
    tracer.suspend()
    return tracer.engine
  }

  /// Tells the pair that the tracing engine is still in the state that was loaded last.
  func tracerHasAnswered() { tracing?.resume() }

  /// Runs a closure with the checking engine in a state.
  ///
  /// - Parameter stays: returns true if the engine is still in that state afterwards: a refused move changes nothing.
  func check<Result>(
    in values: StateSearch.Values, _ session: StateSearch, stays: (Result) -> Bool = { _ in false },
    _ body: (Engine) throws -> Result
  ) throws -> Result {
    let checker = try checker()
    try checker.load(state: values, session) { standing(in: values, session) }
    checker.leave()
    let isBack: Bool
    defer { if !isBack { checker.lose() } }
    let result: Result
    do {
      result = try body(checker.engine)
    } catch {
      isBack = false
      throw error
    }
    isBack = stays(result)
    if isBack { checker.comeBack() }
    return result
  }

  /// Makes a move with the checking engine in a state.
  ///
  /// - Returns: the run, and the state before it as well: the engine encodes it faster than slots can be assembled.
  func make(
    _ move: ExploredMove, in values: StateSearch.Values, _ session: StateSearch
  ) throws -> (tree: [UInt8], canonical: CanonicalState, run: ExploredCheck) {
    let checker = try checker()
    return try check(
      in: values, session,
      stays: { made in
        if case .action = move, case .refused = made.run.ending { true } else { false }
      }
    ) { engine in
      let (tree, canonical) = (try checker.encodedTree(), checker.canonical)
      return (tree, canonical, try engine.check(move, draws: []))
    }
  }

  /// Runs a closure with the checking engine in a state that need not be stored.
  func check<Result>(
    standingIn tree: [UInt8], _ canonical: CanonicalState, _ body: (Engine) throws -> Result
  ) throws -> Result {
    let checker = try checker()
    checker.lose()
    try checker.engine.load(state: tree, canonical)
    return try body(checker.engine)
  }

  /// Returns the places of the tables that a trace numbers; the caller must hold the session's lock.
  func tables(in state: [UInt8], _ slots: SlotTable) throws -> [PlaceTable.Number] {
    if let numbered, numbered.state == state { return numbered.tables }
    let tables = try StateForm.tables(in: state, &slots.places)
    numbered = (state, tables)
    return tables
  }

  /// Returns the cached facts about a played action; nil if the trie is not one that is played by its gates.
  func played(
    _ trie: UInt32, _ checker: Engine, _ session: StateSearch
  ) throws -> PlayedMove? {
    let number = Int(trie)
    if number < moves.count, let known = moves[number] { return known }
    guard let (name, payload, part, plan) = session.plainlyPlayed(trie) else { return nil }
    while moves.count <= number { moves.append(nil) }
    let move = PlayedMove(
      name, payload, part: part, checker.question(name, payload), plainPlan: plan)
    moves[number] = move
    return move
  }

  /// Returns the cached facts about a played action; nil if this thread has none yet.
  func played(_ trie: UInt32) -> PlayedMove? {
    Int(trie) < moves.count ? moves[Int(trie)] : nil
  }

  private func makeEngine(traces: Bool) throws -> Engine {
    let engine = try Engine(
      flow, limits: setup.limits, log: ScriptLog { _ in }, exploredFor: setup.host)
    engine.settings.exploredUnits = setup.units
    engine.settings.exploredClock = setup.clock
    try setup.said.install(in: engine.vm, limits: setup.limits)
    try engine.startExploring(traces: traces, silent: setup.silentEffects)
    return engine
  }

  /// The actions and machine states that occurred between states of the search.
  var transient: TransientReach {
    let empty = TransientReach()
    return (tracing?.engine.transientReach ?? empty).union(checking?.engine.transientReach ?? empty)
  }
}

/// The engine pairs of all threads.
///
/// Creating engines takes longer than exploring a small flow. Therefore the first questions of all threads go to one
/// pair, and each thread gets its own pair only after many questions.
final class EnginePairs {
  private let pairs: [EnginePair]
  private let lock = Lock()
  private var asked = 0

  /// The number of questions that go to the first pair.
  private static let shared = 1_000

  init(_ flow: LoadedFlow, _ setup: ExplorationSetup, threads: Int) {
    pairs = (0..<max(1, threads)).map { _ in EnginePair(flow, setup) }
  }

  /// Runs a closure with the pair of the first thread, which always exists.
  func withFirst<Result, Failure: Error>(
    _ body: (EnginePair) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try use(pairs[0], body)
  }

  /// Runs a closure with the pair of a thread.
  func with<Result, Failure: Error>(
    _ thread: UInt32, _ body: (EnginePair) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let isShared = lock.locked {
      asked += 1
      return asked <= EnginePairs.shared
    }
    let pair = isShared || !pairs.indices.contains(Int(thread)) ? pairs[0] : pairs[Int(thread)]
    return try use(pair, body)
  }

  private func use<Result, Failure: Error>(
    _ pair: EnginePair, _ body: (EnginePair) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try pair.lock.locked { () throws(Failure) in try body(pair) }
  }

  /// The actions and machine states that occurred between states of the search, in all engines.
  var transient: TransientReach {
    pairs.reduce(TransientReach()) { $0.union($1.transient) }
  }
}
