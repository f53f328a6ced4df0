import Baseline
import Bench
import Moonlatch
import Workloads

/// Hosts of one loaded flow of a size that flows have at work.
enum Hosts {
  static func measure(_ report: inout BenchmarkReport) throws {
    let loaded = try LoadedFlow(source: LargeFlow.source)
    func host() throws -> FlowHost {
      try FlowHost(loaded, options: HostOptions(clock: .virtual))
    }
    try WrongResult.unless(
      try host().dispatch("step_1", ["name": "Ann"]).isPassed, "the flow does not play")
    // Before the times: what they have let go of would be taken again.
    let count = 1_000
    var hosts = try (0..<100).map { _ in try host() }
    hosts.reserveCapacity(hosts.count + count)
    let before = HistoryValue.resident
    for _ in 0..<count { hosts.append(try host()) }
    let bytes = withExtendedLifetime(hosts) {
      Double(HistoryValue.resident - before) / Double(count)
    }
    try WrongResult.unless(bytes > 0, "the memory of hosts could not be measured")
    let times = try Stopwatch.best(
      of: [
        .init(name: "host", count: 200) { for _ in 0..<$0 { _ = try host() } },
        .init(name: "bare", count: 200) { _ = baseline_open_and_close(Int32($0)) },
      ], rounds: 20)
    report.title("Hosts of a loaded flow with 40 actions")
    report.target("making one and letting it go", times[0] / 1_000, atMost: 60, "µs")
    report.figure("the same against a bare Lua state", times[0] / times[1], "times")
    report.target("memory of an idle one", bytes / 1_000, atMost: 45, "KB")
  }
}
