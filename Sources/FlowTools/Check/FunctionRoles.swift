import Moonlatch
import StateCharts

/// What a flow calls a function for.
struct FunctionRole {
  enum Kind {
    case rule, reducer, view, invariant, key, condition, content, choice, effect

    /// How a message speaks of it.
    var title: String {
      switch self {
      case .rule: "a rule"
      case .reducer, .content: "a reducer"
      case .view: "a view"
      case .invariant: "an invariant"
      case .key: "a key"
      case .condition: "a condition"
      case .choice: "a gatekeeper's function"
      case .effect: "an effect"
      }
    }

    var mayWrite: Bool { self == .reducer || self == .content }
  }

  let kind: Kind
  let name: String
  /// What its parameters are.
  var state = Shape.unknown
  var payload = Shape.unknown
  var isShared = false
}

/// The functions of a flow's sources that it calls by itself, by the file and the functions of its tree.
struct FunctionRoles {
  private(set) var roles: [String: [LuaTree.FunctionID: FunctionRole]] = [:]
  private let text: FlowText
  /// The functions that begin on a line.
  private var begun: [SourcePlace: [LuaTree.FunctionID]] = [:]
  private var trees: [String: LuaTree] = [:]

  init(_ text: FlowText) {
    self.text = text
    for source in text.sources {
      trees[source.name] = source.tree
      for (number, function) in (source.tree?.functions ?? []).enumerated().dropFirst() {
        begun[SourcePlace(file: source.name, line: function.line), default: []].append(number)
      }
    }
    let state = Shape.state(of: text.flow)
    addActions(state)
    for (readers, kind) in [
      (text.flow.views, FunctionRole.Kind.view), (text.flow.invariants, .invariant),
    ] {
      for reader in readers {
        add(reader.function, FunctionRole(kind: kind, name: reader.function.name, state: state))
      }
    }
    for scope in text.flow.scopes {
      if let key = scope.key { add(key, FunctionRole(kind: .key, name: scope.name, state: state)) }
    }
    for machine in text.flow.machines { add(machine, state) }
    for keeper in text.flow.keepers {
      for case .workedOut(let function) in keeper.choices {
        add(function, FunctionRole(kind: .choice, name: keeper.name, state: state))
      }
    }
    for effect in text.flow.effects + text.flow.stateEffects {
      add(effect.function, FunctionRole(kind: .effect, name: effect.function.name))
    }
  }

  private mutating func addActions(_ state: Shape) {
    for action in text.flow.actions {
      let payload = Shape.payload(of: action)
      if let reducer = action.reducer {
        add(
          reducer,
          FunctionRole(kind: .reducer, name: action.name, state: state, payload: payload))
      }
      for rule in action.rules {
        add(
          rule.function,
          FunctionRole(
            kind: .rule, name: rule.function.name, state: state,
            payload: rule.isShared ? .unknown : payload, isShared: rule.isShared))
      }
    }
  }

  /// What a machine of records is given is not the state alone: of that nothing is said.
  private mutating func add(_ machine: Machine, _ state: Shape) {
    let state = machine.records == nil ? state : .unknown
    var content: Set<Int32> = []
    var conditions: Set<Int32> = []
    for each in machine.chart.states {
      content.formUnion(each.onEnter + each.onExit + each.ways.compactMap(\.content))
      conditions.formUnion(each.ways.compactMap(\.condition))
    }
    for (number, function) in machine.functions.enumerated() {
      let number = Int32(number)
      if content.contains(number) {
        add(function, FunctionRole(kind: .content, name: machine.name, state: state))
      } else if conditions.contains(number) {
        add(function, FunctionRole(kind: .condition, name: machine.name, state: state))
      }
    }
  }

  /// A function that is called for several things is known by what they have in common.
  private mutating func add(_ function: FlowFunction, _ role: FunctionRole) {
    guard let tree = trees[function.place.file] else { return }
    let found = (begun[function.place] ?? []).filter {
      tree.functions[$0].lastLine == function.lastLine
        && tree.functions[$0].parameters.count == function.parameters
    }
    guard found.count == 1, let id = found.first else { return }
    var role = role
    if let known = roles[function.place.file]?[id] {
      role.payload = .unknown
      if known.kind != role.kind { role.state = .unknown }
    }
    roles[function.place.file, default: [:]][id] = role
  }
}
