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
  }

  /// Who has refused, or what is wrong.
  struct Reason: Hashable {
    let text: String
    let place: SourcePlace?
    let isIdle: Bool
  }

  let flow: LoadedFlow
  let setup: ExplorationSetup
  private let engine: Engine
  private let checker: Engine
  private(set) var asked: [Asked] = []
  private(set) var reasons: [Reason] = []
  private var numbers: [Reason: UInt32] = [:]
  private(set) var slots: SlotTable
  let search: OpaquePointer
  private let link: Link
  /// What ended the search too soon.
  private(set) var error: ExplorationError?
  /// Failures by their reasons, for people.
  private(set) var failures: [UInt32: DispatchFailure] = [:]
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
    let (ledger, failure) = engine.beginExploring()
    if let failure { throw ExplorationError(.flow, "\(failure)") }
    try begin(try engine.exploredTree(), ledger)
  }

  private func add(_ what: Asked, _ kind: explore_kind) throws(ExplorationError) {
    var trie: UInt32 = 0
    try ExplorationError.check(explore_add_trie(search, kind, &trie))
    asked.append(what)
  }

  private func begin(_ tree: [UInt8], _ ledger: ExploredLedger) throws(ExplorationError) {
    let form = try StateForm(reading: tree, &slots.places)
    var values: [UInt32] = []
    var contents = form.contents
    for (part, content) in ledger.parts { contents[.part(part)] = .part(content) }
    for subject in sorted(contents.keys) {
      let slot = try slots.slot(of: subject, first: contents[subject] ?? .absent)
      while values.count <= Int(slot) { values.append(0) }
      values[Int(slot)] = try slots.number(of: contents[subject] ?? .absent, in: slot)
    }
    slots.hasStates = true
    try ExplorationError.check(explore_begin(search, values, UInt32(values.count)))
  }

  /// Subjects in an order that is the same each time.
  private func sorted(_ subjects: some Sequence<SlotTable.Subject>) -> [SlotTable.Subject] {
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

  private func content(_ subject: SlotTable.Subject, _ values: Values) -> SlotTable.Content {
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
      guard effects.indices.contains(effect), effects.firstIndex(of: effects[effect]) == effect else {
        return nil
      }
      let answers = setup.answers(to: effects[effect])
      guard answers.indices.contains(answer) else { return nil }
      return .end(effects[effect], answers[answer].action, answers[answer].payload)
    default: return nil
    }
  }

  /// What draws with these outcomes give a move.
  func drawn(by trie: UInt32, in state: UInt32, _ outcomes: [Int]) -> [Value] {
    let values = values(of: state)
    return values.withUnsafeBufferPointer { values in
      guard let move = move(trie, values), (try? engine.stand(in: tree(values), ledger(values))) != nil,
        let run = try? engine.explore(move, draws: outcomes)
      else { return [] }
      return run.notes.compactMap { if case .draw(_, _, let value) = $0.what { value } else { nil } }
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
    guard let move = move(trie, values) else { return try learnIdle(trie, values) }
    try engine.stand(in: tree, ledger)
    let run = try engine.explore(move, draws: draws)
    if let problem = run.problem { throw ExplorationError(.flow, setup.sentence(problem, move)) }
    let before = try StateForm(reading: run.trace.before, &slots.places)
    let after = try StateForm(reading: run.trace.after, &slots.places)
    var first = sorted(
      run.fields.map { .place(slots.places.number(of: .field($0), in: PlaceTable.root)) })
    first += run.memories.sorted().map { .part(.memory(machine: $0)) }
    if case .end = move { first.append(.part(.effects)) }
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

  private func learnIdle(_ trie: UInt32, _ values: Values) throws {
    let reason = number(of: Reason(text: "", place: nil, isIdle: true))
    try learn(
      trie, values, [.subject(.part(.effects))], [:], ledger(values), EXPLORE_REFUSED, reason, [])
  }

  private func learn(_ trie: UInt32, _ values: Values, invariant number: Int) throws {
    let ledger = ledger(values)
    try engine.stand(in: tree(values), ledger)
    let (broken, trace, notes) = try engine.explore(invariant: number)
    let before = try StateForm(reading: trace.before, &slots.places)
    let lesson = try Lesson(
      trace, notes, before: before, after: before, first: [], &slots.places)
    var reason: UInt32 = 0
    if let broken {
      reason = self.number(of: Reason(text: broken.message, place: nil, isIdle: false))
      failures[reason] = broken
    }
    try learn(
      trie, values, lesson.looks, before.contents, ledger,
      broken == nil ? EXPLORE_PASSES : EXPLORE_REFUSED, reason, [])
  }

  /// Nothing needs to lead on where all machines stand in final states.
  private func learnEnd(_ trie: UInt32, _ values: Values) throws {
    let fields = flow.flow.finalStates
    let looks = sorted(
      fields.keys.map { .place(slots.places.number(of: .field($0), in: PlaceTable.root)) })
    var contents: StateForm.Contents = [:]
    for look in looks { contents[look] = content(look, values) }
    let isEnd =
      !fields.isEmpty
      && fields.allSatisfy { field, finals in
        let place = slots.places.number(of: .field(field), in: PlaceTable.root)
        guard case .text(let state) = content(.place(place), values) else { return false }
        return finals.contains(state)
      }
    try learn(
      trie, values, looks.map { .subject($0) }, contents, ledger(values),
      isEnd ? EXPLORE_PASSES : EXPLORE_REFUSED, 0, [])
  }

  private func learn(
    _ trie: UInt32, _ values: Values, _ looks: [Lesson.Look], _ before: StateForm.Contents,
    _ ledger: ExploredLedger, _ kind: explore_leaf_kind, _ reason: UInt32,
    _ writes: [explore_read]
  ) throws(ExplorationError) {
    var reads: [explore_read] = []
    var known: Set<UInt32> = []
    for look in looks {
      switch look {
      case .draw(let count, let outcome):
        reads.append(
          explore_read(slot: UInt32(EXPLORE_DRAW) | UInt32(count), value: UInt32(outcome)))
      case .subject(let subject):
        var content = before[subject] ?? .absent
        if case .part(let part) = subject { content = ledger[part].map { .part($0) } ?? .absent }
        let slot = try slots.slot(of: subject, first: content)
        known.insert(slot)
        reads.append(explore_read(slot: slot, value: try slots.number(of: content, in: slot)))
      }
    }
    func learn() -> explore_status {
      writes.withUnsafeBufferPointer {
        explore_learn(
          search, trie, reads, UInt32(reads.count),
          explore_leaf(
            kind: kind, reason: reason, writes: $0.baseAddress, write_count: UInt32($0.count)))
      }
    }
    var status = learn()
    if status == EXPLORE_INCONSISTENT {
      // It looked at less than what is known asks for: to say that it looked at all of the state is true too.
      for slot in 0..<UInt32(slots.count) where !known.contains(slot) {
        reads.append(
          explore_read(slot: slot, value: Int(slot) < values.count ? values[Int(slot)] : 0))
      }
      status = learn()
    }
    try ExplorationError.check(status)
  }

  // MARK: Self-check

  private func check(
    _ trie: UInt32, _ values: Values, _ draws: Values, _ leaf: UInt32
  ) -> Bool {
    guard case .move = asked[Int(trie)], let move = move(trie, values) else { return true }
    do {
      try checker.stand(in: tree(values), ledger(values))
      let run = try checker.check(move, draws: draws.map(Int.init))
      let known = explore_leaf_at(search, leaf)
      switch (run.ending, known.kind) {
      case (.passed, EXPLORE_PASSES):
        var after = Array(values)
        for write in UnsafeBufferPointer(start: known.writes, count: Int(known.write_count)) {
          while after.count <= Int(write.slot) { after.append(0) }
          after[Int(write.slot)] = write.value
        }
        return after.withUnsafeBufferPointer { after in
          tree(after) == run.tree && ledger(after) == run.ledger
        }
      case (.refused, EXPLORE_REFUSED), (.idle, EXPLORE_REFUSED), (.failed, EXPLORE_FAILED):
        return true
      default: return false
      }
    } catch {
      return false
    }
  }
}

extension PlaceTable {
  /// What messages and orders call a subject.
  func title(of subject: SlotTable.Subject) -> String {
    switch subject {
    case .place(let place): "1 \(path(of: place))"
    case .shape(let place): "1 \(path(of: place)) #"
    case .part(let part): "2 \(part)"
    }
  }
}
