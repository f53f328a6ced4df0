#if canImport(Bench)
  import Bench
#endif

/// Choosing and moving as tables, without Lua.
///
/// `scripts/bench` compiles it together with `StateCharts`, whose
/// declarations a package of its own would not see.
@main
enum ChartsBench {
  static func main() {
    run { report in
      report.title("a chart of one region: choosing a way, and moving")
      let flat = deep(0)
      let times = try Stopwatch.best(
        of: [
          candidate("flat", flat, ["go"]),
          candidate("depth 3", deep(3), ["go"]),
          candidate("depth 8", deep(8), ["go"]),
          candidate("depth 8, from outside", deep(8), ["swap", "back"]),
          candidate("with history", historic, ["in", "out"]),
          candidate("one of four", parallel, ["go0"]),
          candidate("all four", parallel, ["all"]),
          candidate("a round", rounds, ["go"]),
          choice("flat", flat, "go"),
          choice("depth 8", deep(8), "go"),
        ], rounds: 40)
      report.target("flat", times[0], atMost: 65, "ns")
      report.target("at depth 3", times[1], atMost: 65, "ns")
      report.target("at depth 8", times[2], atMost: 65, "ns")
      report.figure("at depth 8, listed outside it", times[3], "ns")
      report.figure("in and out with deep history", times[4], "ns")
      report.title("a chart of four regions")
      report.target("one of them moves", times[5], atMost: 127, "ns")
      report.target("all of them move", times[6], atMost: 354, "ns")
      report.title("rounds")
      report.figure("a move and a round", times[7], "ns")
      report.title("choosing alone")
      report.figure("flat", times[8], "ns")
      report.figure("at depth 8", times[9], "ns")

      report.title("making the tables")
      let thousand = CompiledInput(branches: 200, depth: 5, transitions: 10)
      let many = CompiledInput(branches: 20_000, depth: 5, transitions: 2)
      let chain = CompiledInput(branches: 1, depth: 1_000, transitions: 10)
      let loads = try Stopwatch.best(
        of: [thousand, many, chain].map { input in
          .init(name: "load", count: 1) { _ in
            try WrongResult.unless(
              CompiledChart(input.chart).leafStates.count > 0, "nothing was made")
          }
        }, rounds: 5)
      report.target("1,000 states of depth 5, 10 ways each", loads[0] / 1e6, atMost: 50, "ms")
      report.figure("100,000 states of depth 5, 2 ways each", loads[1] / 1e6, "ms")
      report.figure("1,000 states inside each other, 10 ways each", loads[2] / 1e6, "ms")
    }
  }

  private static func candidate(
    _ name: String, _ drawing: Drawing, _ actions: [String]
  ) -> Stopwatch.Candidate {
    let chart = CompiledChart(drawing.chart())
    let numbers = actions.compactMap(chart.action)
    return .init(name: name, count: 100_000) { count in
      var interpreter = ChartInterpreter(chart)
      var memory = interpreter.noMemory
      var configuration: [CompiledChart.LeafNumber] = []
      interpreter.begin(&configuration, remembering: memory)
      var moves = 0
      for turn in 0..<count {
        let action = numbers[numbers.count == 1 ? 0 : turn & 1]
        if interpreter.select(.action(action), at: configuration, agrees: { _ in true }) {
          interpreter.resolveConflicts(at: configuration, remembering: memory)
          interpreter.move(&configuration, remembering: &memory)
          moves &+= interpreter.changes.count
        }
        if chart.hasEventless {
          while interpreter.select(.eventless, at: configuration, agrees: { _ in true }) {
            interpreter.resolveConflicts(at: configuration, remembering: memory)
            interpreter.move(&configuration, remembering: &memory)
          }
        }
      }
      try WrongResult.unless(moves >= count, "\(name) moved \(moves) times")
    }
  }

  private static func choice(
    _ name: String, _ drawing: Drawing, _ action: String
  ) -> Stopwatch.Candidate {
    let chart = CompiledChart(drawing.chart())
    let number = chart.action(action) ?? 0
    return .init(name: name, count: 100_000) { count in
      var interpreter = ChartInterpreter(chart)
      var configuration: [CompiledChart.LeafNumber] = []
      interpreter.begin(&configuration, remembering: interpreter.noMemory)
      var found = 0
      for _ in 0..<count {
        if interpreter.select(.action(number), at: configuration, agrees: { _ in true }) {
          found &+= 1
        }
      }
      try WrongResult.unless(found == count, "\(name) chose \(found) times")
    }
  }

  /// Two states that lead to each other, so deep inside others.
  private static func deep(_ depth: Int) -> Drawing {
    var states = [
      Drawing("a", transitions: [.on("go", "b")]), Drawing("b", transitions: [.on("go", "a")]),
      Drawing("c", transitions: [.stays("other")]),
    ]
    for level in 0..<depth { states = [Drawing("level\(level)", inside: states)] }
    let path = (0..<depth).reversed().map { "level\($0)." }.joined()
    let outside: [Drawing.Transition] = [.on("swap", path + "b"), .on("back", path + "a")]
    return Drawing("m", transitions: outside, inside: states)
  }

  private static var parallel: Drawing {
    let regions = (0..<4).map { number in
      Drawing(
        "r\(number)",
        inside: [
          Drawing("a", transitions: [.on("go\(number)", "b"), .on("all", "b")]),
          Drawing("b", transitions: [.on("go\(number)", "a"), .on("all", "a")]),
        ])
    }
    return Drawing("m", inside: [Drawing("p", .parallel, inside: regions)])
  }

  private static var historic: Drawing {
    Drawing(
      "m",
      inside: [
        Drawing("off", transitions: [.on("in", "on", history: .deep)]),
        Drawing(
          "on", transitions: [.on("out", "off")],
          inside: [Drawing("x", inside: [Drawing("y"), Drawing("z")])]),
      ])
  }

  private static var rounds: Drawing {
    Drawing(
      "m",
      inside: [
        Drawing("a", transitions: [.on("go", "b")]), Drawing("b", transitions: [.always("a")]),
      ])
  }
}

/// Many states, without the time that drawing them takes.
private struct CompiledInput {
  let chart: Chart

  init(branches: Int, depth: Int, transitions: Int) {
    var chart = Chart(
      name: "m", place: .init(file: "", line: 0), dialect: .flow, states: [],
      regions: [.init(head: 0, owner: -1, field: "m")])
    chart.states.append(
      .init(
        name: "m", path: "", kind: .compound, parent: -1, last: Int32(branches * depth), region: 0))
    for branch in 0..<branches {
      for level in 0..<depth {
        let number = Int32(branch * depth + level + 1)
        var state = Chart.State(
          name: "s\(number)", path: "s\(number)", kind: level == depth - 1 ? .atomic : .compound,
          parent: level == 0 ? 0 : number - 1, last: Int32((branch + 1) * depth), region: 0)
        state.transitions = (0..<transitions).map { transition in
          .init(
            source: number, trigger: .action("action\((Int(number) + transition * 7) % 50)"),
            targets: [Int32((Int(number) + transition * 31) % (branches * depth) + 1)])
        }
        chart.states.append(state)
      }
    }
    self.chart = chart
  }
}
