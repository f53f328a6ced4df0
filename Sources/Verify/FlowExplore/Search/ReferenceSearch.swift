import FlowKernel
import FlowLanguage

/// A search that learns nothing: the engine plays each move in each state.
///
/// It is slow and simple. The results of `Exploration` are compared with it.
package struct ReferenceSearch {
  package private(set) var states = 0
  /// The number of transitions: one for the initial state, and one per state and move that passes.
  package private(set) var transitions = 0
  package private(set) var depth = 0
  /// True if all states were explored.
  package private(set) var isWhole = false
  /// The violations with the least number of moves to each, in order.
  package var found: [FoundFault] { faults.values.sorted() }

  private var faults: [String: FoundFault] = [:]
  /// The answers of properties about states and steps: yes, no, or both.
  private var said: [String: Set<Bool>] = [:]
  private let properties: [Property]
  private let promises: [Property]
  /// The runs; recorded only if there are promises.
  private var runs = ReferenceRuns()
  /// The targets that are not expanded, by number: outside of `within`, or with a broken invariant.
  private var beyond: [ReferenceEngine.State: Int] = [:]
  /// The outcomes of promises by title; empty unless all states were explored.
  package private(set) var kept: [String: Verdict.Outcome] = [:]
  private let plain: ReferenceEngine

  /// Runs the search.
  ///
  /// - Parameters:
  ///   - exploration: supplies payloads, answers, time, `within` and properties, but no initial states.
  ///   - most: the maximum number of states.
  ///   - levels: the maximum number of levels, including the first; 0 for no bound.
  package init(_ exploration: Exploration, most: Int, levels: Int = 0) throws {
    plain = try ReferenceEngine(exploration.flow, exploration.setup)
    properties = exploration.setup.said.properties.filter { !$0.isLive }
    promises = exploration.setup.said.properties.filter(\.isLive)
    let first = try plain.begin()
    transitions = 1
    guard try holds(first, moves: 0) else {
      isWhole = true
      return
    }
    try search(from: first, most, levels)
  }

  private mutating func search(from first: ReferenceEngine.State, _ most: Int, _ levels: Int) throws
  {
    var level = [first]
    var known = [first: 0]
    states = 1
    while !level.isEmpty {
      depth += 1
      if depth == levels { return }
      var next: [ReferenceEngine.State] = []
      for state in level {
        let found = try expandState(from: state)
        for case (_, let target, true) in found {
          transitions += 1
          guard known[target] == nil else { continue }
          known[target] = states
          states += 1
          next.append(target)
        }
        if !promises.isEmpty {
          runs.append(
            found.map { move, target, isExplored in
              ReferenceRuns.Step(
                move: move, target: isExplored ? known[target] : nil,
                beyond: isExplored ? nil : number(beyond: target))
            })
        }
        if states > most { return }
      }
      level = next
    }
    isWhole = true
    let all = known.sorted { $0.value < $1.value }.map(\.key)
    for promise in promises { kept[promise.title] = try outcome(of: promise, in: all) }
  }

  /// Returns the number of a state that is not expanded.
  private mutating func number(beyond state: ReferenceEngine.State) -> Int {
    if let number = beyond[state] { return number }
    let number = beyond.count
    beyond[state] = number
    return number
  }

  private func outcome(
    of promise: Property, in states: [ReferenceEngine.State]
  ) throws -> Verdict.Outcome {
    let wanted = try states.map { try plain.verdict(promise.asked, in: $0).holds }
    let given = try states.enumerated().map { number, state in
      try promise.when.map { try plain.verdict($0, in: state).holds } ?? (number == 0)
    }
    let wantedBeyond = try beyond.sorted { $0.value < $1.value }.map {
      try plain.verdict(promise.asked, in: $0.key).holds
    }
    return runs.outcome(
      wanted: wanted, given: given, wantedBeyond: wantedBeyond, fair: promise.fair)
  }

  /// A move that passes, the state that it leads to, and true if that state is expanded.
  private typealias Passed = (
    move: ExploredMove, target: ReferenceEngine.State, isExplored: Bool
  )

  private mutating func expandState(from state: ReferenceEngine.State) throws -> [Passed] {
    var found: [Passed] = []
    var isStuck = true
    for move in try plain.allMoves(in: state) {
      let (passed, leads) = try play(move, from: state)
      found += passed
      if leads { isStuck = false }
    }
    if isStuck, !plain.isOver(state) {
      addFinding(FoundFault.deadlock, moves: depth - 1)
    }
    return found
  }

  private mutating func addFinding(_ what: String, moves: Int) {
    faults[what, default: FoundFault(what: what, moves: moves, count: 0)].count += 1
  }

  /// Plays a move with all outcomes of chance.
  private mutating func play(
    _ move: ExploredMove, from state: ReferenceEngine.State
  ) throws -> (found: [Passed], leads: Bool) {
    var found: [Passed] = []
    var leads = false
    var draws: [Int] = []
    while true {
      let run = try plain.play(move, draws: draws, from: state)
      switch run.ending {
      case .passed:
        leads = true
        try ask(of: move, from: state, to: run.state)
        found.append((move, run.state, try holds(run.state, moves: depth)))
      case .failed(let failure):
        leads = true
        addFinding("\(failure)", moves: depth)
      case .refused, .idle: break
      }
      var last = run.outcomes.enumerated().map { $1 - 1 == ($0 < draws.count ? draws[$0] : 0) }
      draws += [Int](repeating: 0, count: run.outcomes.count - draws.count)
      while last.last == true {
        last.removeLast()
        draws.removeLast()
      }
      guard let index = draws.indices.last else { return (found, leads) }
      draws[index] += 1
    }
  }

  /// Returns true if the state is to be expanded: all invariants hold in it, and `within` accepts it.
  private mutating func holds(_ state: ReferenceEngine.State, moves: Int) throws -> Bool {
    let broken = try plain.brokenInvariants(in: state).map { FoundFault.invariant($0.name) }
    for what in broken {
      faults[what] = faults[what] ?? FoundFault(what: what, moves: moves, count: 0)
    }
    for property in properties where property.kind != .step {
      said[property.title, default: []].insert(try plain.verdict(property.asked, in: state).holds)
    }
    guard broken.isEmpty, let within = plain.setup.said.within else { return broken.isEmpty }
    return try plain.verdict(within, in: state).holds
  }

  private mutating func ask(
    of move: ExploredMove, from before: ReferenceEngine.State, to after: ReferenceEngine.State
  ) throws {
    for property in properties where property.kind == .step {
      said[property.title, default: []].insert(
        try plain.verdict(property.asked, of: move, from: before, to: after).holds)
    }
  }

  /// The titles of the properties about states and steps that do not hold, provided that all states were explored.
  package var broken: Set<String> {
    Set(
      properties.filter { property in
        let answers = said[property.title] ?? []
        return switch property.kind {
        case .never: answers.contains(true)
        case .sometimes: !answers.contains(true)
        default: answers.contains(false)
        }
      }.map(\.title))
  }
}

/// A violation, in the form in which two searches are compared.
package struct FoundFault: Hashable, Comparable, CustomStringConvertible, Sendable {
  /// The description: an invariant, a deadlock, or the message of a failure.
  package let what: String
  /// The least number of moves that lead to it.
  package let moves: Int
  /// The number of occurrences; 0 for an invariant, of which none are counted.
  package var count: Int

  static let deadlock = "deadlock"

  static func invariant(_ name: String) -> String { Names.dotted("invariant", name) }

  package static func < (one: FoundFault, other: FoundFault) -> Bool {
    (one.what, one.moves) < (other.what, other.moves)
  }

  package var description: String { "\(what) after \(moves), \(count) times" }
}

extension ReferenceEngine {
  /// Returns all moves that are possible in a state.
  fileprivate func allMoves(in state: State) throws -> [ExploredMove] {
    var all = setup.moves
    if setup.passesTime { all.append(.time) }
    for (effect, answers) in try ends(in: state) {
      all += answers.map { .end(effect, $0.action, $0.payload) }
    }
    return all
  }
}
