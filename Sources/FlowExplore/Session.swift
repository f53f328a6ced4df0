import CExplore
import LuaRuntime
import Moonlatch

/// A search under way: what is asked of each state, the slots that states consist of, and an engine that is asked where
/// nothing was learned yet.
final class Session {
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
  }

  /// Who has refused, or what is wrong.
  struct Reason: Hashable {
    let text: String
    let place: SourcePlace?
    let isIdle: Bool
  }

  let flow: LoadedFlow
  let setup: ExplorationSetup
  let engine: Engine
  let checker: Engine
  private(set) var asked: [Asked] = []
  private(set) var reasons: [Reason] = []
  private var numbers: [Reason: UInt32] = [:]
  var slots: SlotTable
  let search: OpaquePointer
  private let link: Link
  /// What ended the search too soon.
  var error: ExplorationError?
  /// Failures by their reasons, for people.
  var failures: [UInt32: DispatchFailure] = [:]
  /// The slots that were ever looked at for a trie.
  private var looked: [UInt32: Set<UInt32>] = [:]
  /// What a function has said last that an effect may end with.
  var lastAnswers: Answers?
  var heardOfProgress: ((Session) -> Bool)?

  init(_ flow: LoadedFlow, _ setup: ExplorationSetup, _ bounds: ExplorationBounds) throws {
    (self.flow, self.setup) = (flow, setup)
    engine = try Session.engine(of: flow, setup, traces: true)
    checker = try Session.engine(of: flow, setup, traces: false)
    var callbacks = explore_owner(
      miss: { owner, thread, trie, slots, count, draws, drawCount in
        Session.of(owner)?.miss(
          trie, UnsafeBufferPointer(start: slots, count: Int(count)),
          UnsafeBufferPointer(start: draws, count: Int(drawCount))) ?? EXPLORE_STOPPED
      },
      check: { owner, thread, trie, slots, count, draws, drawCount, leaf in
        Session.of(owner)?.check(
          trie, UnsafeBufferPointer(start: slots, count: Int(count)),
          UnsafeBufferPointer(start: draws, count: Int(drawCount)), leaf) ?? false
      },
      progress: { Session.of($0)?.progress() ?? false })
    let options = explore_options(
      max_states: bounds.states, max_depth: bounds.depth, memory: bounds.memory,
      threads: 1, hashes: bounds.hashes, keeps_going: true)
    link = Link()
    guard
      let search = explore_open(options, &callbacks, Unmanaged.passUnretained(link).toOpaque())
    else {
      throw ExplorationError(.memory, "there is no memory to begin with")
    }
    self.search = search
    slots = SlotTable(search: search)
    link.session = self
    try prepare()
  }

  deinit { explore_close(search) }

  /// What callbacks are given: the session, as long as there is one.
  private final class Link {
    weak var session: Session?
  }

  private static func of(_ owner: UnsafeMutableRawPointer?) -> Session? {
    owner.flatMap { Unmanaged<Link>.fromOpaque($0).takeUnretainedValue().session }
  }

  private static func engine(
    of flow: LoadedFlow, _ setup: ExplorationSetup, traces: Bool
  ) throws -> Engine {
    let engine = try Engine(flow, limits: setup.limits, log: ScriptLog { _ in })
    engine.exploredUnits = setup.units
    try setup.said.install(in: engine.vm, limits: setup.limits)
    try engine.startExploring(traces: traces)
    return engine
  }

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
    let (ledger, failure) = engine.beginExploring()
    if let failure { throw ExplorationError(.flow, "\(failure)") }
    try begin(with: try values(of: try engine.exploredTree(), ledger))
  }

  func add(_ what: Asked, _ kind: explore_kind) throws(ExplorationError) {
    var trie: UInt32 = 0
    try ExplorationError.check(explore_add_trie(search, kind, &trie))
    asked.append(what)
  }

  /// The values of a state as an engine tells it, which are what its slots begin with if it is the first.
  func values(
    of tree: [UInt8], _ ledger: ExploredLedger
  ) throws(ExplorationError) -> [UInt32] {
    let form = try StateForm(reading: tree, &slots.places)
    var contents = form.contents
    for (part, content) in ledger.parts { contents[.part(part)] = .part(content) }
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

  func run() throws(ExplorationError) -> explore_status {
    let status = explore_run(search)
    if let error { throw error }
    try ExplorationError.check(status == EXPLORE_NO_MEMORY ? EXPLORE_BOUNDED : status)
    return status
  }

  private func progress() -> Bool { heardOfProgress?(self) ?? true }

  /// The actions that effects and timers have dispatched and that have passed.
  var passedFromQueue: Set<String> { engine.explorersPassed }

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

  func ledger(_ values: Values) -> ExploredLedger {
    var ledger = ExploredLedger()
    for (slot, subject) in slots.subjects.enumerated() {
      guard case .part(let part) = subject, slot < values.count,
        case .part(let content) = slots.content(values[slot], in: UInt32(slot))
      else { continue }
      ledger[part] = content
    }
    return ledger
  }

  /// The values of the slots of a state that is kept.
  func values(of state: UInt32) -> [UInt32] {
    var values = [UInt32](repeating: 0, count: slots.count)
    explore_values(search, state, &values, UInt32(values.count))
    return values
  }

  /// The move of a trie in a state.
  func move(_ trie: UInt32, _ values: Values) -> ExploredMove? {
    switch asked[Int(trie)] {
    case .move(let move): return move
    case .end(let effect, let answer):
      let effects = ledger(values).effects
      guard effects.indices.contains(effect), effects.firstIndex(of: effects[effect]) == effect
      else {
        return nil
      }
      let answers = (try? answers(to: effects[effect], values).list) ?? []
      guard answers.indices.contains(answer) else { return nil }
      return .end(effects[effect], answers[answer].action, answers[answer].payload)
    default: return nil
    }
  }

  /// What draws with these outcomes give a move.
  func drawn(by trie: UInt32, in state: UInt32, _ outcomes: [Int]) -> [Value] {
    let values = values(of: state)
    return values.withUnsafeBufferPointer { values in
      guard let move = move(trie, values),
        (try? engine.stand(in: tree(values), ledger(values))) != nil,
        let run = try? engine.explore(move, draws: outcomes)
      else { return [] }
      return run.notes.compactMap {
        if case .draw(_, _, let value) = $0.what { value } else { nil }
      }
    }
  }

  // MARK: Misses

  private func miss(
    _ trie: UInt32, _ values: Values, _ draws: Values
  ) -> explore_status {
    do {
      switch asked[Int(trie)] {
      case .move, .end: try learn(moving: trie, values, draws.map(Int.init))
      case .invariant(let number): try learn(trie, values, invariant: number)
      case .ends: try learnEnd(trie, values)
      case .property(let number):
        try learn(trie, values, setup.said.properties[number], by: draws.first)
      case .when(let number):
        if let when = setup.said.properties[number].when { try learn(trie, values, asking: when) }
      case .said(let function): try learn(trie, values, asking: function)
      }
      return EXPLORE_OK
    } catch let error as ExplorationError {
      self.error = error
    } catch {
      self.error = ExplorationError(.flow, "\(error)")
    }
    return EXPLORE_STOPPED
  }

  private func learn(moving trie: UInt32, _ values: Values, _ draws: [Int]) throws {
    let (tree, ledger) = (tree(values), ledger(values))
    let asked = try looksOfAnswers(trie, values)
    guard let move = move(trie, values) else { return try learnIdle(trie, values, asked) }
    try engine.stand(in: tree, ledger)
    let run = try engine.explore(move, draws: draws)
    if let problem = run.problem { throw ExplorationError(.flow, setup.sentence(problem, move)) }
    if run.ledger.effects.count > setup.mostEffects {
      throw ExplorationError(
        .setup,
        "more than \(setup.mostEffects) effects are under way at once: say how many there may be in "
          + "NAME.explore.lua, effects = { at_most = \(setup.mostEffects * 2) }")
    }
    let before = try StateForm(reading: run.trace.before, &slots.places)
    let after = try StateForm(reading: run.trace.after, &slots.places)
    var first = sorted(
      run.fields.map { .place(slots.places.number(of: .field($0), in: PlaceTable.root)) })
    first += run.memories.sorted().map { .part(.memory(machine: $0)) }
    if case .end = move { first += [.part(.effects)] + asked }
    var lesson = try Lesson(
      run.trace, run.notes, before: before, after: after, first: first, &slots.places)
    if run.looksAtRecords || !run.trace.isWhole { lesson.lookDeep(PlaceTable.root) }
    let reason: Reason
    var kind = EXPLORE_PASSES
    var writes: [explore_read] = []
    switch run.ending {
    case .passed:
      reason = Reason(text: "", place: nil, isIdle: false)
      for (subject, content) in lesson.changes((ledger, run.ledger)).sorted(by: {
        slots.places.title(of: $0.subject) < slots.places.title(of: $1.subject)
      }) {
        let slot = try slots.slot(of: subject, first: before.contents[subject] ?? .absent)
        writes.append(
          explore_read(slot: slot, value: try slots.number(of: content, in: slot)))
      }
    case .refused(let refusal):
      kind = EXPLORE_REFUSED
      reason = Reason(text: "\(refusal)", place: refusal.place, isIdle: false)
    case .idle:
      kind = EXPLORE_REFUSED
      reason = Reason(text: "", place: nil, isIdle: true)
    case .failed(let failure):
      kind = EXPLORE_FAILED
      reason = Reason(
        text: failure.message, place: nil, isIdle: false)
      failures[number(of: reason)] = failure
    }
    try learn(
      trie, values, lesson.looks, before.contents, ledger, kind, number(of: reason), writes)
  }

  private func learnIdle(
    _ trie: UInt32, _ values: Values, _ asked: [SlotTable.Subject]
  ) throws {
    let reason = number(of: Reason(text: "", place: nil, isIdle: true))
    let looks = ([.part(.effects)] + asked).map { Lesson.Look.subject($0) }
    var contents: StateForm.Contents = [:]
    for subject in asked { contents[subject] = content(subject, values) }
    try learn(trie, values, looks, contents, ledger(values), EXPLORE_REFUSED, reason, [])
  }

  func learn(
    _ trie: UInt32, _ values: Values, _ looks: [Lesson.Look], _ before: StateForm.Contents,
    _ ledger: ExploredLedger, _ kind: explore_leaf_kind, _ reason: UInt32,
    _ writes: [explore_read]
  ) throws(ExplorationError) {
    let reads = try reads(of: looks, before, ledger)
    try learn(trie, values, reads, kind, reason, writes)
  }

  /// What was looked at, as numbers.
  func reads(
    of looks: [Lesson.Look], _ before: StateForm.Contents, _ ledger: ExploredLedger
  ) throws(ExplorationError) -> [explore_read] {
    var reads: [explore_read] = []
    for look in looks {
      switch look {
      case .draw(let count, let outcome):
        reads.append(
          explore_read(slot: UInt32(EXPLORE_DRAW) | UInt32(count), value: UInt32(outcome)))
      case .subject(let subject):
        var content = before[subject] ?? .absent
        if case .part(let part) = subject { content = ledger[part].map { .part($0) } ?? .absent }
        let slot = try slots.slot(of: subject, first: content)
        reads.append(explore_read(slot: slot, value: try slots.number(of: content, in: slot)))
      }
    }
    return reads
  }

  /// - Parameter values: of the state; for a step those of both states, and by which move.
  func learn(
    _ trie: UInt32, _ values: Values, _ reads: [explore_read], _ kind: explore_leaf_kind,
    _ reason: UInt32, _ writes: [explore_read], by mover: UInt32 = EXPLORE_NONE
  ) throws(ExplorationError) {
    var reads = reads
    func learn() -> explore_status {
      writes.withUnsafeBufferPointer {
        explore_learn(
          search, trie, reads, UInt32(reads.count),
          explore_leaf(
            kind: kind, reason: reason, writes: $0.baseAddress, write_count: UInt32($0.count)))
      }
    }
    var status = learn()
    let known = Set(reads.map(\.slot))
    if status == EXPLORE_INCONSISTENT {
      // It looked at less than what is known asks for: to say that it looked at all of that is true too.
      for slot in (looked[trie] ?? []).subtracting(known).sorted() {
        if let value = value(of: slot, values, by: mover) {
          reads.append(explore_read(slot: slot, value: value))
        }
      }
      status = learn()
    }
    looked[trie, default: []].formUnion(known)
    try ExplorationError.check(status)
  }

  /// What stands in a slot; nil for a draw.
  private func value(of slot: UInt32, _ values: Values, by mover: UInt32) -> UInt32? {
    if slot & UInt32(EXPLORE_DRAW) != 0 { return nil }
    if slot & UInt32(EXPLORE_BY) != 0 { return mover }
    let count = mover == EXPLORE_NONE ? values.count : values.count / 2
    let number = Int(slot & ~EXPLORE_AFTER)
    guard number < count else { return 0 }
    return values[slot & EXPLORE_AFTER == 0 ? number : count + number]
  }
}
