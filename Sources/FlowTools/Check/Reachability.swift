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
  private let closedScopes: Set<Int>

  init(_ flow: Flow, closedScopes: Set<Int> = []) {
    self.flow = flow
    self.closedScopes = closedScopes
    states = flow.machines.map { [$0.initial] }
    var isGrowing = true
    while isGrowing { isGrowing = grow() }
  }

  private mutating func grow() -> Bool {
    var hasGrown = false
    for action in flow.actions where isPossible(action) {
      if actions.insert(action.name).inserted { hasGrown = true }
      for index in action.machines where move(index, by: action.name) { hasGrown = true }
    }
    return hasGrown
  }

  private func isPossible(_ action: Action) -> Bool {
    if let scope = action.scope, closedScopes.contains(scope) { return false }
    return action.machines.allSatisfy { index in
      states[index].contains { flow.machines[index].states[$0].transitions[action.name] != nil }
    }
  }

  private mutating func move(_ index: Int, by action: String) -> Bool {
    let before = states[index].count
    for state in states[index] {
      for target in flow.machines[index].states[state].transitions[action] ?? [] {
        states[index].insert(target.state)
        if target.guardRule == nil { break }
      }
    }
    return states[index].count > before
  }
}
