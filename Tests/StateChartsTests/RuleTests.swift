import StateCharts
import Testing

@testable import RandomCharts

@Suite("The rules of charts")
struct RuleTests {
  private func inner(
    _ transitions: [Drawing.Transition], outer: [Drawing.Transition],
    parent: [Drawing.Transition] = []
  )
    -> Walk
  {
    Walk(
      Drawing(
        "m",
        inside: [
          Drawing(
            "p", transitions: outer + parent,
            inside: [Drawing("a", transitions: transitions), Drawing("b")]),
          Drawing("q"),
        ]))
  }

  /// Two regions side by side, each with two states.
  private func pair(
    _ left: [Drawing.Transition] = [], _ right: [Drawing.Transition] = [],
    around: [Drawing.Transition] = []
  ) -> Walk {
    Walk(
      Drawing(
        "m",
        inside: [
          Drawing(
            "p", .parallel, transitions: around,
            inside: [
              Drawing("l", inside: [Drawing("a", transitions: left), Drawing("b")]),
              Drawing("r", inside: [Drawing("c", transitions: right), Drawing("d")]),
            ]),
          Drawing("q"),
        ]))
  }

  @Test("after a refusing guard the next transition is tried, in ancestors too")
  func refusing() {
    let walk = inner([.on("go", "b", when: 1), .on("go", "b", when: 2)], outer: [.on("go", "q")])
    #expect(walk.play("go") && walk.asked == [1, 2] && walk.taken == ["p"])
    #expect(walk.fields == ["m": "q"])
  }

  @Test("a forbidding transition ends the search")
  func forbidding() {
    let walk = inner([.forbids("go")], outer: [.on("go", "q")])
    #expect(!walk.play("go") && walk.refusing == ["p.a"])
  }

  @Test("a transition to an active state is internal, unless it reenters")
  func staying() {
    var walk = inner([.on("up", "p")], outer: [.on("self", "p")])
    #expect(walk.play("up") && walk.left.isEmpty && walk.entered.isEmpty)
    #expect(walk.play("self") && walk.left.isEmpty)
    walk = inner([.on("up", "p", reach: .reenters)], outer: [])
    #expect(walk.play("up") && walk.left == ["p.a", "p"] && walk.entered == ["p", "p.a"])
  }

  @Test("a transition from a parent to its child does not exit the parent")
  func keeping() {
    var walk = inner([], outer: [.on("go", "b")])
    #expect(walk.play("go") && walk.left == ["p.a"] && walk.entered == ["p.b"])
    walk = inner([], outer: [.on("go", "b", reach: .reenters)])
    #expect(walk.play("go") && walk.left == ["p.a", "p"] && walk.entered == ["p", "p.b"])
  }

  @Test("a transition of a parallel state is tried only if some leaf inside has none")
  func around() {
    var walk = pair([.on("go", "b")], [.on("go", "d")], around: [.on("go", "q")])
    #expect(walk.play("go") && walk.taken == ["p.l.a", "p.r.c"])
    #expect(walk.fields == ["m": "p", "l": "b", "r": "d"])
    walk = pair([.stays("go")], [.on("go", "d", when: 1)], around: [.on("go", "q")])
    #expect(walk.play("go") && walk.taken == ["p.l.a", "p"] && walk.fields == ["m": "q"])
  }

  @Test(
    "of two conflicting transitions the inner one takes precedence, else that of the first region")
  func conflicts() {
    var walk = pair([.on("go", "b")], [], around: [.on("go", "q")])
    #expect(walk.play("go") && walk.taken == ["p.l.a"] && walk.fields["l"] == "b")
    walk = pair([.on("go", "q")], [.on("go", "d")])
    #expect(walk.play("go") && walk.taken == ["p.l.a"] && walk.fields == ["m": "q"])
    walk = pair([.on("go", "b")], [.on("go", "q")])
    #expect(walk.play("go") && walk.taken == ["p.l.a"] && walk.fields["r"] == "c")
  }

  @Test("a transition of a parallel state into a region changes that region only")
  func intoRegion() {
    var walk = pair(around: [.on("go", "l.b")])
    #expect(walk.play("go") && walk.left == ["p.l.a"] && walk.entered == ["p.l.b"])
    walk = pair(around: [.on("go", "l.b", reach: .reenters)])
    #expect(walk.play("go") && walk.left == ["p.l.a", "p.l"] && walk.entered == ["p.l", "p.l.b"])
  }

  @Test("a transition with several targets enters several regions at once")
  func severalTargets() {
    var walk = pair(around: [.on("away", "q"), .on("go", "l.b", "r.d")])
    #expect(walk.play("go") && walk.left == ["p.r.c", "p.l.a"] && walk.moved == ["l", "r"])
    #expect(walk.play("go") && walk.left.isEmpty)
    walk = Walk(
      Drawing(
        "m",
        inside: [
          Drawing("q", transitions: [.on("go", "p.l.b", "p.r.d")]),
          Drawing(
            "p", .parallel,
            inside: [
              Drawing("l", inside: [Drawing("a"), Drawing("b")]),
              Drawing("r", inside: [Drawing("c"), Drawing("d")]),
            ]),
        ]))
    #expect(walk.play("go") && walk.entered == ["p", "p.l", "p.l.b", "p.r", "p.r.d"])
  }

  @Test("a guard is evaluated once, however many leaves share the transition")
  func onceAsked() {
    let walk = pair(around: [.on("go", "q", when: 1)])
    #expect(!walk.play("go") && walk.asked == [1] && walk.refusing == ["p", "p"])
  }

  @Test("a timer's action is dispatched only to the leaves below its state")
  func timers() {
    let walk = pair([.on("late", "b")], [.on("late", "d")])
    #expect(walk.play("late", inside: "p.r") && walk.moved == ["r"])
  }

  @Test("on_done precedes always, and neither is taken if its target is active")
  func rounds() {
    let done = Drawing(
      "m",
      inside: [
        Drawing(
          "p", transitions: [.always("p"), .always("q"), .done("r")],
          inside: [Drawing("a", .final)]),
        Drawing("q"), Drawing("r"),
      ])
    var walk = Walk(done)
    #expect(walk.round() && walk.fields == ["m": "r"])
    walk = inner([.always("p")], outer: [])
    #expect(!walk.round())
  }

  @Test("a chart whose top is parallel has no field of its own")
  func parallelTop() {
    let walk = Walk(
      Drawing("m", .parallel, inside: [Drawing("a"), Drawing("b", inside: [Drawing("c")])]))
    #expect(walk.fields == ["a": "a", "b": "c"])
    #expect(walk.chart.leafNumber("c", in: 2) == 2 && walk.chart.leafNumber("d", in: 2) == nil)
  }

  @Test("a chart can start in given states, with initial states for the rest")
  func given() {
    let walk = Walk(Example.player)
    var interpreter = walk.interpreter
    var at: [CompiledChart.LeafNumber] = []
    interpreter.begin(
      &at, at: [walk.state("on.transport.paused")], remembering: interpreter.noMemory)
    #expect(at.map { walk.chart.value(of: $0) } == ["on", "paused", "audible"])
  }
}
