import CExplore
import FlowKernel
import FlowLanguage
import LuaRuntime
import Platform

/// A running search: the questions about each state, the slots of states, and the engines that answer on a miss.
///
/// Several threads search, and each plays the flow in its own engines. Access to the shared tables (slots, places,
/// reasons) requires `lock`. A thread that holds an engine pair may acquire `lock`, but not the other way round.
final class StateSearch {
  /// The subject of a decision trie.
  enum Asked {
    case move(ExploredMove)
    /// The end of the effect with that number, with its answer of that number.
    case end(effect: Int, answer: Int)
    case invariant(Int)
    /// The question whether the state is an end, which needs no move that leads on.
    case ends
    /// The question of the property with that number in the exploration file.
    case property(Int)
    /// The question whether that property's promise starts to count in the state.
    case when(Int)
    /// A question of the exploration file: `within`, whether the state is explored, or `ends`, whether it may be an
    /// end.
    case said(AskedFunction)
    /// The rest of a played action, after its gates have let it pass.
    case part
    /// The question whether no more effects are running than the exploration file allows.
    case effects
  }

  /// The reason of a refusal or a fault.
  struct Reason: Hashable {
    let text: String
    let place: SourcePlace?
    let isIdle: Bool
  }

  let flow: LoadedFlow
  let setup: ExplorationSetup
  let engines: EnginePairs
  /// The lock that protects the tables that all threads share.
  let lock = Lock()
  let bounds: ExplorationBounds
  private(set) var asked: [Asked] = []
  private(set) var reasons: [Reason] = []
  private var numbers: [Reason: UInt32] = [:]
  let slots: SlotTable
  let search: OpaquePointer
  private let link: Link
  /// The error that ended the search early; nil if there was none.
  var error: ExplorationError?
  /// The slots that each trie has ever read.
  var looked: [UInt32: Set<UInt32>] = [:]
  /// The number of misses after which a trie is played each time instead of learned.
  ///
  /// It also has to miss at every second use of late. Nil selects the usual number.
  var playsAfter: Int?
  static let mostMovesLearned = 256
  /// The number of misses after which a question is played each time instead of learned.
  ///
  /// It is higher than that for moves, because a question costs less than a move, and an invariant that iterates over a
  /// list may need thousands of answers until all are known.
  static let mostAnswersLearned = 4_096
  /// The tries that are learned by their paths alone: their continuations might form a cycle or contradict each other.
  var unshared: Set<UInt32> = []
  /// The number of misses of each trie, the tries that are played by now, and the parts that follow their gates.
  var missed: [UInt32: Missed] = [:]
  var played: [UInt32: Played] = [:]
  var parts: [UInt32: UInt32] = [:]
  /// The two tries of each invariant, each by the other: the question, and the bound of the search.
  private(set) var twins: [UInt32: UInt32] = [:]
  var heardOfProgress: ((StateSearch) -> Void)?
  /// Saves a checkpoint, from which the search can resume; `keepEvery` is the time between two of them.
  var keep: ((StateSearch) throws -> Void)?
  var keepEvery: Duration?
  private var lastKept = ContinuousClock.now
  private var notKept: (any Error)?
  /// The minimum ratio between the time from one checkpoint to the next and the time that saving one takes.
  private static let leastBetween = 20
  /// The condition that ends the search early.
  var ending = SearchEnd()
  /// The condition that ends the work after the search.
  var afterwards = SearchEnd()
  private var isSearching = false
  let checks: SelfCheck
  /// True if the search resumes from a checkpoint.
  private let isResumed: Bool
  /// The identity that checkpoints store; nil if none is written or read.
  private(set) var identity: CheckpointIdentity?
  /// A clause of the report that symmetry was checked in samples only; nil if no symmetry was assumed.
  var unchecked: String?
  /// The actions that had passed from the queue, and the states between moves, before the checkpoint.
  var transientBefore = TransientReach()

  init(
    _ flow: LoadedFlow, _ setup: ExplorationSetup, _ bounds: ExplorationBounds, jobs: Int,
    checks: SelfCheck = .some, resuming checkpoint: ExplorationCheckpoint? = nil,
    as identity: CheckpointIdentity? = nil
  ) throws {
    (self.flow, self.setup, self.bounds, self.checks) = (flow, setup, bounds, checks)
    isResumed = checkpoint != nil
    self.identity = identity
    let threads = min(max(1, jobs), StateSearch.mostThreads)
    engines = EnginePairs(flow, setup, threads: threads)
    var callbacks = explore_owner(
      miss: { owner, thread, trie, slots, count, draws, drawCount in
        StateSearch.of(owner)?.miss(
          thread, trie, UnsafeBufferPointer(start: slots, count: Int(count)),
          UnsafeBufferPointer(start: draws, count: Int(drawCount))) ?? EXPLORE_STOPPED
      },
      check: { owner, thread, trie, slots, count, draws, drawCount, leaf in
        StateSearch.of(owner)?.check(
          thread, trie, UnsafeBufferPointer(start: slots, count: Int(count)),
          UnsafeBufferPointer(start: draws, count: Int(drawCount)), leaf) ?? false
      },
      judge: { owner, thread, slots, count, judgements, judgementCount in
        StateSearch.of(owner)?.judge(
          thread, UnsafeBufferPointer(start: slots, count: Int(count)),
          UnsafeMutableBufferPointer(start: judgements, count: Int(judgementCount)))
      },
      progress: { StateSearch.of($0)?.progress() ?? false })
    let options = explore_options(
      max_states: bounds.states, max_depth: bounds.depth, memory: bounds.memory,
      threads: UInt32(threads), hashes: bounds.hashes, checks_all: checks == .all, keeps_going: true
    )
    if checks == .none { callbacks.check = nil }
    link = Link()
    guard
      let search = explore_open(options, &callbacks, Unmanaged.passUnretained(link).toOpaque())
    else {
      throw ExplorationError(.memory, "there is not enough memory to start")
    }
    self.search = search
    slots = SlotTable(
      search: search, alike: try StateSearch.alike(setup.said.alike, of: flow.flow, in: search),
      records: Dictionary(
        flow.flow.machines.compactMap { machine in machine.records.map { (machine.name, $0.path) }
        },
        uniquingKeysWith: { first, _ in first }))
    link.session = self
    try prepare()
    if identity != nil {
      let texts = try engines.withFirst { try $0.engine().vm.texts }
      self.identity?.add(modulesAmong: texts)
    }
    try checkPayloads()
    if let checkpoint { try restore(checkpoint) } else { try beginWithFlow() }
  }

  deinit { explore_close(search) }

  /// The context of the callbacks, which refers to the session weakly.
  private final class Link {
    weak var session: StateSearch?
  }

  private static func of(_ owner: UnsafeMutableRawPointer?) -> StateSearch? {
    owner.flatMap { Unmanaged<Link>.fromOpaque($0).takeUnretainedValue().session }
  }

  /// The maximum number of threads; more would have nothing to do.
  private static let mostThreads = 256

  // MARK: Beginning

  private func prepare() throws {
    for move in setup.moves { try add(.move(move), EXPLORE_MOVER) }
    if setup.passesTime { try add(.move(.time), EXPLORE_MOVER) }
    for effect in 0..<setup.mostEffects {
      for answer in 0..<setup.mostAnswers {
        try add(.end(effect: effect, answer: answer), EXPLORE_MOVER)
      }
    }
    for number in flow.flow.invariants.indices {
      let question = UInt32(asked.count)
      try add(.invariant(number), EXPLORE_QUESTION)
      try add(.invariant(number), EXPLORE_BOUND)
      (twins[question], twins[question + 1]) = (question + 1, question)
    }
    try add(.ends, EXPLORE_END)
    try addSaid()
    for (trie, asked) in asked.enumerated() {
      guard case .move(.action) = asked else { continue }
      parts[UInt32(trie)] = UInt32(self.asked.count)
      try add(.part, EXPLORE_PART)
    }
  }

  private func beginWithFlow() throws {
    try engines.withFirst { pair in
      let engine = try pair.engine()
      let (canonical, failure) = engine.beginExploring()
      if let failure { throw ExplorationError(beginning: failure) }
      try begin(with: try values(of: try engine.exploredTree(), canonical), engine)
    }
  }

  func add(_ what: Asked, _ kind: explore_kind) throws(ExplorationError) {
    var trie: UInt32 = 0
    // A checkpoint already contains all tries.
    if !isResumed { try ExplorationError.check(explore_add_trie(search, kind, &trie)) }
    asked.append(what)
  }

  /// Returns the slot values of a state that an engine reports; the values become the first ones of new slots.
  func values(
    of tree: [UInt8], _ canonical: CanonicalState
  ) throws(ExplorationError) -> [UInt32] {
    let form = try StateForm(reading: tree, &slots.places)
    if !slots.hasStates { slots.alike.find(in: form.contents, slots.places) }
    var contents = form.contents
    for (part, content) in canonical.parts { contents[.part(part)] = .part(content) }
    var values: [UInt32] = []
    for subject in slots.subjects + sorted(contents.keys) {
      let slot = try slots.slot(of: subject, first: contents[subject] ?? .absent)
      while values.count <= Int(slot) { values.append(0) }
      values[Int(slot)] = try slots.number(of: contents[subject] ?? .absent, in: slot)
    }
    slots.hasStates = true
    return values
  }

  /// Returns the subjects in a stable order.
  func sorted(_ subjects: some Sequence<SlotTable.Subject>) -> [SlotTable.Subject] {
    subjects.map { ($0, slots.places.title(of: $0)) }.sorted { $0.1 < $1.1 }.map(\.0)
  }

  // MARK: Running

  func run() throws -> explore_status {
    isSearching = true
    let status = explore_run(search)
    isSearching = false
    if let error { throw error }
    if let notKept { throw notKept }
    // A stopped search can resume from here.
    if status == EXPLORE_STOPPED { try keep?(self) }
    // If the search runs out of state numbers, that is a bound which was reached, like that of the memory.
    let isFull = status == EXPLORE_NO_MEMORY || status == EXPLORE_TOO_MANY
    try ExplorationError.check(isFull ? EXPLORE_BOUNDED : status)
    return status
  }

  /// True if the work after the search has to stop; sets `error` in that case.
  var isStoppedAfterwards: Bool {
    guard !isSearching, afterwards.isDue else { return false }
    end(with: ExplorationError(.stopped, "it was stopped"))
    return true
  }

  private func progress() -> Bool {
    if !isSearching { return !isStoppedAfterwards }
    heardOfProgress?(self)
    if let keepEvery, ContinuousClock.now - lastKept >= keepEvery {
      let began = ContinuousClock.now
      do {
        try keep?(self)
      } catch {
        notKept = error
        return false
      }
      // Saving takes at most a fixed share of the time, even if checkpoints get larger.
      lastKept = .now
      self.keepEvery = max(keepEvery, (lastKept - began) * StateSearch.leastBetween)
    }
    return !ending.isDue
  }

  /// The actions and machine states that occurred between states of the search, including those before a checkpoint.
  var transient: TransientReach { engines.transient.union(transientBefore) }

  /// Records the error that ends the search, unless there is one already.
  func end(with error: ExplorationError) {
    lock.locked { if self.error == nil { self.error = error } }
  }

  func number(of reason: Reason) -> UInt32 {
    if let known = numbers[reason] { return known }
    let number = UInt32(reasons.count)
    reasons.append(reason)
    numbers[reason] = number
    return number
  }

  // MARK: States

  typealias Values = UnsafeBufferPointer<UInt32>

  func content(_ subject: SlotTable.Subject, _ values: Values) -> SlotTable.Content {
    guard let slot = slots.find(subject) else { return .absent }
    return slots.content(Int(slot) < values.count ? values[Int(slot)] : 0, in: slot)
  }

  func tree(_ values: Values) -> [UInt8] {
    StateForm.tree(slots.places) { content($0, values) }
  }

  func canonical(_ values: Values) -> CanonicalState {
    var canonical = CanonicalState()
    for (part, slot) in slots.partSlots {
      guard Int(slot) < values.count,
        case .part(let content) = slots.content(values[Int(slot)], in: slot)
      else { continue }
      canonical[part] = content
    }
    return canonical
  }

  /// Returns the slot values of a state after writes to another state.
  static func values(of before: Values, after writes: some Sequence<explore_write>) -> [UInt32] {
    var after = Array(before)
    for write in writes {
      let slot = Int(write.slot & ~EXPLORE_COPY)
      while after.count <= slot { after.append(0) }
      after[slot] =
        write.slot & EXPLORE_COPY == 0
        ? write.value : Int(write.value) < before.count ? before[Int(write.value)] : 0
    }
    return after
  }

  /// Returns the slot values of a stored state.
  func values(of state: UInt32) -> [UInt32] {
    var values = [UInt32](repeating: 0, count: slots.count)
    explore_values(search, state, &values, UInt32(values.count))
    return values
  }

  /// Returns the move of a trie in a state; nil if there is none.
  func move(_ trie: UInt32, _ values: Values) -> ExploredMove? {
    engines.withFirst { move(trie, values, $0) }
  }

  /// Returns the move of a trie in a state, for a caller that already holds an engine pair.
  func move(_ trie: UInt32, _ values: Values, _ pair: EnginePair) -> ExploredMove? {
    switch asked[Int(trie)] {
    case .move(let move): return move
    case .end(let effect, let answer):
      let effects = pair.standing(in: values, self).canonical.effects
      guard effects.indices.contains(effect), effects.firstIndex(of: effects[effect]) == effect
      else {
        return nil
      }
      let answers = (try? answers(to: effects[effect], values, pair).list) ?? []
      guard answers.indices.contains(answer) else { return nil }
      return .end(effects[effect], answers[answer].action, answers[answer].payload)
    default: return nil
    }
  }

  /// Returns the values that a move draws for the given outcomes of chance.
  func drawn(by trie: UInt32, in state: UInt32, _ outcomes: [Int]) -> [Value] {
    let values = values(of: state)
    return values.withUnsafeBufferPointer { values in
      engines.withFirst { pair in
        guard let move = move(trie, values, pair), let engine = try? pair.engine(in: values, self),
          let run = try? engine.explore(move, draws: outcomes)
        else { return [] }
        return run.notes.compactMap {
          if case .draw(_, _, let value) = $0.what { value } else { nil }
        }
      }
    }
  }
}
