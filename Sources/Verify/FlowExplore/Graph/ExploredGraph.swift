import CExplore
import FlowKernel
import LuaRuntime

/// A finished search as a graph: its states by number, and what leads on from each.
///
/// Nothing of it is copied: edges are worked out when somebody asks for them.
struct ExploredGraph {
  struct Edge {
    /// What is done, as `open(by = 1)`.
    let label: String
    /// The same without its payload.
    let name: String
    /// The state that it leads to; nil where nothing was gone on from.
    let target: UInt32?
  }

  private let session: StateSearch

  init(_ session: StateSearch) { self.session = session }

  var states: Range<UInt32> { 0..<explore_states(session.search) }

  /// The states that the search has begun with.
  var beginnings: [UInt32] {
    states.filter { explore_parent(session.search, $0, nil) == EXPLORE_NONE }
  }

  /// The transitions from a state, those that change nothing included.
  func edges(from state: UInt32) throws(ExplorationError) -> [Edge] {
    let edges = session.edges(from: state)
    if let error = session.error { throw error }
    if edges.isEmpty { return [] }
    return session.values(of: state).withUnsafeBufferPointer { values in
      edges.compactMap { edge in
        guard let move = session.move(edge.mover, values) else { return nil }
        let (name, payload) = ExploredGraph.title(of: move)
        return Edge(
          label: payload == [:] ? name : "\(name)(\(ExploredGraph.fields(of: payload)))",
          name: name, target: edge.state == EXPLORE_NONE ? nil : edge.state)
      }
    }
  }

  private static func title(of move: ExploredMove) -> (name: String, payload: Value) {
    switch move {
    case .action(let name, let payload): (name, payload)
    case .time: ("time passes", [:])
    case .end(let effect, let action, let payload):
      action.isEmpty
        ? ("\(effect.title) ends", [:]) : ("\(effect.title) ends with \(action)", payload)
    }
  }

  /// A payload without its braces.
  private static func fields(of payload: Value) -> String {
    let text = payload.source
    guard text.hasPrefix("{ "), text.hasSuffix(" }") else { return text }
    return String(text.dropFirst(2).dropLast(2))
  }

  // MARK: What a state is called

  /// Whether the flow has machines, by whose places states can be named.
  var hasPlaces: Bool { !session.placeFields.isEmpty }

  /// Where the machines stand in a state, a line each.
  func places(in state: UInt32) -> [String] {
    let fields = session.placeFields
    return session.values(of: state).withUnsafeBufferPointer { values in
      fields.map { field in
        var text = "-"
        if let place = session.slots.places.find(.field(field), in: PlaceTable.root),
          case .text(let said) = session.content(.place(place), values)
        {
          text = said.text
        }
        return fields.count == 1 ? text : "\(field): \(text)"
      }
    }
  }

  /// All that a state is: its fields, and the effects that are under way.
  func contents(of state: UInt32) -> [String] {
    session.values(of: state).withUnsafeBufferPointer { values in
      let tree = StateForm.value(session.slots.places) { session.content($0, values) }
      let fields = (tree.recordValue ?? [:]).sorted { $0.key < $1.key }
        .map { "\($0.key) = \($0.value.source)" }
      return fields + session.canonical(values).effects.map { "\($0.title) under way" }
    }
  }
}

extension explore_edge {
  /// What chance gave the mover.
  var outcomes: [Int] { listed(draws, draw_count) }
}

extension explore_finding {
  /// What chance gave the mover.
  var outcomes: [Int] { listed(draws, draw_count) }
}

private func listed<Draws>(_ draws: Draws, _ count: UInt32) -> [Int] {
  withUnsafeBytes(of: draws) { bytes in
    (0..<min(Int(count), bytes.count / 4)).map {
      Int(bytes.load(fromByteOffset: 4 * $0, as: UInt32.self))
    }
  }
}
