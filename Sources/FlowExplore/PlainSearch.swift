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
  /// The names of invariants that do not hold somewhere, and how many moves failed by something else.
  package private(set) var broken: Set<String> = []
  package private(set) var failures = 0

  private struct Key: Hashable {
    let tree: [UInt8]
    let ledger: ExploredLedger
  }

  /// - Parameter most: how many states are gone through, at most.
  package init(_ flow: LoadedFlow, most: Int) throws {
    let setup = try ExplorationSetup(flow)
    let engine = try Engine(flow, limits: setup.limits, log: ScriptLog { _ in })
    engine.exploredUnits = setup.units
    try engine.startExploring(traces: false, silent: setup.silentEffects)
    let (ledger, failure) = engine.beginExploring()
    if let failure { throw ExplorationError(.flow, "\(failure)") }
    var level = [Key(tree: try engine.vm.stateBytes(after: []), ledger: ledger)]
    var known = Set(level)
    (states, transitions) = (1, 1)
    while !level.isEmpty {
      depth += 1
      var next: [Key] = []
      for state in level {
        for move in setup.allMoves(in: state.ledger) {
          for found in try play(move, from: state, engine, setup) {
            transitions += 1
            guard known.insert(found).inserted else { continue }
            states += 1
            next.append(found)
          }
        }
        if states > most { return }
      }
      level = next
    }
    isWhole = true
  }

  /// Plays a move with all outcomes of chance.
  private mutating func play(
    _ move: ExploredMove, from state: Key, _ engine: Engine, _ setup: ExplorationSetup
  ) throws -> [Key] {
    var found: [Key] = []
    var draws: [Int] = []
    while true {
      try engine.stand(in: state.tree, state.ledger)
      let run = try engine.check(move, draws: draws)
      if let problem = run.problem { throw ExplorationError(.flow, setup.sentence(problem, move)) }
      switch run.ending {
      case .passed:
        let key = Key(tree: run.tree, ledger: run.ledger)
        if try holds(key, engine) { found.append(key) }
      case .failed: failures += 1
      case .refused, .idle: break
      }
      var last = run.outcomes.enumerated().map { $1 - 1 == ($0 < draws.count ? draws[$0] : 0) }
      draws += [Int](repeating: 0, count: run.outcomes.count - draws.count)
      while last.last == true {
        last.removeLast()
        draws.removeLast()
      }
      guard let index = draws.indices.last else { return found }
      draws[index] += 1
    }
  }

  /// Whether all invariants hold in a state.
  private mutating func holds(_ state: Key, _ engine: Engine) throws -> Bool {
    if engine.flow.invariants.isEmpty { return true }
    try engine.stand(in: state.tree, state.ledger)
    var holds = true
    for (number, invariant) in engine.flow.invariants.enumerated()
    where try engine.checkExplored(invariant: number) != nil {
      broken.insert(invariant.function.name)
      holds = false
    }
    return holds
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
