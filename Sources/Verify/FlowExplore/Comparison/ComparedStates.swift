import CExplore
import FlowKernel
import FlowLanguage
import LuaRuntime

/// The states of one of two compared flows, and the targets of the moves that both flows may have.
final class ComparedStates {
  /// A move in terms that both flows share, with the outcomes of chance.
  struct Label: Hashable {
    let move: ExploredMove
    let draws: [Int]
    /// The key for equality; it has an effect's name and payload only, because the rest may differ in the other flow.
    private let key: [String]

    init(_ move: ExploredMove, _ draws: [Int]) {
      (self.move, self.draws) = (move, draws)
      key =
        switch move {
        case .action(let name, let payload): ["action", name, payload.source]
        case .time: ["time"]
        case .end(let effect, let action, let payload):
          ["end", effect.name, effect.payload.source, action, payload.source]
        }
    }

    static func == (one: Label, other: Label) -> Bool {
      one.key == other.key && one.draws == other.draws
    }

    func hash(into hasher: inout Hasher) {
      hasher.combine(key)
      hasher.combine(draws)
    }

    /// The name of the move, in a form that is suitable for file names.
    var name: String {
      switch move {
      case .action(let name, _): name
      case .time: "time"
      case .end(let effect, let action, _): "\(effect.name).\(action)"
      }
    }

    var title: String {
      switch move {
      case .action(let name, let payload): payload == [:] ? name : "\(name) \(payload)"
      case .time: "time"
      case .end(let effect, let action, let payload):
        "\(effect.title) ends" + (action.isEmpty ? "" : " with \(action)")
          + (payload == [:] ? "" : " \(payload)")
      }
    }
  }

  /// The transitions from a state, by label and in the order of the movers.
  struct Edges {
    var byLabel: [Label: explore_edge] = [:]
    var sorted: [(label: Label, edge: explore_edge)] = []
  }

  let session: StateSearch
  private let actions: Set<String>
  private let places: SharedPlaces
  private let expanded: UInt64
  private var known: [UInt32: Edges] = [:]

  /// Creates the states of a flow.
  ///
  /// - Parameter actions: the actions that both flows declare.
  init(_ session: StateSearch, actions: Set<String>, _ places: SharedPlaces) {
    (self.session, self.actions, self.places) = (session, actions, places)
    let counts = explore_count(session.search)
    expanded = UInt64(explore_states(session.search)) - min(counts.frontier, counts.distinct)
  }

  /// The initial states of the search by the number of their `given`.
  ///
  /// Of several that lead to the same state only the first is listed, and none that is beyond the bounds.
  var beginnings: [UInt32: UInt32] {
    var beginnings: [UInt32: UInt32] = [:]
    for state in 0..<explore_states(session.search) {
      var given: UInt32 = EXPLORE_NONE
      if explore_parent(session.search, state, &given) == EXPLORE_NONE { beginnings[given] = state }
    }
    return beginnings
  }

  /// Returns true if all transitions from a state are known.
  func isExpanded(_ state: UInt32) -> Bool { state != EXPLORE_NONE && UInt64(state) < expanded }

  func edges(from state: UInt32) throws -> Edges {
    if let edges = known[state] { return edges }
    let found = session.edges(from: state)
    if let error = session.error { throw error }
    var edges = Edges()
    session.values(of: state).withUnsafeBufferPointer { values in
      for edge in found {
        guard let move = session.move(edge.mover, values) else { continue }
        switch move {
        case .action(let name, _) where !actions.contains(name): continue
        case .end(_, let name, _) where !name.isEmpty && !actions.contains(name): continue
        default: break
        }
        let label = Label(move, edge.outcomes)
        if edges.byLabel[label] != nil { continue }
        edges.byLabel[label] = edge
        edges.sorted.append((label, edge))
      }
    }
    known[state] = edges
    return edges
  }

  /// Returns the reason why a move does not pass in a state; nil if it passes or cannot occur there.
  func refusal(of label: Label, in state: UInt32) throws -> String? {
    try session.values(of: state).withUnsafeBufferPointer { values in
      let move: ExploredMove
      switch label.move {
      case .end(let other, let action, let payload):
        let own = session.canonical(values).effects.first {
          $0.name == other.name && $0.payload == other.payload
        }
        guard let own else { return "no effect \(other.name) is running" }
        move = .end(own, action, payload)
      default: move = label.move
      }
      guard let told = try session.tell(move, values, label.draws) else {
        return "nothing is due"
      }
      switch told.ending {
      case .refused(let refusal): return "it is \(refusal)"
      case .failed(let failure): return "it fails: \(failure)"
      case .passed, .idle: return nil
      }
    }
  }

  /// Returns the duration by which time advances next, in microseconds.
  func delay(in state: UInt32) -> Int {
    session.values(of: state).withUnsafeBufferPointer {
      session.canonical($0).delay(by: session.setup.clock) ?? 0
    }
  }

  /// Returns the first difference between two states among the places that both flows declare.
  func change(from state: UInt32, to next: UInt32) -> LeafChange? {
    next == EXPLORE_NONE ? nil : shared(state).leaves(changedTo: shared(next)).first
  }

  /// Returns the part of a state that both flows declare.
  func shared(_ state: UInt32) -> Value {
    session.values(of: state).withUnsafeBufferPointer { places.part(of: session.value(of: $0)) }
  }
}

/// The places that both flows declare, by name.
struct SharedPlaces {
  private let shape: StateShape

  init(_ one: Flow, _ other: Flow) {
    shape = SharedPlaces.shared(SharedPlaces.shape(of: one), SharedPlaces.shape(of: other))
  }

  private static func shape(of flow: Flow) -> StateShape {
    var fields = Dictionary(flow.fields.map { ($0.name, $0.shape) }) { first, _ in first }
    for machine in flow.machines where machine.records == nil {
      for field in machine.chart.regions.compactMap(\.field) { fields[field] = .string }
    }
    return .record(fields)
  }

  private static func shared(_ one: StateShape, _ other: StateShape) -> StateShape {
    guard case .record(let first) = one, case .record(let second) = other else { return .any }
    var both: [String: StateShape] = [:]
    for (name, shape) in first {
      if let other = second[name] { both[name] = shared(shape, other) }
    }
    return .record(both)
  }

  /// Returns the part of a state at these places.
  func part(of state: Value) -> Value { SharedPlaces.part(of: state, shape) }

  private static func part(of value: Value, _ shape: StateShape) -> Value {
    guard case .record(let shapes) = shape, case .record(let fields) = value else { return value }
    return .record(
      fields.reduce(into: [:]) { part, field in
        if let shape = shapes[field.key] { part[field.key] = self.part(of: field.value, shape) }
      })
  }
}
