import StateCharts
import Testing

@testable import RandomCharts

@Suite("Analysis of charts")
struct ChartAnalysisTests {
  private func paths(
    _ drawing: Drawing, _ find: (ChartAnalysis) -> [Chart.StateNumber]
  ) -> [String] {
    let chart = CompiledChart(drawing.chart())
    return find(ChartAnalysis(chart)).map { chart.chart.states[Int($0)].path }
  }

  /// The states that list what is found.
  private func sources(
    _ drawing: Drawing, _ find: (ChartAnalysis) -> [CompiledChart.TransitionNumber]
  ) -> [String] {
    let chart = CompiledChart(drawing.chart())
    return find(ChartAnalysis(chart)).map {
      chart.chart.states[Int(chart.rows[Int($0)].source)].path
    }
  }

  private static let examples = [
    Example.crossing, Example.lobby, Example.document, Example.player, Example.tcp,
  ]

  @Test("the examples have no findings", arguments: 0..<5)
  func examples(index: Int) {
    let analysis = ChartAnalysis(CompiledChart(Self.examples[index].chart()))
    #expect(analysis.unreachable().isEmpty && analysis.withoutTransitionOut().isEmpty)
    #expect(analysis.neverDone().isEmpty && analysis.finishingUnheard().isEmpty)
    #expect(analysis.neverTried().isEmpty && analysis.circles().isEmpty)
    #expect(analysis.conflicts().isEmpty)
  }

  @Test("the outermost unreachable state is reported")
  func unreachable() {
    let drawing = Drawing(
      "m",
      inside: [
        Drawing("a", transitions: [.on("go", "p.y")]),
        Drawing("p", inside: [Drawing("x"), Drawing("y"), Drawing("z", inside: [Drawing("i")])]),
        Drawing("lost", inside: [Drawing("inside", transitions: [.on("go", "p.x")])]),
      ])
    #expect(paths(drawing) { $0.unreachable() } == ["p.x", "p.z", "lost"])
  }

  @Test("a parallel state is entered with all its regions, and a possible on_done is followed")
  func reachableByRegions() {
    let drawing = Drawing(
      "m",
      inside: [
        Drawing("a", transitions: [.on("go", "p.l.b")]),
        Drawing(
          "p", .parallel, transitions: [.done("never")],
          inside: [
            Drawing("l", inside: [Drawing("a"), Drawing("b")]),
            Drawing(
              "r", inside: [Drawing("c", transitions: [.on("end", "d")]), Drawing("d", .final)]),
          ]),
        Drawing("never"),
      ])
    #expect(paths(drawing) { $0.unreachable() } == ["p.l.a", "never"])
    #expect(sources(drawing) { $0.neverDone() } == ["p"])
  }

  @Test("transitions of ancestors and of other regions lead out of a state too")
  func transitionOut() {
    let drawing = Drawing(
      "m",
      inside: [
        Drawing("p", transitions: [.on("go", "end")], inside: [Drawing("a"), Drawing("b")]),
        Drawing(
          "q", .parallel,
          inside: [
            Drawing("l", transitions: [.on("go", "end")]), Drawing("r", inside: [Drawing("c")]),
          ]),
        Drawing("dead", transitions: [.stays("go")]),
        Drawing("again", transitions: [.on("up", "again")]),
        Drawing("end", .final),
      ])
    #expect(paths(drawing) { $0.withoutTransitionOut() } == ["dead"])
  }

  @Test("a state is entered as a target, around one, by default, beside one, and by history")
  func entrances() {
    let drawing = Drawing(
      "m",
      inside: [
        Drawing(
          "a",
          transitions: [
            .on("deep", "p.l.x"), .on("whole", "p"), .on("stay", "a"), .on("other", "z"),
          ]),
        Drawing(
          "p", .parallel, transitions: [.on("within", "p.r.d")],
          inside: [
            Drawing("l", inside: [Drawing("w"), Drawing("x")]),
            Drawing("r", inside: [Drawing("c"), Drawing("d")]),
          ]),
        Drawing("z"),
      ])
    let chart = CompiledChart(drawing.chart())
    let states = Set(chart.nodes.indices.map(Int32.init))
    let found = ChartAnalysis(chart).entrances(of: states) ?? [:]
    func actions(_ path: String) -> [Chart.Trigger] {
      let state = chart.chart.states.firstIndex { $0.path == path } ?? 0
      return (found[Int32(state)]?.transitions ?? []).map { chart.transition($0).trigger }
    }
    #expect(actions("p") == [.action("deep"), .action("whole")])
    #expect(actions("p.l.w") == [.action("whole")])
    #expect(actions("p.l.x") == [.action("deep")])
    #expect(actions("p.r.c") == [.action("deep"), .action("whole")])
    #expect(actions("p.r.d") == [.action("within")])
    #expect(actions("a") == [])
    #expect(actions("z") == [.action("other")])
    #expect(found.filter { $0.value.isInitial }.keys.sorted() == [0, 1])
  }

  @Test("conflicting transitions of two regions are reported, with the one that takes precedence")
  func conflicts() {
    let drawing = Drawing(
      "m",
      inside: [
        Drawing(
          "p", .parallel,
          inside: [
            Drawing("l", inside: [Drawing("a", transitions: [.on("go", "q"), .on("other", "q")])]),
            Drawing(
              "r",
              inside: [Drawing("b", transitions: [.on("go", "c"), .stays("other")]), Drawing("c")]),
          ]),
        Drawing("q"),
      ])
    let chart = CompiledChart(drawing.chart())
    let found = ChartAnalysis(chart).conflicts()
    #expect(found.map { chart.transition($0.taken).trigger } == [.action("go")])
    #expect(found.map { chart.rows[Int($0.other)].source } == [5])
  }

  @Test("a transition that all substates override is never tried")
  func neverTried() {
    func drawing(_ when: Int32?) -> Drawing {
      Drawing(
        "m",
        inside: [
          Drawing(
            "p", transitions: [.on("go", "q")],
            inside: [
              Drawing("a", transitions: [.on("go", "b", when: when)]),
              Drawing("b", inside: [Drawing("x", transitions: [.forbids("go")])]),
            ]),
          Drawing("q"),
        ])
    }
    #expect(sources(drawing(nil)) { $0.neverTried() } == ["p"])
    #expect(sources(drawing(1)) { $0.neverTried() } == [])
    let twice = Drawing(
      "m", inside: [Drawing("a", transitions: [.on("go", "b"), .on("go", "a")]), Drawing("b")])
    #expect(sources(twice) { $0.neverTried() } == ["a"])
  }

  @Test("unguarded eventless transitions that lead to each other are a cycle")
  func circles() {
    func drawing(_ when: Int32?) -> Drawing {
      Drawing(
        "m",
        inside: [
          Drawing("start", transitions: [.always("a")]),
          Drawing("a", transitions: [.always("b")]),
          Drawing("b", transitions: [.always("a", when: when)]),
        ])
    }
    #expect(sources(drawing(nil)) { $0.circles().flatMap { $0 } } == ["a", "b"])
    #expect(sources(drawing(1)) { $0.circles().flatMap { $0 } } == [])
  }

  @Test("a region that finishes without an outer on_done is reported")
  func finishingUnheard() {
    let drawing = Drawing(
      "call", .parallel,
      inside: [
        Drawing(
          "line",
          inside: [Drawing("up", transitions: [.on("end", "gone")]), Drawing("gone", .final)]),
        Drawing("sound", inside: [Drawing("loud")]),
      ])
    #expect(paths(drawing) { $0.finishingUnheard().map(\.state) } == ["line.gone"])
  }
}
