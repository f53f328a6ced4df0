import FlowLanguage
import StateCharts

/// The role in which a flow calls a function.
struct FunctionRole {
  enum Kind {
    case rule, reducer, view, invariant, key, condition, content, choice, effect

    /// The role's name in messages.
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

    /// True if its second parameter is the payload of an action.
    var getsPayload: Bool {
      switch self {
      case .rule, .reducer, .condition, .content, .choice, .effect: true
      case .view, .invariant, .key: false
      }
    }
  }

  /// The thing that a parameter is a part of.
  enum Part { case state, payload, other }

  /// The state whose effect a function is, if it is known which actions enter the state.
  struct Entrance {
    let state: String
    /// True if the state can also be entered without an action.
    fileprivate(set) var isWithoutAction: Bool
  }

  let kind: Kind
  let name: String
  /// The parts and shapes of its parameters, in order.
  var parameters: [(part: Part, shape: Shape)] = []
  /// The actions whose payload is the second parameter.
  var actions: [Action] = []
  /// The action that an effect's result is dispatched as.
  var onDone: String?
  /// True if an effect's result is dispatched as an action.
  fileprivate(set) var isResultTaken = false
  fileprivate(set) var entrance: Entrance?
  /// The keys of the record of a state effect, which need not be in its result; nil for any other function.
  fileprivate(set) var keys: Set<String>?
  /// The parameters after state and payload.
  fileprivate var rest: [(part: Part, shape: Shape)] = []

  fileprivate init(_ kind: Kind, _ name: String, _ actions: [Action] = []) {
    (self.kind, self.name, self.actions) = (kind, name, actions)
  }
}

/// The roles of the functions that the flow itself calls, by the file and the functions of its tree.
struct FunctionRoles {
  private(set) var roles: [String: [LuaTree.FunctionID: FunctionRole]] = [:]
  private let text: FlowText
  private let state: Shape
  private let outlines: FunctionOutlines

  init(_ text: FlowText) {
    self.text = text
    state = Shape.state(of: text.flow)
    outlines = FunctionOutlines(text)
    addActions()
    for (readers, kind) in [
      (text.flow.views, FunctionRole.Kind.view), (text.flow.invariants, .invariant),
    ] {
      for reader in readers { add(reader.function, FunctionRole(kind, reader.function.name)) }
    }
    for scope in text.flow.scopes {
      if let key = scope.key { add(key, FunctionRole(.key, scope.name)) }
    }
    for machine in text.flow.machines { add(machine) }
    for gatekeeper in text.flow.gatekeepers {
      for case .workedOut(let function) in gatekeeper.choices {
        add(function, FunctionRole(.choice, gatekeeper.name))
      }
    }
    addEffects()
    settleParameters()
  }

  private mutating func addActions() {
    let names = Shape.choice(text.flow.actionNames)
    for action in text.flow.actions {
      if let reducer = action.reducer {
        add(reducer, FunctionRole(.reducer, action.name, [action]))
      }
      for rule in action.rules {
        var role = FunctionRole(.rule, rule.function.name, [action])
        if rule.isShared { role.rest = [(.other, names)] }
        add(rule.function, role)
      }
    }
  }

  private mutating func addEffects() {
    let causes = text.flow.causesOfEffects
    for (number, effect) in text.flow.effects.enumerated() {
      var role = FunctionRole(.effect, effect.function.name, causes[number] ?? [])
      role.rest = [(.other, .commit)]
      role.onDone = effect.onDone
      role.isResultTaken = effect.onDone != nil
      add(effect.function, role)
    }
    for machine in text.flow.machines {
      guard let records = machine.records else { continue }
      for (_, effect) in machine.effects.sorted(by: { $0.key < $1.key }) {
        var role = FunctionRole(.effect, effect.function.name)
        role.onDone = effect.onDone
        role.keys = Set(records.which).union(records.whichIn.values)
        role.rest = [(.other, Shape.record(of: records, in: state))]
        role.isResultTaken = effect.onDone != nil
        add(effect.function, role)
      }
    }
    for machine in text.flow.machines where machine.records == nil {
      let entrances = machine.effectEntrances
      for (state, effect) in machine.effects.sorted(by: { $0.key < $1.key }) {
        var role = FunctionRole(.effect, effect.function.name)
        role.onDone = effect.onDone
        role.isResultTaken = effect.onDone != nil
        if let entrance = entrances[state], !entrance.followsOthers {
          role.actions = entrance.actions.compactMap { text.flow.action(named: $0) }
          role.entrance = FunctionRole.Entrance(
            state: effect.state ?? machine.name, isWithoutAction: entrance.isWithoutAction)
        }
        add(effect.function, role)
      }
    }
  }

  private mutating func add(_ machine: Machine) {
    let record: [(FunctionRole.Part, Shape)] =
      machine.records.map { [(.state, Shape.record(of: $0, in: state))] } ?? []
    for each in machine.chart.states {
      for number in each.onEnter + each.onExit {
        add(machine.functions[Int(number)], .content, machine, nil, record)
      }
      for transition in each.transitions {
        var action: Action?
        if case .action(let name) = transition.trigger { action = text.flow.action(named: name) }
        for (number, kind) in [
          (transition.condition, FunctionRole.Kind.condition), (transition.content, .content),
        ] {
          guard let number else { continue }
          add(machine.functions[Int(number)], kind, machine, action, record)
          // Conditions of eventless transitions receive the record only.
          if action == nil, kind == .condition, !record.isEmpty {
            only(machine.functions[Int(number)], record)
          }
        }
      }
    }
  }

  private mutating func add(
    _ function: FlowFunction, _ kind: FunctionRole.Kind, _ machine: Machine, _ action: Action?,
    _ record: [(FunctionRole.Part, Shape)]
  ) {
    var role = FunctionRole(kind, machine.name, action.map { [$0] } ?? [])
    role.rest = record
    add(function, role)
  }

  /// Sets the parameters of a function to exactly these.
  private mutating func only(
    _ function: FlowFunction, _ parameters: [(FunctionRole.Part, Shape)]
  ) {
    guard let id = outlines[function] else { return }
    roles[function.place.file]?[id]?.parameters = parameters
  }

  /// Adds a role to a function; one with several roles keeps what they have in common.
  private mutating func add(_ function: FlowFunction, _ role: FunctionRole) {
    guard let id = outlines[function] else { return }
    var role = role
    if let known = roles[function.place.file]?[id] {
      if known.onDone != role.onDone { role.onDone = nil }
      if known.isResultTaken { role.isResultTaken = true }
      let isSame = known.kind == role.kind && known.actions.isEmpty == role.actions.isEmpty
      // Beyond the limit nothing is known in common.
      let isFull = known.actions.count > Shape.mostActions
      let more = role.actions.filter { action in
        !known.actions.contains { $0.name == action.name }
      }
      role.actions = isFull ? known.actions : isSame ? known.actions + more : []
      if let other = known.entrance, isSame, var entrance = role.entrance {
        entrance.isWithoutAction = entrance.isWithoutAction || other.isWithoutAction
        role.entrance = entrance
      } else {
        role.entrance = nil
      }
      let titles = [known, role].map { $0.rest.map { $0.shape.record?.title } }
      if !isSame || titles[0] != titles[1] { role.rest = [] }
      if known.kind != role.kind, [known.kind, role.kind].contains(.effect) {
        role.parameters = [(.other, .unknown)]
      }
    }
    roles[function.place.file, default: [:]][id] = role
  }

  /// Sets the parameters of each function by its role.
  private mutating func settleParameters() {
    let ofAnyAction = Shape.payload(ofAnyOf: text.flow.actions)
    for (file, functions) in roles {
      for (id, role) in functions where role.parameters.isEmpty {
        let payload =
          !role.actions.isEmpty
          ? Shape.payload(of: role.actions) : role.kind.getsPayload ? ofAnyAction : .unknown
        let first: (FunctionRole.Part, Shape) =
          role.kind == .effect ? (.other, .unknown) : (.state, state)
        roles[file]?[id]?.parameters = [first, (.payload, payload)] + role.rest
      }
    }
  }
}
