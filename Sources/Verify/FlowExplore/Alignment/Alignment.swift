import FlowKernel
import HeapModule
import Scenarios

/// An optimal alignment of the events of a case: the run of the flow with the least number of deviations from them.
///
/// The case may be unfinished: a run may end in any state.
struct Alignment {
  /// A deviation of the case from the run.
  enum Deviation {
    /// The event at that index is in the log but not in the run, which is in the given state there.
    case tooMany(Int, state: Int)
    /// The run makes a move that the log does not contain, before the event at that index.
    case missing(ExploredMove, before: Int)
  }

  /// The deviations, in the order of the case.
  private(set) var deviations: [Deviation] = []

  /// The costs of steps: first the number of deviations counts, then that of surplus events, then that of silent moves.
  fileprivate enum Cost {
    static let missing = 1 << 40
    static let tooMany = missing + 1 << 20
    static let silent = 1
  }

  /// The reason why there is no alignment.
  enum Failure: Error {
    /// The search needs more steps than allowed.
    case tooFar
    /// The condition to end the search early was met.
    case ended
  }

  /// Searches for an optimal alignment.
  ///
  /// - Parameters:
  ///   - events: the events of the case.
  ///   - hopeless: for each event, true if it cannot pass in any state.
  ///   - steps: the maximum number of search steps.
  /// - Throws: `Failure`, or `ExplorationError` if the flow cannot be explored.
  init(
    of events: [RecordedVariants.Event], hopeless: [Bool], in states: AlignedStates, steps: Int,
    until end: SearchEnd
  ) throws {
    var search = AlignmentSearch(events, hopeless, states)
    var found = try search.run(steps: steps, until: end)
    while let node = search.nodes[found].parent {
      switch search.nodes[found].move {
      case .tooMany:
        deviations.append(.tooMany(search.nodes[node].at, state: search.nodes[node].state))
      case .missing(let move):
        deviations.append(.missing(states.move(move), before: search.nodes[node].at))
      case .free: break
      }
      found = node
    }
    deviations.reverse()
  }
}

/// A search for a case and a run of the flow in parallel, cheapest first (A*).
private struct AlignmentSearch {
  /// The move that leads from the parent to a node.
  enum Move {
    case free
    case tooMany
    case missing(Int)
  }

  struct Node {
    /// The number of events of the case that are explained so far.
    let at: Int
    let state: Int
    /// The list of actions from the queue that the log may contain next.
    let queued: Int
    let cost: Int
    let parent: Int?
    let move: Move
  }

  /// A node that is to be expanded.
  private struct Open: Comparable {
    /// The least cost of a run through the node.
    let cost: Int
    let at: Int
    let node: Int
    /// True if missing moves are inserted; the free and the silent moves are expanded before that.
    let inserts: Bool

    static func < (one: Open, other: Open) -> Bool {
      // Of equal costs take the node that is further in the case, so that the case is followed as long as possible.
      (one.cost, -one.at, one.node) < (other.cost, -other.at, other.node)
    }
  }

  private struct Key: Hashable {
    let at, state, queued: Int
  }

  private(set) var nodes: [Node] = []
  private let events: [RecordedVariants.Event]
  private let states: AlignedStates
  private let moves: [Int]
  /// The least cost of the events from each index on.
  private let least: [Int]
  private var best: [Key: Int] = [:]
  private var open = Heap<Open>()

  init(_ events: [RecordedVariants.Event], _ hopeless: [Bool], _ states: AlignedStates) {
    (self.events, self.states) = (events, states)
    moves = events.map { states.number(.action($0.action, $0.payload)) }
    var least = [0]
    for isHopeless in hopeless.reversed() {
      least.append((least.last ?? 0) + (isHopeless ? Alignment.Cost.tooMany : 0))
    }
    self.least = least.reversed()
  }

  /// Returns the last node of a cheapest run.
  mutating func run(steps: Int, until end: SearchEnd) throws -> Int {
    for begin in states.begins { add(0, begin, 0, 0, nil, .free) }
    var taken = 0
    while let next = open.popMin() {
      let node = nodes[next.node]
      let key = Key(at: node.at, state: node.state, queued: node.queued)
      if best[key] != next.node { continue }
      if node.at == events.count { return next.node }
      taken += 1
      if taken > steps { throw Alignment.Failure.tooFar }
      if taken % 64 == 0, end.isDue { throw Alignment.Failure.ended }
      if next.inserts {
        try insert(node, next.node)
      } else {
        try expandNode(from: node, next.node)
        open.insert(
          Open(
            cost: next.cost + Alignment.Cost.missing, at: node.at, node: next.node, inserts: true))
      }
    }
    // All events can always be left out, so that the search does find an end.
    throw Alignment.Failure.tooFar
  }

  private mutating func add(
    _ at: Int, _ state: Int, _ queued: Int, _ cost: Int, _ parent: Int?, _ move: Move
  ) {
    let key = Key(at: at, state: state, queued: queued)
    if let known = best[key], nodes[known].cost <= cost { return }
    best[key] = nodes.count
    open.insert(Open(cost: cost + least[at], at: at, node: nodes.count, inserts: false))
    nodes.append(
      Node(at: at, state: state, queued: queued, cost: cost, parent: parent, move: move))
  }

  /// Expands a node by its next event, by leaving that event out, and by silent moves.
  private mutating func expandNode(from node: Node, _ number: Int) throws {
    let event = events[node.at]
    if let rest = states.rest(of: node.queued, behind: event) {
      add(node.at + 1, node.state, rest, node.cost, number, .free)
    }
    for move in try [moves[node.at]] + states.ends(with: event, in: node.state) {
      for step in try states.steps(move, from: node.state) {
        add(
          node.at + 1, step.state, step.queued(behind: move, event, states), node.cost, number,
          .free)
      }
    }
    add(
      node.at + 1, node.state, node.queued, node.cost + Alignment.Cost.tooMany, number, .tooMany)
    for move in try states.silent(in: node.state) {
      for step in try states.steps(move, from: node.state) {
        add(node.at, step.state, step.queued, node.cost + Alignment.Cost.silent, number, .free)
      }
    }
  }

  /// Expands a node by moves that the log does not contain.
  private mutating func insert(_ node: Node, _ number: Int) throws {
    for move in states.inserted {
      for step in try states.steps(move, from: node.state) {
        add(
          node.at, step.state, step.queued, node.cost + Alignment.Cost.missing, number,
          .missing(move))
      }
    }
  }
}

extension AlignedStates.Step {
  /// Returns the queue list after an event: if an effect ended with the event, that is the first action of the list.
  fileprivate func queued(
    behind move: Int, _ event: RecordedVariants.Event, _ states: AlignedStates
  ) -> Int {
    guard case .end = states.move(move) else { return queued }
    return states.rest(of: queued, behind: event) ?? queued
  }
}
