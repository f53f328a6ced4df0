import Bench
@_spi(Benchmarks) import Moonlatch

/// The cost of a view that reads every record of a large list: the memory for its reads, and the time to run again
/// after one record has changed.
enum ViewScale {
  private static let records = 100_000

  static func measure(_ report: inout BenchmarkReport) throws {
    let host = try host()
    for _ in 0..<records / 1_000 { try host.dispatch("fill").get() }
    report.title("A view over 100,000 records, within 64 MiB")
    let before = try host.memoryHeld()
    do {
      let first = try time(of: "undone", on: host, expecting: records)
      report.figure("when it first runs", first, "ms")
    } catch let error as ViewError {
      return report.unmeasured("when it first runs", "\(error)")
    }
    let kept = Double(try host.memoryHeld() - before) / Double(records)
    report.target("kept of what it read, a record", kept, atMost: 16, "bytes")
    report.target("after a change", try again("undone", on: host), atMost: 15, "ms")
    report.figure("after a change, read by index", try again("undone_by_index", on: host), "ms")
  }

  private static func host() throws -> FlowHost {
    try FlowHost(
      source: """
        state { rows = list {} }
        action.fill {}
        action.turn { row = integer }
        function reduce.fill(s)
          for i = 1, 1000 do s.rows[#s.rows + 1] = { id = i, done = false } end
        end
        function reduce.turn(s, a) s.rows[a.row].done = not s.rows[a.row].done end
        function view.undone(s)
          local count = 0
          for _, row in ipairs(s.rows) do if not row.done then count = count + 1 end end
          return count
        end
        function view.undone_by_index(s)
          local count = 0
          for i = 1, #s.rows do if not s.rows[i].done then count = count + 1 end end
          return count
        end
        """, options: HostOptions(clock: .virtual))
  }

  /// The shortest of several times, in milliseconds: one record is done, and then no more.
  private static func again(_ view: String, on host: FlowHost) throws -> Double {
    let rows = [5, records / 2, records - 1].flatMap { [$0, $0] }
    let times = try rows.enumerated().map { number, row in
      try host.dispatch("turn", ["row": .integer(row)]).get()
      return try time(of: view, on: host, expecting: records - (number + 1) % 2)
    }
    return times.min() ?? .infinity
  }

  private static func time(
    of view: String, on host: FlowHost, expecting count: Int
  ) throws -> Double {
    let clock = ContinuousClock()
    let begin = clock.now
    let found = try host.view(view)
    let time = Stopwatch.nanoseconds(clock.now - begin) / 1e6
    try WrongResult.unless(found == .integer(count), "the view says \(found)")
    return time
  }
}
