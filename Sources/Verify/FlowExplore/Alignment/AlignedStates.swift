import FlowKernel
import LuaRuntime
import Scenarios

/// A cache of the states that alignments have reached, and of their moves: each move is played once in a state.
final class AlignedStates {
  typealias Event = RecordedVariants.Event

  /// The result of a move.
  struct Step {
    let state: Int
    /// The number of the list of actions that came from the queue, which the log may contain or not.
    let queued: Int
  }

  private struct Key: Hashable {
    let state, move: Int
  }

  private let plain: ReferenceEngine
  /// The initial states of a case.
  private(set) var begins: [Int] = []
  /// The moves that may be inserted where the log has none.
  private(set) var inserted: [Int] = []
  private var states: [ReferenceEngine.State] = []
  private var numbers: [ReferenceEngine.State: Int] = [:]
  /// For each state, true if all invariants hold in it.
  private var holds: [Bool] = []
  private var moves: [ExploredMove] = []
  private var moveNumbers: [ExploredMove: Int] = [:]
  private var queues: [[Event]] = [[]]
  private var queueNumbers: [[Event]: Int] = [[]: 0]
  private var steps: [Key: [Step]] = [:]
  private var ends: [Int: [(ExploredEffect, [ExplorationSetup.Answer])]] = [:]

  /// The maximum number of cached states; all are dropped beyond it, or beyond four times as many steps.
  private static let most = 1 << 18

  init(_ flow: LoadedFlow, _ setup: ExplorationSetup) throws {
    plain = try ReferenceEngine(flow, setup)
    try start()
  }

  private func start() throws {
    let first = try plain.begin()
    let givens = plain.setup.said.givens
    let all =
      givens.isEmpty ? [first] : try givens.map { [plain] in try plain.begin(with: $0, in: first) }
    begins = try all.map(number)
    inserted = plain.setup.moves.map(number)
  }

  /// Drops all cached data if there is too much; states and moves get new numbers then.
  func reserve() throws {
    guard states.count > AlignedStates.most || steps.count > 4 * AlignedStates.most else { return }
    (states, numbers, holds, moves, moveNumbers) = ([], [:], [], [], [:])
    (queues, queueNumbers, steps, ends) = ([[]], [[]: 0], [:], [:])
    try start()
  }

  func number(_ move: ExploredMove) -> Int {
    if let known = moveNumbers[move] { return known }
    moveNumbers[move] = moves.count
    moves.append(move)
    return moves.count - 1
  }

  func move(_ number: Int) -> ExploredMove { moves[number] }

  private func number(_ state: ReferenceEngine.State) throws -> Int {
    if let known = numbers[state] { return known }
    holds.append(try plain.brokenInvariants(in: state).isEmpty)
    numbers[state] = states.count
    states.append(state)
    return states.count - 1
  }

  private func number(_ queue: [Event]) -> Int {
    if let known = queueNumbers[queue] { return known }
    queueNumbers[queue] = queues.count
    queues.append(queue)
    return queues.count - 1
  }

  // MARK: Moves

  /// Returns the results of a move in a state, one for each outcome of chance; empty if it does not pass.
  func steps(_ move: Int, from state: Int) throws -> [Step] {
    let key = Key(state: state, move: move)
    if let known = steps[key] { return known }
    var found: [Step] = []
    try play(moves[move], from: state) { told in
      guard case .passed = told.ending, !told.endWasRefused else { return }
      let next = try number(ReferenceEngine.State(tree: told.tree, canonical: told.canonical))
      guard holds[next] else { return }
      found.append(Step(state: next, queued: number(AlignedStates.queued(told))))
    }
    steps[key] = found
    return found
  }

  /// Plays a move with all outcomes of chance.
  private func play(
    _ move: ExploredMove, from state: Int, _ each: (ExploredTelling) throws -> Void
  ) throws {
    var draws: [Int] = []
    while true {
      let told = try plain.tell(move, draws: draws, from: states[state])
      try each(told)
      var outcomes = told.outcomes
      draws = outcomes.indices.map { $0 < draws.count ? draws[$0] : 0 }
      while let last = draws.last, let among = outcomes.last, last + 1 >= among {
        draws.removeLast()
        outcomes.removeLast()
      }
      guard let index = draws.indices.last else { return }
      draws[index] += 1
    }
  }

  /// Returns the actions that came from the queue during a move, in order.
  private static func queued(_ told: ExploredTelling) -> [Event] {
    told.steps.compactMap { step in
      guard step.isFromQueue, case .passed(let commit) = step.outcome else { return nil }
      return Event(action: commit.action, payload: commit.payload)
    }
  }

  /// Returns the rest of a queue list after an event of the log; nil if the list does not contain the event.
  func rest(of queue: Int, behind event: Event) -> Int? {
    let queue = queues[queue]
    guard let index = queue.firstIndex(where: { $0.shows(event) }) else { return nil }
    return number(Array(queue[(index + 1)...]))
  }

  /// Returns the moves that are possible in a state without an event in the log: passing time and ending effects.
  func silent(in state: Int) throws -> [Int] {
    let time = plain.setup.passesTime ? [number(.time)] : []
    return try time
      + ends(in: state).flatMap { effect, answers in
        answers.map { number(.end(effect, $0.action, $0.payload)) }
      }
  }

  /// Returns the moves by which running effects end with the action of an event.
  func ends(with event: Event, in state: Int) throws -> [Int] {
    try ends(in: state).compactMap { effect, answers in
      guard answers.contains(where: { $0.action == event.action }) else { return nil }
      return number(.end(effect, event.action, event.payload))
    }
  }

  private func ends(in state: Int) throws -> [(ExploredEffect, [ExplorationSetup.Answer])] {
    if states[state].canonical.effects.isEmpty { return [] }
    if let known = ends[state] { return known }
    let found = try plain.ends(in: states[state]).map { ($0.effect, $0.answers) }
    ends[state] = found
    return found
  }

  /// Returns true if an event cannot pass in any state: the action does not exist, or its payload is invalid.
  func isHopeless(_ event: Event) throws -> Bool {
    guard let begin = begins.first else { return false }
    let told = try plain.tell(
      .action(event.action, event.payload), draws: [], from: states[begin])
    guard case .failed(let failure) = told.ending else { return false }
    if failure.kind == .payload { return true }
    return failure.kind == .undeclared && plain.flow.action(named: event.action) == nil
  }

  /// Returns the reason why an event is left out in a state.
  func reason(against event: Event, in state: Int) throws -> String {
    var reason: String?
    try play(.action(event.action, event.payload), from: state) { told in
      guard reason == nil else { return }
      switch told.ending {
      case .refused(let refusal): reason = "\(refusal)"
      case .failed(let failure): reason = failure.summary
      case .idle: break
      case .passed:
        let next = ReferenceEngine.State(tree: told.tree, canonical: told.canonical)
        reason = try plain.brokenInvariants(in: next).first?.failure.summary
      }
    }
    return reason ?? "it passes there, but fewer of the later events would"
  }
}

extension ReferenceEngine {
  /// Plays a move, and returns each action that came up.
  fileprivate func tell(
    _ move: ExploredMove, draws: [Int], from state: State
  ) throws -> ExploredTelling {
    try engine.load(state: state.tree, state.canonical)
    let told = try engine.tell(move, draws: draws)
    if let problem = told.problem { throw ExplorationError(.flow, setup.sentence(problem, move)) }
    return told
  }
}

extension RecordedVariants.Event {
  /// Returns true if an event of a log is this one; a log may contain fewer payload fields.
  fileprivate func shows(_ event: Self) -> Bool {
    guard event.action == action else { return false }
    guard case .record(let logged) = event.payload, case .record(let own) = payload else {
      return event.payload == payload
    }
    return logged.allSatisfy { name, value in own[name].map { $0.isAlike(value) } ?? false }
  }
}

extension Value {
  /// Returns true if the values are equal, including an integer and a floating-point number of equal size.
  fileprivate func isAlike(_ other: Value) -> Bool {
    switch (self, other) {
    case (.integer(let integer), .number(let number)), (.number(let number), .integer(let integer)):
      Double(integer) == number
    default: self == other
    }
  }
}
