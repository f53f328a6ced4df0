import LuaRuntime
import Moonlatch
import Platform

/// What plays a flow for one thread at a time: an engine that tells what it has looked at, and one that checks what
/// was learned.
final class EnginePair {
  private let flow: LoadedFlow
  private let setup: ExplorationSetup
  private var tracing: Engine?
  private var checking: Engine?
  /// What a function has said last that an effect may end with.
  var lastAnswers: Session.Answers?
  /// The state that was looked at last, by its values: the next question is mostly about the same one.
  private var latest: (values: [UInt32], tree: [UInt8], ledger: ExploredLedger)?
  /// The values of the state in which the checker stands, where it has not left it.
  private var checked: [UInt32]?
  /// What gates that look at no payload have said of actions in that state.
  private var judged: [String: ExploredJudgement] = [:]
  /// What numbers the tables had in the state that was told last.
  private var numbered: (state: [UInt8], tables: [PlaceTable.Number])?
  /// Held by the thread that uses the pair.
  let lock = Lock()

  /// Neither engine is there before it is asked for.
  init(_ flow: LoadedFlow, _ setup: ExplorationSetup) { (self.flow, self.setup) = (flow, setup) }

  /// The engine that tells what it has looked at.
  func engine() throws -> Engine {
    if let tracing { return tracing }
    let made = try makeEngine(traces: true)
    tracing = made
    return made
  }

  /// The engine that traces nothing.
  private func checker() throws -> Engine {
    if let checking { return checking }
    let made = try makeEngine(traces: false)
    checking = made
    return made
  }

  // MARK: States

  /// A state as an engine is to stand in it.
  func standing(
    in values: Session.Values, _ session: Session
  ) -> (tree: [UInt8], ledger: ExploredLedger) {
    if let latest, values.elementsEqual(latest.values) { return (latest.tree, latest.ledger) }
    let (tree, ledger) = session.lock.locked { (session.tree(values), session.ledger(values)) }
    latest = (Array(values), tree, ledger)
    return (tree, ledger)
  }

  /// The engine that traces, which stands in a state.
  func engine(in values: Session.Values, _ session: Session) throws -> Engine {
    let engine = try engine()
    let (tree, ledger) = standing(in: values, session)
    try engine.stand(in: tree, ledger)
    return engine
  }

  /// Has the checker do something in a state.
  ///
  /// - Parameter stays: whether it stands in the same state after that: a move that is refused changes nothing.
  func check<Result>(
    in values: Session.Values, _ session: Session, stays: (Result) -> Bool = { _ in false },
    _ body: (Engine) throws -> Result
  ) throws -> Result {
    let checker = try checker()
    if let checked, values.elementsEqual(checked) {
      self.checked = nil
    } else {
      checked = nil
      judged = [:]
      let (tree, ledger) = standing(in: values, session)
      try checker.stand(in: tree, ledger)
    }
    let result = try body(checker)
    if stays(result) { checked = Array(values) }
    return result
  }

  /// What gates say of an action in a state.
  func judge(
    _ name: String, _ payload: Value, in values: Session.Values, _ session: Session
  ) throws -> ExploredJudgement {
    try check(in: values, session, stays: { _ in true }) { checker in
      if let known = judged[name] { return known }
      let judgement = checker.judge(name, payload)
      if checker.judgesWithoutPayload(name) { judged[name] = judgement }
      return judgement
    }
  }

  /// Has the checker do something in a state that need not be one of those that are kept.
  func check<Result>(
    standingIn tree: [UInt8], _ ledger: ExploredLedger, _ body: (Engine) throws -> Result
  ) throws -> Result {
    let checker = try checker()
    checked = nil
    try checker.stand(in: tree, ledger)
    return try body(checker)
  }

  /// The places of the tables to which a trace gives numbers; for who holds the session's lock.
  func tables(in state: [UInt8], _ slots: SlotTable) throws -> [PlaceTable.Number] {
    if let numbered, numbered.state == state { return numbered.tables }
    let tables = try StateForm.tables(in: state, &slots.places)
    numbered = (state, tables)
    return tables
  }

  private func makeEngine(traces: Bool) throws -> Engine {
    let engine = try Engine(
      flow, limits: setup.limits, log: ScriptLog { _ in }, for: setup.host)
    engine.exploredUnits = setup.units
    engine.exploredClock = setup.clock
    try setup.said.install(in: engine.vm, limits: setup.limits)
    try engine.startExploring(traces: traces, silent: setup.silentEffects)
    return engine
  }

  /// The actions that effects and timers have dispatched and that have passed.
  var passedFromQueue: Set<String> { tracing?.explorersPassed ?? [] }
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

  /// The actions that effects and timers have dispatched and that have passed, whoever played them.
  var passedFromQueue: Set<String> {
    pairs.reduce(into: []) { $0.formUnion($1.passedFromQueue) }
  }
}
