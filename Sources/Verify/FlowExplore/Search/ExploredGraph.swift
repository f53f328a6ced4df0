import CExplore
import FlowKernel
import LuaRuntime

/// The graph of a finished search: its states by number, and the transitions from each.
///
/// Nothing is copied: edges are computed on request.
struct ExploredGraph {
  struct Edge {
    /// The move, such as `open(by = 1)`.
    let label: String
    /// The move without its payload.
    let name: String
    /// The target state; nil if it is not expanded.
    let target: UInt32?
  }

  private let session: StateSearch

  init(_ session: StateSearch) { self.session = session }

  var states: Range<UInt32> { 0..<explore_states(session.search) }

  /// The initial states of the search.
  var beginnings: [UInt32] {
    states.filter { explore_parent(session.search, $0, nil) == EXPLORE_NONE }
  }

  /// Returns the transitions from a state, including those that change nothing.
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

  /// Returns a payload without its braces.
  private static func fields(of payload: Value) -> String {
    let text = payload.source
    guard text.hasPrefix("{ "), text.hasSuffix(" }") else { return text }
    return String(text.dropFirst(2).dropLast(2))
  }

  // MARK: Titles of states

  /// True if the flow has machines, whose configuration can name states.
  var hasPlaces: Bool { !session.placeFields.isEmpty }

  /// Returns the configuration of the machines in a state, one line each.
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

  /// Returns the complete content of a state: its fields, and the running effects.
  func contents(of state: UInt32) -> [String] {
    session.values(of: state).withUnsafeBufferPointer { values in
      let tree = StateForm.value(session.slots.places) { session.content($0, values) }
      let fields = (tree.recordValue ?? [:]).sorted { $0.key < $1.key }
        .map { "\($0.key) = \($0.value.source)" }
      return fields + session.canonical(values).effects.map { "\($0.title) running" }
    }
  }
}

extension explore_edge {
  /// The outcomes of chance for the mover.
  var outcomes: [Int] { listed(draws, draw_count) }
}

extension explore_finding {
  /// The outcomes of chance for the mover.
  var outcomes: [Int] { listed(draws, draw_count) }
}

private func listed<Draws>(_ draws: Draws, _ count: UInt32) -> [Int] {
  withUnsafeBytes(of: draws) { bytes in
    (0..<min(Int(count), bytes.count / 4)).map {
      Int(bytes.load(fromByteOffset: 4 * $0, as: UInt32.self))
    }
  }
}
