import Bench
import Moonlatch
import Workloads

// The cost of an event that moves more than a flat machine, against one that moves a flat one.

/// Measures them in turn; those of records apart, since many records leave nothing of others in the caches.
func measureMachines(_ report: inout BenchmarkReport) throws {
  report.title("Events of machines")
  try measure(
    [.flat, .deep, .oneOfThree, .allThree, .round, .readingRound, .historyValues, .untouched],
    &report)
  report.title("Events of records' machines")
  try measure(
    [.flat, .withPayload, .tenRecords, .records, .pendingTimers, .tenTimers, .recordTimers], &report
  )

  let loads = try Stopwatch.best(
    of: [
      .init(name: "load", count: 1) { _ in
        let flow = try LoadedFlow(source: MachineFlows.thousandStates)
        try WrongResult.unless(!flow.name.isEmpty, "nothing was loaded")
      }
    ], rounds: 10)
  report.title("Loading")
  report.target("a flow with a machine of 1,000 states, loaded", loads[0] / 1e6, atMost: 50, "ms")
}

private func measure(_ flows: [MachineFlows], _ report: inout BenchmarkReport) throws {
  let best = try Stopwatch.best(
    of: try flows.map { try $0.candidate(perRound: 1_000) }, rounds: 200)
  let times = Dictionary(uniqueKeysWithValues: zip(flows, best))
  for flow in flows { report.figure(flow.name, times[flow] ?? .nan, "ns") }
  for flow in flows {
    guard let limit = flow.limit, let time = times[flow], let other = times[limit.against] else {
      continue
    }
    report.target("\(flow.name), to \(limit.against.name)", time / other, atMost: limit.times)
  }
}
