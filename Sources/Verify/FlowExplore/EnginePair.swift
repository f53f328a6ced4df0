import FlowKernel
import FlowLanguage
import Platform

/// What plays a flow for one thread at a time: an engine that tells what it has looked at, and one that checks what
/// was learned.
final class EnginePair {
  private let flow: LoadedFlow
  private let setup: ExplorationSetup
  private var tracing: PositionedEngine?
  private var checking: PositionedEngine?
  /// What a function has said last that an effect may end with.
  var lastAnswers: StateSearch.Answers?
  /// The state that was looked at last, by its values: the next question is mostly about the same one.
  private var latest: (values: [UInt32], tree: [UInt8], canonical: CanonicalState)?
  /// The actions that are played, by the numbers of their tries.
  private var moves: [PlayedMove?] = []
  /// What numbers the tables had in the state that was told last.
  private var numbered: (state: [UInt8], tables: [PlaceTable.Number])?
  /// Held by the thread that uses the pair.
  let lock = Lock()

  /// Neither engine is there before it is asked for.
  init(_ flow: LoadedFlow, _ setup: ExplorationSetup) { (self.flow, self.setup) = (flow, setup) }

  /// The engine that tells what it has looked at.
  func engine() throws -> Engine { try tracer().engine }

  private func tracer() throws -> PositionedEngine {
    if let tracing { return tracing }
    let made = PositionedEngine(try makeEngine(traces: true))
    tracing = made
    return made
  }

  /// The engine that traces nothing.
  private func checker() throws -> PositionedEngine {
    if let checking { return checking }
    let made = PositionedEngine(try makeEngine(traces: false))
    checking = made
    return made
  }

  // MARK: States

  /// A state as an engine is to stand in it.
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

  /// The engine that traces has gone to a state with these values.
  func tracerHasGone(to values: [UInt32], _ canonical: CanonicalState) {
    tracing?.hasGone(to: values, nil, canonical)
  }

  /// The same of the engine that checks.
  func checkerHasGone(to values: [UInt32], _ tree: [UInt8], _ canonical: CanonicalState) {
    checking?.hasGone(to: values, tree, canonical)
  }

  /// The engine that traces, which stands in a state.
  func engine(in values: StateSearch.Values, _ session: StateSearch) throws -> Engine {
    let tracer = try tracer()
    try tracer.load(state: values, session) { standing(in: values, session) }
    tracer.lose()
    return tracer.engine
  }

  /// Has the checker do something in a state.
  ///
  /// - Parameter stays: whether it stands in the same state after that: a move that is refused changes nothing.
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

  /// Has the checker make a move in a state.
  ///
  /// - Returns: the state before it as well, which the engine encodes faster than slots are put together.
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

  /// Has the checker do something in a state that need not be one of those that are kept.
  func check<Result>(
    standingIn tree: [UInt8], _ canonical: CanonicalState, _ body: (Engine) throws -> Result
  ) throws -> Result {
    let checker = try checker()
    checker.lose()
    try checker.engine.load(state: tree, canonical)
    return try body(checker.engine)
  }

  /// The places of the tables to which a trace gives numbers; for who holds the session's lock.
  func tables(in state: [UInt8], _ slots: SlotTable) throws -> [PlaceTable.Number] {
    if let numbered, numbered.state == state { return numbered.tables }
    let tables = try StateForm.tables(in: state, &slots.places)
    numbered = (state, tables)
    return tables
  }

  /// What is known of an action that is played; nil where it is none.
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

  /// The same where the thread has come by it already.
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

  /// The reach of runs between states.
  var transient: TransientReach {
    let empty = TransientReach()
    return (tracing?.engine.transientReach ?? empty).union(checking?.engine.transientReach ?? empty)
  }
}

/// The pairs of all threads.
///
/// To make engines takes longer than a small flow is explored: the first questions of all threads go to one pair, and only
/// where there are many does each thread get its own.
final class EnginePairs {
  private let pairs: [EnginePair]
  private let lock = Lock()
  private var asked = 0

  /// So many questions go to the first pair.
  private static let shared = 1_000

  init(_ flow: LoadedFlow, _ setup: ExplorationSetup, threads: Int) {
    pairs = (0..<max(1, threads)).map { _ in EnginePair(flow, setup) }
  }

  /// Uses the pair of the first thread, which has been there from the beginning.
  func withFirst<Result, Failure: Error>(
    _ body: (EnginePair) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try use(pairs[0], body)
  }

  /// Uses the pair that a thread has.
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

  /// The reach of runs between states, whoever played them.
  var transient: TransientReach {
    pairs.reduce(TransientReach()) { $0.union($1.transient) }
  }
}
