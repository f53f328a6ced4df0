import LuaRuntime
import StateCharts

/// The prelude's description of `machine.NAME { ... }`, in which no name is resolved yet.
struct MachineDeclaration {
  package struct Transition {
    /// The targets; empty if the transition is internal or forbids the action.
    package let targets: [String]
    package let forbids: Bool
    package let refusal: String?
    package let condition: FlowFunction?
    package let reducer: FlowFunction?
    package let reenters: Bool
    package let history: String?
    package let restarts: Chart.Restarts?

    package init(_ noted: Value) {
      targets = (noted["to"]?.listValue ?? []).compactMap(\.stringValue)
      forbids = noted["forbids"] == .boolean(true)
      refusal = noted["refusal"]?.stringValue
      condition = FlowFunction(noted["guard"], name: "when")
      reducer = FlowFunction(noted["reduce"], name: "reduce")
      reenters = noted["reenters"] == .boolean(true)
      history = noted["history"]?.stringValue
      restarts =
        noted["restarts"] == .boolean(true)
        ? .all
        : noted["restarts"]?.listValue.map { .actions($0.compactMap(\.stringValue)) }
    }
  }

  /// The transitions of an action, or of all actions that match a wildcard.
  struct Listed {
    package let action: String
    package let transitions: [Transition]

    init?(_ noted: Value) {
      guard let action = noted["action"]?.stringValue else { return nil }
      self.action = action
      transitions = MachineDeclaration.transitions(noted["transitions"])
    }

    /// The prefix of the matching actions' names; nil for a single action.
    package var prefix: Substring? {
      action == "*" || action.hasSuffix(".*") ? action.dropLast() : nil
    }
  }

  package struct Timer {
    /// The action to dispatch; nil for a delayed transition.
    package let action: String?
    /// The position of a delayed transition in its list.
    package let position: Int
    package let seconds: Double
    package let workedOut: FlowFunction?
    package let repeats: Bool
    package let transitions: [Transition]

    package init(_ noted: Value) {
      action = noted["action"]?.stringValue
      position = noted["position"]?.integerValue ?? 0
      seconds = noted["seconds"]?.doubleValue ?? 0
      repeats = noted["repeats"] == .boolean(true)
      workedOut = FlowFunction(noted["work_out"], name: repeats ? "every" : "after")
      transitions = MachineDeclaration.transitions(noted["transitions"])
    }

    package var word: String { repeats ? "every" : "after" }
  }

  package struct State {
    package let name: String
    /// The number of the parent state; -1 for the outermost.
    package let parent: Int
    package let initial: String?
    /// The names of its regions, in order.
    package let regions: [String]?
    package let isFinal: Bool
    /// The actions that are postponed until the state is left.
    package let postponed: [String]
    package let listed: [Listed]
    /// The transitions that it lists for all states inside.
    package let everywhere: [Listed]
    package let timers: [Timer]
    package let always: [Transition]
    package let onDone: [Transition]?
    package let onEnter: FlowFunction?
    package let onExit: FlowFunction?
    package let effect: Effect?

    package init(_ noted: Value) {
      name = noted["name"]?.stringValue ?? ""
      parent = (noted["parent"]?.integerValue ?? 0) - 1
      initial = noted["initial"]?.stringValue
      regions = noted["parallel"]?.listValue.map { $0.compactMap(\.stringValue) }
      isFinal = noted["final"] == .boolean(true)
      postponed = (noted["postpone"]?.listValue ?? []).compactMap(\.stringValue)
      listed = (noted["transitions"]?.listValue ?? []).compactMap(Listed.init)
      everywhere = (noted["everywhere"]?.listValue ?? []).compactMap(Listed.init)
      // Timers are sorted by action; those without one come after them, in the order of the list.
      timers = (noted["timers"]?.listValue ?? []).map(Timer.init)
        .sorted { ($0.position, $0.action ?? "") < ($1.position, $1.action ?? "") }
      always = MachineDeclaration.transitions(noted["always"])
      onDone = noted["on_done"].map { MachineDeclaration.transitions($0) }
      onEnter = FlowFunction(noted["on_enter"], name: "on_enter")
      onExit = FlowFunction(noted["on_exit"], name: "on_exit")
      effect = noted["effect"].flatMap(Effect.init)
    }
  }

  package struct Effect {
    package let function: FlowFunction
    package let onDone: String?
    package let onError: String?
    package let handlesFaults: Bool
    package let isDurable: Bool

    package init?(_ noted: Value) {
      guard let function = FlowFunction(noted["run"], name: "effect") else { return nil }
      self.function = function
      onDone = noted["on_done"]?.stringValue
      onError = noted["on_error"]?.stringValue
      handlesFaults = noted["on_error_faults"] == .boolean(true)
      isDurable = noted["durable"] == .boolean(true)
    }
  }

  package let name: String
  /// The states, each after its parent; the first one is the machine itself.
  package let states: [State]
  package let records: Machine.Records?

  init?(_ noted: Value) {
    guard let name = noted["name"]?.stringValue else { return nil }
    self.name = name
    states = (noted["states"]?.listValue ?? []).map(State.init)
    records = Machine.Records(noted, of: name)
    if states.isEmpty { return nil }
  }

  private static func transitions(_ noted: Value?) -> [Transition] {
    (noted?.listValue ?? []).map(Transition.init)
  }
}
