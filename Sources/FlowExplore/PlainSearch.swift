import LuaRuntime
import Moonlatch

/// A search that learns nothing: each move is played by the engine in each state.
///
/// It is slow, and there is little in it that could be wrong: what `Exploration` says of a flow is held against it.
package struct PlainSearch {
  package private(set) var states = 0
  /// The beginnings, and one for each state and move that passes there.
  package private(set) var transitions = 0
  package private(set) var depth = 0
  /// Whether all states were gone through.
  package private(set) var isWhole = false
  /// What does not hold, with how many moves lead there at least, in order.
  package var found: [FoundFault] { faults.values.sorted() }

  private var faults: [String: FoundFault] = [:]
  private let setup: ExplorationSetup
  private let engine: Engine

  private struct Key: Hashable {
    let tree: [UInt8]
    let ledger: ExploredLedger
  }

  /// - Parameters:
  ///   - exploration: whose payloads, answers and time are taken, but no properties and no beginnings.
  ///   - most: how many states are gone through, at most.
  ///   - levels: how many levels, the beginning included; 0: any number.
  package init(_ exploration: Exploration, most: Int, levels: Int = 0) throws {
    setup = exploration.setup
    engine = try Engine(exploration.flow, limits: setup.limits, log: ScriptLog { _ in })
    engine.exploredUnits = setup.units
    engine.exploredClock = setup.clock
    try engine.startExploring(traces: false, silent: setup.silentEffects)
    let (ledger, failure) = engine.beginExploring()
    if let failure { throw ExplorationError(.flow, "\(failure)") }
    let first = Key(tree: try engine.vm.stateBytes(after: []), ledger: ledger)
    transitions = 1
    guard try holds(first, moves: 0) else {
      isWhole = true
      return
    }
    try search(from: first, most, levels)
  }

  private mutating func search(from first: Key, _ most: Int, _ levels: Int) throws {
    var level = [first]
    var known = Set(level)
    states = 1
    while !level.isEmpty {
      depth += 1
      if depth == levels { return }
      var next: [Key] = []
      for state in level {
        let found = try goOn(from: state)
        transitions += found.count
        for state in found where known.insert(state).inserted {
          states += 1
          next.append(state)
        }
        if states > most { return }
      }
      level = next
    }
    isWhole = true
  }

  /// The states to which the moves from a state lead, in which all holds.
  private mutating func goOn(from state: Key) throws -> [Key] {
    var found: [Key] = []
    var isStuck = true
    for move in setup.allMoves(in: state.ledger) {
      let (keys, leads) = try play(move, from: state)
      found += keys
      if leads { isStuck = false }
    }
    let isOver = setup.clock.upTo.map { state.ledger.time >= $0 } ?? false
    if isStuck, !isOver, !engine.flow.isAtEnd(StateForm.decoded(state.tree)) {
      note(FoundFault.deadlock, moves: depth - 1)
    }
    return found
  }

  private mutating func note(_ what: String, moves: Int) {
    faults[what, default: FoundFault(what: what, moves: moves, count: 0)].count += 1
  }

  /// Plays a move with all outcomes of chance.
  private mutating func play(
    _ move: ExploredMove, from state: Key
  ) throws -> (found: [Key], leads: Bool) {
    var found: [Key] = []
    var leads = false
    var draws: [Int] = []
    while true {
      try engine.stand(in: state.tree, state.ledger)
      let run = try engine.check(move, draws: draws)
      if let problem = run.problem { throw ExplorationError(.flow, setup.sentence(problem, move)) }
      switch run.ending {
      case .passed:
        leads = true
        let key = Key(tree: run.tree, ledger: run.ledger)
        if try holds(key, moves: depth) { found.append(key) }
      case .failed(let failure):
        leads = true
        note("\(failure)", moves: depth)
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

  /// Whether all invariants hold in a state.
  private mutating func holds(_ state: Key, moves: Int) throws -> Bool {
    if engine.flow.invariants.isEmpty { return true }
    try engine.stand(in: state.tree, state.ledger)
    var holds = true
    for (number, invariant) in engine.flow.invariants.enumerated()
    where try engine.checkExplored(invariant: number) != nil {
      let what = FoundFault.invariant(invariant.function.name)
      faults[what] = faults[what] ?? FoundFault(what: what, moves: moves, count: 0)
      holds = false
    }
    return holds
  }
}

/// Something that does not hold, as two searches that are held against each other tell it.
package struct FoundFault: Hashable, Comparable, CustomStringConvertible, Sendable {
  /// What it is: an invariant, a deadlock, or how something failed.
  package let what: String
  /// How many moves lead there, at least.
  package let moves: Int
  /// How often it was found; of invariants nobody counts.
  package var count: Int

  static let deadlock = "deadlock"

  static func invariant(_ name: String) -> String { Names.dotted("invariant", name) }

  package static func < (one: FoundFault, other: FoundFault) -> Bool {
    (one.what, one.moves) < (other.what, other.moves)
  }

  package var description: String { "\(what) after \(moves), \(count) times" }
}

extension Flow {
  /// Whether all machines stand in final states.
  fileprivate func isAtEnd(_ state: Value) -> Bool {
    let finals = finalStates
    return !finals.isEmpty
      && finals.allSatisfy { field, names in
        state[field]?.stringValue.map { names.contains($0) } ?? false
      }
  }
}

extension ExplorationSetup {
  /// All that can happen next.
  fileprivate func allMoves(in ledger: ExploredLedger) -> [ExploredMove] {
    var all = moves
    if passesTime { all.append(.time) }
    var known: Set<ExploredEffect> = []
    for effect in ledger.effects where known.insert(effect).inserted {
      all += answers(to: effect).map { .end(effect, $0.action, $0.payload) }
    }
    return all
  }
}
