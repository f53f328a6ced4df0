import FlowLanguage
import LuaRuntime
import StateCharts

/// The fields of a flow's payloads, as its VMs know them, and the functions that may read them.
///
/// To read a field that the action does not declare is an error. A function that runs for several actions may read the
/// fields of each; it gets nil for those of the others. Where the actions are not known, it may read those of all.
struct PayloadShapes {
  /// The shape of `{}` in a function that runs without an action.
  static let none = PayloadShape(1)

  /// The shapes in the order of their numbers, from 1.
  private(set) var shapes: [Value] = []
  /// Pairs of the number of a function and the number of the shape of the fields that it may read.
  private(set) var readers: [Int32] = []
  /// The shapes of the actions' payloads, by the actions' indices.
  private var ofActions: [PayloadShape] = []
  private let indexOfAction: [String: Int]

  init(_ flow: Flow) {
    indexOfAction = flow.indexOfAction
    _ = add("the payload", [:])
    for action in flow.actions {
      let number = self.number(of: action.payload, "the payload of \(action.name)")
      ofActions.append(PayloadShape(UInt32(number)))
    }
    var users = FunctionUsers()
    users.add(flow)
    addReaders(users, of: flow.actions)
  }

  /// Returns the shape of an action's payload.
  func shape(of action: String) -> PayloadShape {
    indexOfAction[action].map { ofActions[$0] } ?? PayloadShapes.none
  }

  // MARK: Shapes

  private mutating func add(_ title: String, _ fields: [String: Value]) -> Int {
    shapes.append(["title": .string(title), "fields": .record(fields)])
    return shapes.count
  }

  /// Returns the number of the shape of a type; 0 for a type without records.
  private mutating func number(of type: PayloadType, _ title: String) -> Int {
    switch type.withoutOptional {
    case .record(let fields):
      // Its own number comes before those of its fields.
      let number = add(title, [:])
      var below: [String: Value] = [:]
      for field in fields {
        below[field.name] = .integer(self.number(of: field.type, "\(title).\(field.name)"))
      }
      shapes[number - 1] = ["title": .string(title), "fields": .record(below)]
      return number
    case .listOf(let element, _, _, _), .mapOf(let element, _, _, _):
      let number = self.number(of: element, "\(title)[...]")
      if number == 0 { return 0 }
      shapes.append(.integer(number))
      return shapes.count
    default: return 0
    }
  }

  // MARK: Readers

  private mutating func addReaders(_ users: FunctionUsers, of all: [Action]) {
    var shared: [Set<Int>: Int] = [:]
    for (references, actions) in users.known {
      let number: Int
      if actions.count == 1, let only = actions.first {
        number = Int(ofActions[only].number)
      } else if let known = shared[actions] {
        number = known
      } else {
        let names = Set(actions.flatMap { all[$0].payload.fieldNames })
        number = add(
          "the payload", Dictionary(uniqueKeysWithValues: names.map { ($0, Value.integer(0)) }))
        shared[actions] = number
      }
      for reference in references { readers += [reference.number, Int32(number)] }
    }
  }
}

/// The functions of a flow that get a payload, and the actions that they run for.
private struct FunctionUsers {
  /// Functions that begin and end at the same lines count as one.
  private struct ID: Hashable {
    let place: SourcePlace
    let lastLine: Int
    let parameters: Int
  }

  private struct Use {
    var references: [LuaReference] = []
    /// The actions by their indices; nil if they are not known.
    var actions: Set<Int>? = []
  }

  private var uses: [ID: Use] = [:]
  /// The functions in the order in which they were added, so that every VM gets the same ones.
  private var order: [ID] = []

  /// The functions of which the actions are known.
  var known: [(references: [LuaReference], actions: Set<Int>)] {
    order.compactMap { id in
      guard id.parameters > 1, let use = uses[id], let actions = use.actions else { return nil }
      return (use.references, actions)
    }
  }

  private mutating func add(_ function: FlowFunction, _ actions: Set<Int>?) {
    let id = ID(
      place: function.place, lastLine: function.lastLine, parameters: function.parameters)
    if uses[id] == nil { order.append(id) }
    var use = uses[id] ?? Use()
    if !use.references.contains(function.reference) { use.references.append(function.reference) }
    if let actions, let known = use.actions {
      use.actions = known.union(actions)
    } else {
      use.actions = nil
    }
    uses[id] = use
  }

  mutating func add(_ flow: Flow) {
    for (index, action) in flow.actions.enumerated() {
      if let reducer = action.reducer { add(reducer, [index]) }
      for rule in action.rules { add(rule.function, [index]) }
      for effect in action.effects { add(flow.effects[effect].function, [index]) }
    }
    for gatekeeper in flow.gatekeepers {
      for (name, entry) in gatekeeper.entries.sorted(by: { $0.key < $1.key }) {
        for case .workedOut(let function) in entry.choices {
          add(function, flow.indexOfAction[name].map { [$0] })
        }
      }
    }
    for machine in flow.machines { add(machine, in: flow) }
  }

  private mutating func add(_ machine: Machine, in flow: Flow) {
    for state in machine.chart.states {
      for number in state.onEnter + state.onExit { add(machine.functions[Int(number)], nil) }
      for transition in state.transitions {
        var actions: Set<Int>?
        if case .action(let name) = transition.trigger {
          actions = flow.indexOfAction[name].map { [$0] }
        }
        for case let number? in [transition.condition, transition.content] {
          add(machine.functions[Int(number)], actions)
        }
      }
    }
    let entrances = machine.effectEntrances
    for (state, effect) in machine.effects.sorted(by: { $0.key < $1.key }) {
      var actions: Set<Int>?
      if let entrance = entrances[state], !entrance.followsOthers {
        actions = Set(entrance.actions.compactMap { flow.indexOfAction[$0] })
      }
      add(effect.function, actions)
    }
  }
}
