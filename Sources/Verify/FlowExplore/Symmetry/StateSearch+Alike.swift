import CExplore
import FlowKernel
import FlowLanguage

/// The symmetric values of a search.
extension StateSearch {
  /// The maximum number of orders of all symmetric values.
  static let mostOrders = 40_320

  /// Registers the symmetric values with an empty search.
  static func alike(
    _ lists: [SymmetryValues], of flow: Flow, in search: OpaquePointer
  ) throws(ExplorationError) -> SymmetryTable {
    var firsts: [UInt32] = []
    for list in lists {
      var first: UInt32 = 0
      try ExplorationError.check(explore_add_symmetry(search, UInt32(list.values.count), &first))
      firsts.append(first)
    }
    return SymmetryTable(lists, firsts: firsts, of: flow)
  }

  /// Throws unless each action has payloads for all of the symmetric values or for none.
  func checkPayloads() throws(ExplorationError) {
    let known = Set(setup.moves)
    for exchange in slots.alike.exchanges {
      let alike = slots.alike.lists[exchange.list]
      for case .action(let name, let payload) in setup.moves {
        let image = exchange.image(ofPayload: payload, alike.fields)
        if known.contains(.action(name, image)) { continue }
        throw ExplorationError(
          .setup,
          "\(alike.place): alike \(alike.name): action \(name) has the payload \(payload) and not \(image): "
            + "list both in actions = { \(name) = ... }, or leave one of the values out of alike")
      }
    }
  }

  /// A sample of states, each with two values to exchange.
  ///
  /// A small state space is covered completely; of a larger one, the first states and some of the rest are taken.
  private var samples: [(state: UInt32, exchange: SymmetryExchange)] {
    let exchanges = slots.alike.exchanges
    let states = explore_states(search)
    if exchanges.isEmpty || states == 0 { return [] }
    let all = Int(states) * exchanges.count
    if all <= StateSearch.mostSamples {
      return (0..<states).flatMap { state in exchanges.map { (state, $0) } }
    }
    let first = UInt32(min(Int(states), StateSearch.mostSamples / 2))
    let step = max(1, Int(states - first) / (StateSearch.mostSamples / 2))
    return (Array(0..<first) + stride(from: first, to: states, by: step)).enumerated().map {
      ($1, exchanges[$0 % exchanges.count])
    }
  }

  private static let mostSamples = 400

  /// The states in which a move does something for the first time, each with all exchanges.
  ///
  /// An asymmetry that is deep in the state space shows where the flow decides something new.
  private var telling: [(state: UInt32, exchange: SymmetryExchange)] {
    let exchanges = slots.alike.exchanges
    if exchanges.isEmpty || bounds.hashes { return [] }
    var samples: [(state: UInt32, exchange: SymmetryExchange)] = []
    var known: Set<Decision> = []
    for state in 0..<min(explore_states(search), StateSearch.mostLookedThrough)
    where samples.count < StateSearch.mostTelling {
      let news = decisions(in: state).filter { known.insert(Decision($0)).inserted }
      if !news.isEmpty { samples += exchanges.map { (state, $0) } }
    }
    return samples
  }

  /// The decision of a mover, which is equal in all states in which the mover does the same.
  private struct Decision: Hashable {
    let mover, leaf: UInt32
    let kind: UInt32

    init(_ edge: explore_edge) {
      (mover, leaf, kind) = (edge.mover, edge.leaf, edge.kind.rawValue)
    }
  }

  private static let mostTelling = 2_000
  private static let mostLookedThrough: UInt32 = 1 << 17

  /// Exchanges values in a sample of the states, and compares how the flow behaves.
  ///
  /// - Throws: `ExplorationError` that describes the difference, if there is one.
  func checkAlike() throws {
    let samples = samples + telling
    if samples.isEmpty { return }
    let check = try SymmetryCheck(flow, setup, slots)
    for (state, exchange) in samples {
      if isStoppedAfterwards, let error { throw error }
      let values = values(of: state)
      try values.withUnsafeBufferPointer { values in
        var contents: StateForm.Contents = [:]
        for (slot, subject) in slots.subjects.enumerated() {
          contents[subject] = slots.content(values[slot], in: UInt32(slot))
        }
        let before = ReferenceEngine.State(tree: tree(values), canonical: canonical(values))
        do {
          try check.compare(
            before, with: try check.image(of: before, contents, by: exchange), exchange)
        } catch let error where !(error is ExplorationError) {
          throw check.cannotStand(before, exchange, error)
        }
      }
    }
  }
}
