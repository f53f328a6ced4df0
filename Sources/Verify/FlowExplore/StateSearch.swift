import CExplore
import FlowKernel
import FlowLanguage
import LuaRuntime
import Platform

/// A search under way: what is asked of each state, the slots that states consist of, and the engines that are asked
/// where nothing was learned yet.
///
/// Several threads search. Each plays the flow in engines of its own; what all of them know, slots, places and reasons, is
/// touched by who holds `lock`. Who has engines may take it, not the other way round.
final class StateSearch {
  /// What a trie is about.
  enum Asked {
    case move(ExploredMove)
    /// The effect of that number ends with its answer of that number.
    case end(effect: Int, answer: Int)
    case invariant(Int)
    /// Whether nothing needs to lead on from there.
    case ends
    /// What an exploration file says must hold.
    case property(Int)
    /// When what that property promises is to come.
    case when(Int)
    /// The same question of that file's: whether it goes on there, and whether it may end there.
    case said(AskedFunction)
    /// What follows once an action has passed that is played.
    case part
    /// Whether no more effects are under way than a file says.
    case effects
  }

  /// Who has refused, or what is wrong.
  struct Reason: Hashable {
    let text: String
    let place: SourcePlace?
    let isIdle: Bool
  }

  let flow: LoadedFlow
  let setup: ExplorationSetup
  let engines: EnginePairs
  /// Held while what all threads know is read or written.
  let lock = Lock()
  let bounds: ExplorationBounds
  private(set) var asked: [Asked] = []
  private(set) var reasons: [Reason] = []
  private var numbers: [Reason: UInt32] = [:]
  let slots: SlotTable
  let search: OpaquePointer
  private let link: Link
  /// What ended the search too soon.
  var error: ExplorationError?
  /// The slots that were ever looked at for a trie.
  var looked: [UInt32: Set<UInt32>] = [:]
  /// A trie that misses so often, and of late at every second time, is played from then on.
  ///
  /// Nil: as often as is usual.
  var playsAfter: Int?
  static let mostMovesLearned = 256
  /// A question is asked more cheaply than a move is made, and an invariant that goes through a list needs thousands of
  /// answers before it knows all.
  static let mostAnswersLearned = 4_096
  /// Tries that are learned by their paths alone: their continuations might go in a circle, or contradict each other.
  var unshared: Set<UInt32> = []
  /// How often each trie was missed, those that are played since, and what these have in common.
  var missed: [UInt32: Missed] = [:]
  var played: [UInt32: Played] = [:]
  var parts: [UInt32: UInt32] = [:]
  var heardOfProgress: ((StateSearch) -> Void)?
  /// Keeps it in a file, so that it can go on, and how long after the last time.
  var keep: ((StateSearch) throws -> Void)?
  var keepEvery: Duration?
  private var lastKept = ContinuousClock.now
  private var notKept: (any Error)?
  /// So many times as long as keeping it takes, nothing is kept.
  private static let leastBetween = 20
  /// What stops it, if it does not come to its end.
  var ending = SearchEnd()
  /// Stops all that is done once the search is over.
  var afterwards = SearchEnd()
  private var isSearching = false
  let checks: SelfCheck
  /// Whether it goes on with a search that was kept.
  private let isResumed: Bool
  /// What a checkpoint says that it is of; nil where none is written or read.
  private(set) var identity: CheckpointIdentity?
  /// A clause of the verdict that says that symmetry was checked in samples alone; nil if it was not assumed.
  var unchecked: String?
  /// The actions that had passed from the queue by then.
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
      throw ExplorationError(.memory, "there is no memory to begin with")
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
    if let checkpoint { try restore(checkpoint) } else { try begin() }
  }

  deinit { explore_close(search) }

  /// What callbacks are given: the session, as long as there is one.
  private final class Link {
    weak var session: StateSearch?
  }

  private static func of(_ owner: UnsafeMutableRawPointer?) -> StateSearch? {
    owner.flatMap { Unmanaged<Link>.fromOpaque($0).takeUnretainedValue().session }
  }

  /// Of more threads none would have anything to do.
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
      try add(.invariant(number), EXPLORE_QUESTION)
      try add(.invariant(number), EXPLORE_BOUND)
    }
    try add(.ends, EXPLORE_END)
    try addSaid()
    for (trie, asked) in asked.enumerated() {
      guard case .move(.action) = asked else { continue }
      parts[UInt32(trie)] = UInt32(self.asked.count)
      try add(.part, EXPLORE_PART)
    }
  }

  private func begin() throws {
    try engines.withFirst { pair in
      let engine = try pair.engine()
      let (canonical, failure) = engine.beginExploring()
      if let failure { throw ExplorationError(beginning: failure) }
      try begin(with: try values(of: try engine.exploredTree(), canonical), engine)
    }
  }

  func add(_ what: Asked, _ kind: explore_kind) throws(ExplorationError) {
    var trie: UInt32 = 0
    // What was kept has them all.
    if !isResumed { try ExplorationError.check(explore_add_trie(search, kind, &trie)) }
    asked.append(what)
  }

  /// The values of a state as an engine tells it, which are what its slots begin with if it is the first.
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

  /// Subjects in an order that is the same each time.
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
    // Where it stopped it can go on.
    if status == EXPLORE_STOPPED { try keep?(self) }
    // That there are no more numbers for states is no more than a bound that was reached, as that of memory is.
    let isFull = status == EXPLORE_NO_MEMORY || status == EXPLORE_TOO_MANY
    try ExplorationError.check(isFull ? EXPLORE_BOUNDED : status)
    return status
  }

  /// True if what is done once the search is over is stopped; it throws `error` then.
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
      // However large it grows, no more than a part of the time goes into keeping it.
      lastKept = .now
      self.keepEvery = max(keepEvery, (lastKept - began) * StateSearch.leastBetween)
    }
    return !ending.isDue
  }

  /// The reach of runs between states, also before a checkpoint.
  var transient: TransientReach { engines.transient.union(transientBefore) }

  /// Notes what ends the search, unless something has ended it already.
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

  /// The values of the slots of a state after writes to another one.
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

  /// The values of the slots of a state that is kept.
  func values(of state: UInt32) -> [UInt32] {
    var values = [UInt32](repeating: 0, count: slots.count)
    explore_values(search, state, &values, UInt32(values.count))
    return values
  }

  /// The move of a trie in a state.
  func move(_ trie: UInt32, _ values: Values) -> ExploredMove? {
    engines.withFirst { move(trie, values, $0) }
  }

  /// The same, for who has engines.
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

  /// What draws with these outcomes give a move.
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
