import Moonlatch

/// Which states, actions and scopes a flow can ever come to.
///
/// What stays out can never be: conditions are taken to hold sooner or later, so that only what the
/// tables themselves rule out is found.
struct Reachability {
  /// For each machine the states that it can be in.
  private(set) var states: [Set<Int>]
  /// Names of actions that can pass.
  private(set) var actions: Set<String> = []
  private let flow: Flow
  /// For each action how many of its machines never come to a state that takes it, as far as is known.
  private var missing: [Int]
  /// For each action the machines that come to such a state.
  private var met: [Set<Int>]
  /// States that were come to and not looked at yet.
  private var open: [(machine: Int, state: Int)] = []

  init(_ flow: Flow, closedScopes: Set<Int> = []) {
    self.flow = flow
    states = flow.machines.map { _ in [] }
    missing = flow.actions.map { action in
      let isClosed = action.scope.map(closedScopes.contains) ?? false
      return isClosed ? .max : action.machines.count
    }
    met = flow.actions.map { _ in [] }
    for action in flow.actions.indices where missing[action] == 0 {
      actions.insert(flow.actions[action].name)
    }
    for (index, machine) in flow.machines.enumerated() {
      let isOne = machine.chart.regions.count == 1
      for state in isOne ? [machine.initial] : Array(machine.states.indices) {
        come(to: state, of: index)
      }
    }
    while let next = open.popLast() { look(at: next.state, of: next.machine) }
  }

  private mutating func come(to state: Int, of machine: Int) {
    if states[machine].insert(state).inserted { open.append((machine, state)) }
  }

  /// A state that a machine comes to lets its actions pass, or may be what they lacked.
  private mutating func look(at state: Int, of machine: Int) {
    for name in flow.machines[machine].states[state].transitions.keys {
      guard let action = flow.indexOfAction[name] else { continue }
      if missing[action] == 0 {
        move(machine, from: state, by: name)
      } else if missing[action] != .max, met[action].insert(machine).inserted {
        missing[action] -= 1
        if missing[action] == 0 { letPass(action) }
      }
    }
  }

  private mutating func letPass(_ action: Int) {
    let name = flow.actions[action].name
    actions.insert(name)
    for machine in flow.actions[action].machines {
      for state in flow.machines[machine].takers[name] ?? []
      where states[machine].contains(state) {
        move(machine, from: state, by: name)
      }
    }
  }

  private mutating func move(_ machine: Int, from state: Int, by action: String) {
    for target in flow.machines[machine].states[state].transitions[action] ?? [] {
      come(to: target.state, of: machine)
      if target.guardRule == nil { break }
    }
  }
}
