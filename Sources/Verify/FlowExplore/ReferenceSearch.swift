import LuaRuntime
import Moonlatch

/// A search that learns nothing: each move is played by the engine in each state.
///
/// It is slow, and there is little in it that could be wrong: what `Exploration` says of a flow is held against it.
package struct ReferenceSearch {
  package private(set) var states = 0
  /// The beginnings, and one for each state and move that passes there.
  package private(set) var transitions = 0
  package private(set) var depth = 0
  /// Whether all states were gone through.
  package private(set) var isWhole = false
  /// What does not hold, with how many moves lead there at least, in order.
  package var found: [FoundFault] { faults.values.sorted() }

  private var faults: [String: FoundFault] = [:]
  /// The answers of properties about states and steps: yes, no, or both.
  private var said: [String: Set<Bool>] = [:]
  private let properties: [Property]
  private let plain: ReferenceEngine

  /// - Parameters:
  ///   - exploration: whose payloads, answers, time, bound and properties of states and steps are taken, but no
  ///     beginnings.
  ///   - most: how many states are gone through, at most.
  ///   - levels: how many levels, the beginning included; 0: any number.
  package init(_ exploration: Exploration, most: Int, levels: Int = 0) throws {
    plain = try ReferenceEngine(exploration.flow, exploration.setup)
    properties = exploration.setup.said.properties.filter { !$0.isLive }
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
    var known = Set(level)
    states = 1
    while !level.isEmpty {
      depth += 1
      if depth == levels { return }
      var next: [ReferenceEngine.State] = []
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
  private mutating func goOn(from state: ReferenceEngine.State) throws -> [ReferenceEngine.State] {
    var found: [ReferenceEngine.State] = []
    var isStuck = true
    for move in try plain.allMoves(in: state) {
      let (keys, leads) = try play(move, from: state)
      found += keys
      if leads { isStuck = false }
    }
    if isStuck, !plain.isOver(state) {
      note(FoundFault.deadlock, moves: depth - 1)
    }
    return found
  }

  private mutating func note(_ what: String, moves: Int) {
    faults[what, default: FoundFault(what: what, moves: moves, count: 0)].count += 1
  }

  /// Plays a move with all outcomes of chance.
  private mutating func play(
    _ move: ExploredMove, from state: ReferenceEngine.State
  ) throws -> (found: [ReferenceEngine.State], leads: Bool) {
    var found: [ReferenceEngine.State] = []
    var leads = false
    var draws: [Int] = []
    while true {
      let run = try plain.play(move, draws: draws, from: state)
      switch run.ending {
      case .passed:
        leads = true
        try ask(of: move, from: state, to: run.state)
        if try holds(run.state, moves: depth) { found.append(run.state) }
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

  /// The titles of the properties of states and steps that do not hold, where all states were gone through.
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

extension ReferenceEngine {
  /// All that can happen next.
  fileprivate func allMoves(in state: State) throws -> [ExploredMove] {
    var all = setup.moves
    if setup.passesTime { all.append(.time) }
    for (effect, answers) in try ends(in: state) {
      all += answers.map { .end(effect, $0.action, $0.payload) }
    }
    return all
  }
}
