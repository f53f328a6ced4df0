import FlowLanguage
import StateCharts

/// Which states, actions and scopes a flow can ever come to.
///
/// What stays out can never be: conditions are taken to hold sooner or later, so that only what the
/// tables themselves rule out is found.
struct Reachability {
  /// For each machine whether each of its chart's states can ever be active.
  private(set) var states: [[Bool]] = []
  /// Names of actions that can pass.
  private(set) var actions: Set<String> = []
  /// For each machine the ways that are never tried.
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
    // What one machine alone takes passes wherever that lists it; others wait for each other.
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
    // Of very many that wait for each other all are taken to pass.
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

  /// Whether a way can be taken at all, its condition aside.
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

  /// Whether each of the machines that an action names comes to a state that lists it, or lets it pass where
  /// there is no such record.
  private func isTaken(_ action: Action) -> Bool {
    action.machines.allSatisfy { machine in
      flow.machines[machine].records?.without.contains(action.name) == true
        || (takers[machine][action.name] ?? []).contains { states[machine][Int($0)] }
    }
  }
}
