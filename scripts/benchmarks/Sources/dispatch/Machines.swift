import Bench
import Moonlatch
import Workloads

// What an event costs that moves more than a flat machine, against one that moves a flat one.

/// Measures them in turn; what no host runs is told.
func measureMachines(_ report: inout Report) throws {
  var flows: [MachineFlows] = []
  var candidates: [Stopwatch.Candidate] = []
  for flow in MachineFlows.allCases {
    do {
      candidates.append(try flow.candidate(perRound: 1_000))
      flows.append(flow)
    } catch let error as ScriptError {
      report.unmeasured(flow.name, error.message)
    }
  }
  let times = Dictionary(
    uniqueKeysWithValues: zip(flows, try Stopwatch.best(of: candidates, rounds: 200)))
  report.title("Events of machines")
  for flow in flows { report.figure(flow.name, times[flow] ?? .nan, "ns") }
  for flow in flows {
    guard let limit = flow.limit, let time = times[flow], let other = times[limit.against] else {
      continue
    }
    report.target("\(flow.name), to \(limit.against.name)", time / other, atMost: limit.times)
  }

  let loads = try Stopwatch.best(
    of: [
      .init(name: "load", count: 1) { _ in
        let flow = try LoadedFlow(source: MachineFlows.thousandStates)
        try WrongResult.unless(!flow.name.isEmpty, "nothing was loaded")
      }
    ], rounds: 10)
  report.target("a flow with a machine of 1,000 states, loaded", loads[0] / 1e6, atMost: 50, "ms")
}
