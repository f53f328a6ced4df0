import FlowKernel
import FlowLanguage
import LuaRuntime

/// A violation that a walk has reached, regardless of the values.
enum WalkFault: Hashable, Sendable {
  case invariant(String)
  /// The violated property, by its number in the file.
  case property(Int)
  case failure(FaultPlace)
  case deadlock
}

/// A finished walk.
struct Walk: Sendable {
  struct Found: Sendable {
    let fault: WalkFault
    let sentence: String
  }

  /// The number of its initial state.
  let begin: Int
  var steps: [WalkStep] = []
  var found: [Found] = []
  /// The `sometimes` properties with a witness, and the number of steps to it.
  var witnesses: [Int: Int] = [:]
  /// The number of steps to states that must not be expanded; they were undone.
  var outside = 0
}

/// A walker through a flow, with an engine of its own.
final class Walker {
  let plain: ReferenceEngine
  let begins: [ReferenceEngine.State]
  private let moves: WalkMoves
  private let end: SearchEnd
  /// The actions that passed when dispatched from outside.
  private var passedByHand: Set<String> = []

  /// The number of payloads to try of each action before the next action; for random payloads, the number to try at
  /// all.
  private static let tries = 4
  private static let drawnTries = 8

  init(_ flow: LoadedFlow, _ setup: ExplorationSetup, until end: SearchEnd) throws {
    plain = try ReferenceEngine(flow, setup)
    moves = WalkMoves(setup)
    self.end = end
    let first = try plain.begin()
    let givens = setup.said.givens
    begins =
      givens.isEmpty ? [first] : try givens.map { [plain] in try plain.begin(with: $0, in: first) }
  }

  private var properties: [Property] { plain.setup.said.properties }

  // MARK: Walking

  /// Walks at most the given number of steps from a random initial state; a violation ends the walk.
  func walk(steps most: Int, _ random: SeededRandom) throws -> Walk {
    var random = random
    var walk = Walk(begin: Int.random(in: begins.indices, using: &random))
    var state = begins[walk.begin]
    try look(at: state, &walk)
    if try isOutside(state) { return walk }
    for _ in 0..<most {
      guard walk.found.isEmpty, !end.isDue,
        let (step, play) = try self.step(from: state, &random, &walk)
      else { break }
      walk.steps.append(step)
      guard case .passed = play.ending else { break }
      try look(at: step.move, from: state, to: play.state, &walk)
      if walk.found.isEmpty, try isOutside(play.state) {
        walk.steps.removeLast()
        walk.outside += 1
      } else {
        state = play.state
      }
    }
    return walk
  }

  /// Returns a step that passes or fails; nil if there is none.
  private func step(
    from state: ReferenceEngine.State, _ random: inout SeededRandom, _ walk: inout Walk
  ) throws -> (WalkStep, ReferenceEngine.Play)? {
    var rest: [ExploredMove] = []
    var isSure = true
    for group in try moves.groups(in: state, of: plain).shuffled(using: &random) {
      var tried: [ExploredMove] = []
      switch group {
      case .moves(let all):
        tried = (0..<min(Walker.tries, all.count)).compactMap { _ in
          all.randomElement(using: &random)
        }
        rest += all
      case .drawn(let name, let type):
        isSure = false
        tried = draw(type, &random).map { .action(name, $0) }
      case .drawnEnd(let effect, let name, let type):
        isSure = false
        tried = draw(type, &random).map { .end(effect, name, $0) }
      }
      for move in tried {
        if let found = try attempt(move, from: state, &random, &walk) { return found }
      }
    }
    for move in rest.shuffled(using: &random) {
      if let found = try attempt(move, from: state, &random, &walk) { return found }
    }
    if isSure, try isDeadlock(state) { walk.found.append(Walker.deadlock) }
    return nil
  }

  private func draw(_ type: PayloadType, _ random: inout SeededRandom) -> [Value] {
    var payloads = RandomPayload(random: random)
    defer { random = payloads.random }
    return (0..<Walker.drawnTries).map { _ in payloads.value(of: type) }
  }

  private func attempt(
    _ move: ExploredMove, from state: ReferenceEngine.State, _ random: inout SeededRandom,
    _ walk: inout Walk
  ) throws -> (WalkStep, ReferenceEngine.Play)? {
    var draws: [Int] = []
    while true {
      let play = try plain.play(move, draws: draws, from: state)
      if draws.count < play.outcomes.count {
        draws.append(Int.random(in: 0..<max(1, play.outcomes[draws.count]), using: &random))
        continue
      }
      let step = WalkStep(move: move, draws: draws)
      switch play.ending {
      case .passed:
        if case .action(let name, _) = move { passedByHand.insert(name) }
        return (step, play)
      case .failed(let failure):
        // The flow need not accept a random payload.
        if failure.kind == .payload { return nil }
        walk.found.append(Walker.found(failure, by: move))
        return (step, play)
      case .refused, .idle: return nil
      }
    }
  }

  // MARK: Checking

  private static func found(_ failure: DispatchFailure, by move: ExploredMove) -> Walk.Found {
    let mover =
      switch move {
      case .action(let name, _): name
      case .time: "time"
      case .end: "effect"
      }
    return Walk.Found(
      fault: .failure(FaultPlace(mover: mover, "\(failure)")), sentence: "\(failure)")
  }

  private static let deadlock = Walk.Found(
    fault: .deadlock, sentence: "deadlock: no step is possible here")

  /// The actions that passed, dispatched from outside or from the queue.
  var passed: Set<String> { passedByHand.union(plain.engine.transientReach.actions) }

  /// Checks the invariants and the properties of states in a state.
  private func look(at state: ReferenceEngine.State, _ walk: inout Walk) throws {
    for (name, failure) in try plain.brokenInvariants(in: state) {
      walk.found.append(.init(fault: .invariant(name), sentence: "\(failure)"))
    }
    for (number, property) in properties.enumerated() {
      switch property.kind {
      case .always, .never:
        let verdict = try plain.verdict(property.asked, in: state)
        if verdict.holds == (property.kind == .never) {
          walk.found.append(Walker.found(property, number, verdict))
        }
      case .sometimes where walk.witnesses[number] == nil:
        if try plain.verdict(property.asked, in: state).holds {
          walk.witnesses[number] = walk.steps.count
        }
      default: break
      }
    }
  }

  private static func found(
    _ property: Property, _ number: Int, _ verdict: AskedFunction.Verdict
  ) -> Walk.Found {
    let reason = verdict.reason.text
    return Walk.Found(
      fault: .property(number), sentence: property.title + (reason.isEmpty ? "" : ": \(reason)"))
  }

  /// Checks the properties of steps on a step, and then the state after it.
  private func look(
    at move: ExploredMove, from before: ReferenceEngine.State, to after: ReferenceEngine.State,
    _ walk: inout Walk
  ) throws {
    for (number, property) in properties.enumerated() where property.kind == .step {
      let verdict = try plain.verdict(property.asked, of: move, from: before, to: after)
      if !verdict.holds { walk.found.append(Walker.found(property, number, verdict)) }
    }
    try look(at: after, &walk)
  }

  /// Returns true if the state must not be expanded.
  private func isOutside(_ state: ReferenceEngine.State) throws -> Bool {
    let said = plain.setup.said
    if let most = said.mostEffects, state.canonical.effects.count > most { return true }
    return try said.within.map { try !plain.verdict($0, in: state).holds } ?? false
  }

  /// Returns true if a state in which nothing passes is a deadlock, not an end.
  private func isDeadlock(_ state: ReferenceEngine.State) throws -> Bool {
    if plain.isOver(state) { return false }
    return try plain.setup.said.ends.map { try !plain.verdict($0, in: state).holds } ?? true
  }

  /// Returns true if it is certain that nothing passes in the state.
  private func isStuck(_ state: ReferenceEngine.State) throws -> Bool {
    for group in try moves.groups(in: state, of: plain) {
      guard case .moves(let all) = group else { return false }
      for move in all {
        switch try plain.play(move, from: state).ending {
        case .passed, .failed: return false
        case .refused, .idle: break
        }
      }
    }
    return try isDeadlock(state)
  }

  // MARK: Replaying

  /// A replayed step.
  struct Replayed {
    let step: WalkStep
    let before: ReferenceEngine.State
    let play: ReferenceEngine.Play
  }

  /// Replays the steps of a walk, without those that do not pass, until the violation occurs.
  ///
  /// - Returns: nil if the violation does not occur.
  func replay(
    _ steps: [WalkStep], from begin: Int, until fault: WalkFault
  ) throws -> (steps: [Replayed], found: Walk.Found)? {
    var walk = Walk(begin: begin)
    var state = begins[begin]
    var made: [Replayed] = []
    func found() -> Walk.Found? { walk.found.first { $0.fault == fault } }
    try look(at: state, &walk)
    if let found = found() { return ([], found) }
    for step in steps {
      guard walk.found.isEmpty, try !isOutside(state) else { return nil }
      let (step, play) = try again(step, from: state)
      switch play.ending {
      case .refused, .idle: continue
      case .failed(let failure):
        if failure.kind == .payload { continue }
        walk.found.append(Walker.found(failure, by: step.move))
        made.append(Replayed(step: step, before: state, play: play))
        return found().map { (made, $0) }
      case .passed: break
      }
      made.append(Replayed(step: step, before: state, play: play))
      try look(at: step.move, from: state, to: play.state, &walk)
      if let found = found() { return (made, found) }
      state = play.state
    }
    guard fault == .deadlock, walk.found.isEmpty, try !isOutside(state), try isStuck(state) else {
      return nil
    }
    return (made, Walker.deadlock)
  }

  /// Replays a step with its draws; a draw that chance does not offer any more is replaced by the first outcome.
  private func again(
    _ step: WalkStep, from state: ReferenceEngine.State
  ) throws -> (WalkStep, ReferenceEngine.Play) {
    var step = step
    var place = 0
    while true {
      let play = try plain.play(step.move, draws: step.draws, from: state)
      while place < step.draws.count, place < play.outcomes.count,
        step.draws[place] < play.outcomes[place]
      {
        place += 1
      }
      if place >= min(step.draws.count, play.outcomes.count) {
        step.draws = Array(step.draws.prefix(play.outcomes.count))
        return (step, play)
      }
      step.draws[place] = 0
      place += 1
    }
  }
}
