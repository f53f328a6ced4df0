import Bench
import Moonlatch

/// Going back and forth: by the size of the state, and by the length of the history.
enum HistoryScale {
  private static let flow = """
    state { count = 0, rows = list {}, labels = map {} }
    action.fill { n = integer }
    action.touch { at = integer }
    action.large { n = integer }
    function reduce.fill(s, a)
      for i = 1, a.n do s.rows[#s.rows + 1] = { id = #s.rows, n = 0, done = false } end
    end
    function reduce.touch(s, a)
      local row = s.rows[a.at]
      row.n, s.count = row.n + 1, s.count + 1
    end
    function reduce.large(s, a)
      local t = {}
      for i = 1, a.n do t[i] = { i, s.count } end
      s.labels = { a = t }
      s.count = s.count + 1
    end
    """

  /// A host with so many records, and so many transitions behind it.
  private static func host(records: Int, transitions: Int) throws -> FlowHost {
    let limits = Limits(
      instructionsPerDispatch: 1 << 40, memory: 8 << 30, state: 0,
      instructionsPerChain: 1 << 40, history: 200_000, retained: 8 << 30)
    let host = try FlowHost(source: flow, options: HostOptions(limits: limits, clock: .virtual))
    for _ in 0..<max(1, records / 1_000) {
      try host.dispatch("fill", ["n": .integer(min(records, 1_000))]).get()
    }
    try touch(host, transitions)
    return host
  }

  private static func touch(_ host: FlowHost, _ count: Int) throws {
    for _ in 0..<count { try host.dispatch("touch", ["at": 7]).get() }
  }

  static func measure(_ report: inout Report) throws {
    try measureByState(&report)
    try measureByHistory(&report)
    try measureStalls(&report)
  }

  private static func undoAndRedo(_ host: FlowHost, _ count: Int) throws {
    for _ in 0..<count {
      try host.undo()
      try host.redo()
    }
  }

  private static func measureByState(_ report: inout Report) throws {
    report.title("Undo and redo of one transition, by records in the state")
    let hosts = try [10, 100_000, 1_000_000].map { try host(records: $0, transitions: 100) }
    let times = try Stopwatch.best(
      of: hosts.map { host in
        .init(name: "undo", count: 50) { try undoAndRedo(host, $0) }
      }, rounds: 15)
    report.figure("at 10 records", times[0] / 2_000, "µs")
    report.figure("at 100,000 records", times[1] / 2_000, "µs")
    report.figure("at 1,000,000 records", times[2] / 2_000, "µs")
    report.target("at 1,000,000 to at 10", times[2] / times[0], atMost: 1.3)
  }

  private static func measureByHistory(_ report: inout Report) throws {
    report.title("Undo and redo, by transitions in the history")
    let hosts = try [10_000, 100_000].map { try host(records: 10, transitions: $0) }
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

  /// The longest of 2,200 dispatches, of three rounds the round in which the least was in the way.
  private static func measureStalls(_ report: inout Report) throws {
    report.title("The longest of 2,200 dispatches at 100,000 records")
    let host = try host(records: 100_000, transitions: 10)
    var best = Double.infinity
    let clock = ContinuousClock()
    for _ in 0..<3 {
      var longest = 0.0
      for _ in 0..<2_200 {
        let begin = clock.now
        try touch(host, 1)
        longest = max(longest, Stopwatch.nanoseconds(clock.now - begin))
      }
      best = min(best, longest)
    }
    report.target("the longest", best / 1e6, atMost: 1, "ms")
  }
}
