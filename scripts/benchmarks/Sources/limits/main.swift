import Baseline
import Bench
@_spi(Benchmarks) import Moonlatch

// The cost of limits: a dispatch with and without them, and a VM with everything that makes a script harmless against a
// bare one.

private typealias Candidate = Stopwatch.Candidate

private func flow(fields count: Int) -> String {
  let names = (1...count).map { "f\($0)" }
  return """
    state { \(names.map { "\($0) = 0" }.joined(separator: ", ")) }
    action.step {}
    function reduce.step(s, a)
      \(names.map { "s.\($0) = s.\($0) + 1" }.joined(separator: "\n  "))
    end
    """
}

private func dispatch(fields: Int, _ limits: Limits) throws -> Candidate {
  let host = try FlowHost(source: flow(fields: fields), options: HostOptions(limits: limits))
  return Candidate(name: "dispatch", count: 1_000) { count in
    let before = try host.revision
    for _ in 0..<count { try host.dispatch("step") }
    try WrongResult.unless(try host.revision == before + count, "a step did not pass")
  }
}

private let none = Limits(
  instructionsPerDispatch: Limits.uncounted, instructionsPerLoad: .max, memory: 0, payload: .max)
private let rounds = 300

run { report in
  let counter = try LoadedFlow(source: flow(fields: 1))
  let times = try Stopwatch.best(
    of: [
      dispatch(fields: 1, Limits()), dispatch(fields: 1, none),
      dispatch(fields: 5, Limits()), dispatch(fields: 5, none),
      Candidate(name: "bare VM", count: 10) { count in
        try WrongResult.unless(baseline_open_and_close(Int32(count)), "Lua did not open")
      },
      Candidate(name: "VM for checking", count: 10) { count in
        for _ in 0..<count { try LoadedFlow.openAndCloseVM() }
      },
      Candidate(name: "host", count: 10) { count in
        for _ in 0..<count { _ = try FlowHost(counter, options: HostOptions(clock: .virtual)) }
      },
      Candidate(name: "flow and host", count: 4) { count in
        for _ in 0..<count { _ = try FlowHost(source: flow(fields: 1)) }
      },
    ], rounds: rounds)

  report.title("A dispatch with the default limits and with none: the least of \(rounds) rounds")
  report.figure("1 field, limits", times[0], "ns")
  report.figure("1 field, none", times[1], "ns")
  report.figure("5 fields, limits", times[2], "ns")
  report.figure("5 fields, none", times[3], "ns")
  report.target("1 field: limits to none", times[0] / times[1], atMost: 1.6)
  report.target("5 fields: limits to none", times[2] / times[3], atMost: 1.6)

  report.title("Opening and closing")
  report.figure("luaL_newstate, luaL_openlibs, lua_close", times[4], "ns")
  report.figure("a VM with the whole prelude", times[5], "ns")
  report.figure("a host of a loaded flow", times[6], "ns")
  report.figure("loading a flow, and a host of it", times[7], "ns")
  report.target("a VM with the whole prelude to a bare one", times[5] / times[4], atMost: 4)
  report.target("a host of a loaded flow to a bare VM", times[6] / times[4], atMost: 3)
}
