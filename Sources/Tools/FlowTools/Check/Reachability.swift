import FlowLanguage
import StateCharts

/// The states, actions and scopes that a flow can ever reach.
///
/// Conditions are assumed to hold sooner or later, so only what the tables themselves exclude is missing.
struct Reachability {
  /// For each machine and each state of its chart, true if the state can ever be active.
  private(set) var states: [[Bool]] = []
  /// The names of actions that can pass.
  private(set) var actions: Set<String> = []
  /// For each machine the transitions that are never tried.
  let untried: [Set<CompiledChart.TransitionNumber>]
  private let flow: Flow
  /// For each machine the states that list each action.
  private let takers: [[String: [Chart.StateNumber]]]
  /// The actions that do not pass, as far as is known.
  private var barred: Set<String> = []

  init(_ flow: Flow, closedScopes: Set<Int> = []) {
    self.flow = flow
    takers = flow.machines.map(\.takers)
    untried = flow.machines.map { Set(ChartAnalysis($0.compiled).neverTried()) }
    // An action of one machine passes wherever the machine lists it; actions of several machines depend on each other.
    var waiting: [Action] = []
    var closed: Set<String> = []
    for action in flow.actions {
      if action.scope.map(closedScopes.contains) ?? false {
        closed.insert(action.name)
      } else if action.machines.count > 1 {
        waiting.append(action)
      }
    }
    barred = closed.union(waiting.map(\.name))
    states = flow.machines.indices.map { reachable(in: $0) }
    var passing: [Action] = []
    // If very many actions depend on each other, all are assumed to pass.
    var budget = 1_000_000
    repeat {
      passing = budget < 0 ? waiting : waiting.filter { isTaken($0) }
      budget -= waiting.count
      let names = Set(passing.map(\.name))
      waiting.removeAll { names.contains($0.name) }
      barred.subtract(names)
      for machine in Set(passing.flatMap(\.machines)) {
        states[machine] = reachable(in: machine)
        budget -= flow.machines[machine].compiled.rows.count
      }
    } while !passing.isEmpty
    actions = Set(flow.actions.filter { !barred.contains($0.name) && isTaken($0) }.map(\.name))
  }

  /// Returns true if a transition can be taken at all, without regard to its condition.
  func passes(_ transition: CompiledChart.TransitionNumber, of machine: Int) -> Bool {
    if untried[machine].contains(transition) { return false }
    guard case .action(let name) = flow.machines[machine].compiled.transition(transition).trigger
    else {
      return true
    }
    return !barred.contains(name)
  }

  private func reachable(in machine: Int) -> [Bool] {
    ChartAnalysis(flow.machines[machine].compiled).reachable { passes($0, of: machine) }
  }

  /// Returns true if each machine of an action reaches a state that lists it.
  ///
  /// A machine of records also counts if it lets the action pass without a record.
  private func isTaken(_ action: Action) -> Bool {
    action.machines.allSatisfy { machine in
      flow.machines[machine].records?.without.contains(action.name) == true
        || (takers[machine][action.name] ?? []).contains { states[machine][Int($0)] }
    }
  }
}
