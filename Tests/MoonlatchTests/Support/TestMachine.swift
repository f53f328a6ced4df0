@testable import FlowKernel
@testable import FlowLanguage
import StateCharts

/// The only machine of a flow that is loaded and not run.
func readMachine(_ source: String) throws -> Machine {
  struct NoMachine: Error {}
  guard let machine = try LoadedFlow(source: source).flow.machines.first else { throw NoMachine() }
  return machine
}

/// The faults of a machine behind the declarations of some actions, on the second line.
func machineFaults(_ machine: String, actions: String = "go stop tick") -> [String] {
  let declared = actions.split(separator: " ").map { "action.\($0) {}" }.joined(separator: " ")
  return faults(of: "state { total = 0 } \(declared)\n\(machine)")
}

extension Machine {
  func number(of path: String) -> Chart.StateNumber? {
    chart.states.firstIndex { $0.path == path }.map(Chart.StateNumber.init)
  }

  /// The ways of a state as sentences, in their order.
  func transitions(of path: String) -> [String] {
    guard let number = number(of: path) else { return ["there is no state \(path)"] }
    return chart.states[Int(number)].transitions.map { transition in
      var text =
        switch transition.trigger {
        case .action(let name): name
        case .always: "always"
        case .done: "on_done"
        case .timer(let number): "timer \(number)"
        case .events: "events"
        }
      text += " \(transition.reach)"
      if !transition.targets.isEmpty {
        text +=
          " to "
          + transition.targets.map { $0 == 0 ? name : chart.states[Int($0)].path }
          .joined(separator: ", ")
      }
      if transition.condition != nil { text += " when" }
      if transition.content != nil { text += " reduce" }
      if let history = transition.history { text += " history \(history)" }
      if let refusal = transition.refusal { text += " because \(refusal)" }
      if transition.isFromWildcard { text += " *" }
      return text
    }
  }

  /// The regions with their fields.
  var regions: [String] {
    chart.regions.map { region in
      let head = region.head == 0 ? name : chart.states[Int(region.head)].path
      return "\(head): \(region.field ?? "no field")"
    }
  }
}
