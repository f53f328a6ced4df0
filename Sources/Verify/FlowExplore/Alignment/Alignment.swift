import FlowKernel
import HeapModule
import Scenarios

/// A cheapest explanation of the events of a case: the run of the flow that is nearest to them.
///
/// The case may be unfinished: where a run ends does not matter.
struct Alignment {
  /// Where the events part from the run.
  enum Deviation {
    /// The event at that place is in the log, and not in the run, which stands in a state then.
    case tooMany(Int, state: Int)
    /// The run has a move that the log has not, before the event at that place.
    case missing(ExploredMove, before: Int)
  }

  /// In the order of the case.
  private(set) var deviations: [Deviation] = []

  /// What a step costs: deviations first, of these the events left out, then what nobody sees.
  fileprivate enum Cost {
    static let missing = 1 << 40
    static let tooMany = missing + 1 << 20
    static let silent = 1
  }

  /// Why there is none.
  enum Failure: Error {
    /// It takes more steps of the search.
    case tooFar
    /// It is to end, by what `SearchEnd` says.
    case ended
  }

  /// Searches for one.
  ///
  /// - Parameters:
  ///   - events: those of the case.
  ///   - hopeless: of each of them, whether it can pass in no state.
  ///   - steps: so many are looked at, at most.
  /// - Throws: `Failure`, or `ExplorationError` for what cannot be explored.
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

/// A search of the events of a case and of a run of the flow side by side, the cheapest first (A*).
private struct AlignmentSearch {
  /// How the node before leads to one.
  enum Move {
    case free
    case tooMany
    case missing(Int)
  }

  struct Node {
    /// How many events of the case are behind it.
    let at: Int
    let state: Int
    /// What has come of itself on the way there, and the log may show next.
    let queued: Int
    let cost: Int
    let parent: Int?
    let move: Move
  }

  /// A node that is to be gone on from.
  private struct Open: Comparable {
    /// What a run by way of it costs at least.
    let cost: Int
    let at: Int
    let node: Int
    /// Whether moves are put in that the log has not; what costs nothing comes before that.
    let inserts: Bool

    static func < (one: Open, other: Open) -> Bool {
      // Of those that cost the same the one that is further: so the case is followed as long as it can be.
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
  /// What the events from each place on cost at least.
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

  /// The last node of a cheapest run.
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
        try goOn(from: node, next.node)
        open.insert(
          Open(
            cost: next.cost + Alignment.Cost.missing, at: node.at, node: next.node, inserts: true))
      }
    }
    // The events can always be left out, so that there is an end.
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

  /// What leads on with the next event, without it, or by what nobody sees.
  private mutating func goOn(from node: Node, _ number: Int) throws {
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

  /// Moves that the log has not.
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
  /// What has come of itself behind an event: where an effect has ended with it, the event is the first of that.
  fileprivate func queued(
    behind move: Int, _ event: RecordedVariants.Event, _ states: AlignedStates
  ) -> Int {
    guard case .end = states.move(move) else { return queued }
    return states.rest(of: queued, behind: event) ?? queued
  }
}
