import Bench
import Moonlatch

/// Going back and forth: by the size of the state, and by the length of the history.
enum HistoryScale {
  private static let flow = """
    state { count = 0, rows = list {} }
    action.fill { n = integer }
    action.touch { at = integer }
    action.change { n = integer }
    function reduce.fill(s, a)
      for i = 1, a.n do s.rows[#s.rows + 1] = { id = #s.rows, n = 0, done = false } end
    end
    function reduce.touch(s, a)
      local row = s.rows[a.at]
      row.n, s.count = row.n + 1, s.count + 1
    end
    function reduce.change(s, a)
      for i = 1, a.n do s.rows[i] = { id = i, n = s.rows[i].n + 1, done = true } end
    end
    """

  /// A host with so many records, and so many transitions behind it.
  private static func host(records: Int, commits: Int) throws -> FlowHost {
    let limits = Limits(
      instructionsPerDispatch: 1 << 40, memory: 8 << 30, state: 0,
      instructionsPerChain: 1 << 40, history: 200_000, retained: 8 << 30)
    let host = try FlowHost(source: flow, options: HostOptions(limits: limits, clock: .virtual))
    for _ in 0..<max(1, records / 1_000) {
      try host.dispatch("fill", ["n": .integer(min(records, 1_000))]).get()
    }
    try touch(host, commits)
    return host
  }

  private static func touch(_ host: FlowHost, _ count: Int) throws {
    for _ in 0..<count { try host.dispatch("touch", ["at": 7]).get() }
  }

  static func measure(_ report: inout BenchmarkReport) throws {
    try measureByState(&report)
    try measureByHistory(&report)
    try measureByPatch(&report)
    try measureStalls(&report)
  }

  private static func undoAndRedo(_ host: FlowHost, _ count: Int) throws {
    for _ in 0..<count {
      try host.undo()
      try host.redo()
    }
  }

  private static func measureByState(_ report: inout BenchmarkReport) throws {
    report.title("Undo and redo of one transition, by records in the state")
    let hosts = try [10, 100_000, 1_000_000].map { try host(records: $0, commits: 100) }
    let times = try Stopwatch.best(
      of: hosts.map { host in
        .init(name: "undo", count: 50) { try undoAndRedo(host, $0) }
      }, rounds: 15)
    report.figure("at 10 records", times[0] / 2_000, "µs")
    report.figure("at 100,000 records", times[1] / 2_000, "µs")
    report.figure("at 1,000,000 records", times[2] / 2_000, "µs")
    report.target("at 1,000,000 to at 10", times[2] / times[0], atMost: 1.3)
  }

  private static func measureByHistory(_ report: inout BenchmarkReport) throws {
    report.title("Undo and redo, by transitions in the history")
    let hosts = try [10_000, 100_000].map { try host(records: 10, commits: $0) }
    let times = try Stopwatch.best(
      of: hosts.map { host in
        .init(name: "undo", count: 50) { try undoAndRedo(host, $0) }
      }, rounds: 15)
    report.figure("at 10,000", times[0] / 2_000, "µs")
    report.figure("at 100,000", times[1] / 2_000, "µs")
    report.target("at 100,000 to at 10,000", times[1] / times[0], atMost: 1.3)
    let branches = try Stopwatch.best(
      of: hosts.map { host in
        .init(name: "branch", count: 50) {
          for _ in 0..<$0 {
            try host.undo()
            try touch(host, 1)
          }
        }
      }, rounds: 15)
    report.figure("undo and another transition at 10,000", branches[0] / 1_000, "µs")
    report.figure("undo and another transition at 100,000", branches[1] / 1_000, "µs")
    report.target("at 100,000 to at 10,000", branches[1] / branches[0], atMost: 1.3)
    let ends = try Stopwatch.best(
      of: hosts.map { host in
        .init(name: "go", count: 1) { _ in
          let last = try host.revision
          try host.go(to: 1)
          try host.go(to: last)
        }
      }, rounds: 3)
    report.figure("to the beginning and back over 10,000", ends[0] / 1e6, "ms")
    report.figure("to the beginning and back over 100,000", ends[1] / 1e6, "ms")
    report.target("over 100,000 to over 10,000", ends[1] / ends[0], atMost: 13)
  }

  private static func measureByPatch(_ report: inout BenchmarkReport) throws {
    report.title("Undo and redo of one transition, by records that it has changed")
    let hosts = try [1_000, 10_000, 100_000].map { count in
      let host = try host(records: 100_000, commits: 0)
      try host.dispatch("change", ["n": .integer(count)]).get()
      return host
    }
    let times = try Stopwatch.best(
      of: hosts.map { host in
        .init(name: "undo", count: 1) { try undoAndRedo(host, $0) }
      }, rounds: 5)
    report.figure("of 1,000 records", times[0] / 2e6, "ms")
    report.figure("of 10,000 records", times[1] / 2e6, "ms")
    report.figure("of 100,000 records", times[2] / 2e6, "ms")
    report.target("of 100,000 to of 10,000", times[2] / times[1], atMost: 18)
  }

  /// The second longest of 2,200 dispatches, of five rounds the round in which the least was in the way:
  /// what comes with every 1,000th comes twice.
  private static func measureStalls(_ report: inout BenchmarkReport) throws {
    report.title("The second longest of 2,200 dispatches at 100,000 records")
    let host = try host(records: 100_000, commits: 10)
    var best = Double.infinity
    let clock = ContinuousClock()
    for _ in 0..<5 {
      var (longest, second) = (0.0, 0.0)
      for _ in 0..<2_200 {
        let begin = clock.now
        try touch(host, 1)
        let time = Stopwatch.nanoseconds(clock.now - begin)
        second = max(second, min(longest, time))
        longest = max(longest, time)
      }
      best = min(best, second)
    }
    report.target("the second longest", best / 1e6, atMost: 1, "ms")
  }
}
