import Bench
import Moonlatch

/// How a large state comes to be: in the flow's text, by actions, by a reload.
enum LoadingScale {
  private static let limits = Limits(
    instructionsPerDispatch: 1 << 40, instructionsPerLoad: 1 << 40, memory: 12 << 30,
    payload: 1 << 30, state: 0, instructionsPerChain: 1 << 40, retained: 8 << 30)

  private static let rest = """
    action.fill { n = integer }
    action.take { rows = any }
    function reduce.fill(s, a)
      for i = 1, a.n do s.rows[#s.rows + 1] = { id = i, name = "n", done = false } end
    end
    function reduce.take(s, a) s.rows = a.rows end
    """

  private static func host(_ source: String) throws -> FlowHost {
    try FlowHost(source: source, options: HostOptions(limits: limits, clock: .virtual))
  }

  static func measure(_ report: inout BenchmarkReport) throws {
    try measure("in a table that the flow's text makes", &report) { count in
      let source = """
        local rows = {}
        for i = 1, \(count) do rows[i] = { id = i, name = "n", done = false } end
        state { rows = rows }
        \(rest)
        """
      return { try consume(try host(source)) }
    }
    try measure("written out in the flow's text", &report) { count in
      var source = "state { rows = {\n"
      for index in 1...count { source += "{ id = \(index), name = \"n\", done = false },\n" }
      source += "} }\n" + rest
      return { [source] in try consume(try host(source)) }
    }
    try measure("by actions of 1,000 records each", &report) { count in
      {
        let host = try host("state { rows = list {} }\n" + rest)
        for _ in 0..<count / 1_000 { try host.dispatch("fill", ["n": 1_000]).get() }
        try consume(host)
      }
    }
    try measure("by one action that fills it", &report) { count in
      {
        let host = try host("state { rows = list {} }\n" + rest)
        try host.dispatch("fill", ["n": .integer(count)]).get()
        try consume(host)
      }
    }
    try measure("in the payload of one action", &report) { count in
      let rows = Value.list((1...count).map { ["id": .integer($0), "name": "n", "done": false] })
      return {
        let host = try host("state { rows = list {} }\n" + rest)
        try host.dispatch("take", ["rows": rows]).get()
        try consume(host)
      }
    }
    try measure("by a reload that keeps the state", &report) { count in
      let host = try host("state { rows = list {} }\n" + rest)
      try host.dispatch("fill", ["n": .integer(count)]).get()
      return { try host.reload(.keep) }
    }
  }

  private static func consume(_ host: FlowHost) throws {
    try WrongResult.unless(try host.revision >= 0, "the host has stopped")
  }

  private static func measure(
    _ name: String, _ report: inout BenchmarkReport, _ load: (Int) throws -> () throws -> Void
  ) throws {
    report.title("A state of 1,000,000 records, \(name)")
    let loads = try [100_000, 1_000_000].map { try load($0) }
    let times = try Stopwatch.best(
      of: loads.map { load in .init(name: name, count: 1) { _ in try load() } }, rounds: 2)
    report.figure("100,000 records", times[0] / 1e9, "s")
    report.target("1,000,000 records", times[1] / 1e9, atMost: 5, "s")
    report.target("1,000,000 to 100,000", times[1] / times[0], atMost: 11)
  }
}
