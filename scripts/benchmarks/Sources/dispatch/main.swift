import Baseline
import Bench
import Moonlatch
import Workloads

// The cost of a dispatch, against the least that Lua itself would cost, and the factors that it depends on.

private typealias Candidate = Stopwatch.Candidate

/// The rule and the reducer as two protected calls from C, on a raw table, without hook or limit.
private func bare(_ chunk: String) throws -> Candidate {
  guard let baseline = baseline_open(chunk) else {
    throw WrongResult("the baseline could not be opened")
  }
  return Candidate(name: "bare", count: perRound) { count in
    let before = baseline_field(baseline, "count")
    try WrongResult.unless(
      baseline_dispatch(baseline, Int32(count))
        && baseline_field(baseline, "count") == before + Int64(count),
      "the baseline did not count")
  }
}

/// A host that dispatches actions in turn, all of which pass.
private func host(
  _ flow: String, _ actions: [(String, Value)], perDispatch: Int = 1,
  prepare: (FlowHost) throws -> Void = { _ in }
) throws -> Candidate {
  let host = try FlowHost(source: flow, options: HostOptions(clock: .virtual))
  try prepare(host)
  return Candidate(name: "host", count: perRound) { count in
    let before = try host.revision
    for i in 0..<count {
      let (action, payload) = actions[i % actions.count]
      try host.dispatch(action, payload)
    }
    try WrongResult.unless(
      try host.revision == before + count * perDispatch, "an action did not pass")
  }
}

/// Toggles ten records, evenly spread over the list, so that every size works on as many.
private func toggle(in size: Int) throws -> Candidate {
  try host(
    toggleFlow, (0..<10).map { ("toggle", ["index": .integer(1 + $0 * size / 10)]) }
  ) { host in
    for begin in stride(from: 0, to: size, by: 1_000) {
      let outcome = try host.dispatch("fill", ["count": .integer(min(1_000, size - begin))])
      try WrongResult.unless(outcome.isPassed, "\(outcome)")
    }
  }
}

/// Subscribes to every view, as a screen that shows them would.
private func watchViews(_ count: Int, of host: FlowHost) throws {
  for number in 1...count { watching.append(try host.subscribe("view\(number)") { _ in }) }
}

nonisolated(unsafe) private var watching: [ViewSubscription] = []
private let perRound = 1_000
private let rounds = 200
private let sizes = [10, 1_000, 100_000]

run { report in
  let candidates =
    try [
      bare(counterChunk),
      host(counterFlow, [("increment", [:])]),
      host(machineFlow, [("flip", [:])]),
      host(gatekeeperFlow, [("take", [:]), ("give", [:])]),
      host(viewsFlow(1), [("increment", [:])]) { try watchViews(1, of: $0) },
      host(viewsFlow(10), [("increment", [:])]) { try watchViews(10, of: $0) },
      host(effectFlow, [("increment", [:])], perDispatch: 2),
    ] + sizes.map(toggle(in:))
  let times = try Stopwatch.best(of: candidates, rounds: rounds)
  let (bare, counter) = (times[0], times[1])

  report.title("A dispatch: the least of \(rounds) rounds of \(perRound), in turn")
  report.figure("counter: gate and reducer, bare, from C", bare, "ns")
  report.figure("counter: host.dispatch", counter, "ns")
  report.figure("machine event with guard and reducer", times[2], "ns")
  report.figure("gatekeeper: take or give", times[3], "ns")
  report.figure("counter with 1 view and a subscriber", times[4], "ns")
  report.figure("counter with 10 views, 1 of them touched", times[5], "ns")
  report.figure("counter whose effect dispatches another action", times[6], "ns")
  for (size, time) in zip(sizes, times[7...]) {
    report.figure("toggle 1 of \(size) records", time, "ns")
  }
  report.title("Ratios")
  report.target("counter to bare", counter / bare, atMost: 9)
  report.target("machine event to bare", times[2] / bare, atMost: 8)
  report.figure("gatekeeper to counter", times[3] / counter, "times")
  report.target("10 views, 1 touched, to 1 view", times[5] / times[4], atMost: 1.5)
  report.figure("an effect that dispatches to two counters", times[6] / (2 * counter), "times")
  let toggles = times[7...]
  report.target(
    "toggle: the dearest size to the cheapest", (toggles.max() ?? .nan) / (toggles.min() ?? .nan),
    atMost: 1.3)

  let pendings = try Stopwatch.best(
    of: [events(pending: 0), events(pending: 9_990)], rounds: rounds)
  let undos = try Stopwatch.best(of: [undoing(records: 10), undoing(records: 100_000)], rounds: 20)
  report.title("Pending timers, and going along the history")
  report.figure("an event that sets and stops a timer, none else pending", pendings[0], "ns")
  report.figure("the same with 9,990 pending", pendings[1], "ns")
  report.target("9,990 pending to none", pendings[1] / pendings[0], atMost: 1.5)
  report.target(
    "history of such an event, 9,990 pending", try historyBytes(pending: 9_990), atMost: 1_024,
    "bytes")
  report.target(
    "undo or redo of one transition, 100,000 records", undos[1] / 1_000, atMost: 20, "µs")
  report.figure("100,000 records to 10", undos[1] / undos[0], "times")

  try measureMachines(&report)
}
