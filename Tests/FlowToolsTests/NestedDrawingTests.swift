import FlowKernel
import StateCharts
import Testing

@testable import FlowTools

/// Diagrams of machines with nested states.
@Suite("Diagram of a machine with nested states")
struct NestedDrawingTests {
  private static let plant = """
    state { volume = 0, log = list {} }
    action.go {} action.back {} action.insert {} action.eject {} action.tick {}
    action.fail { why = string } action.reset {} action.next {} action.both {}
    local function ready(s) return s.volume > 3, "too quiet" end
    machine.plant {
      initial = "idle",
      idle = { go = "running", fail = true },
      running = {
        initial = "line", back = "idle",
        fail = { to = "broken", reduce = function(s, a) table.insert(s.log, a.why) end },
        line = {
          parallel = { "press", "belt" }, on_done = "stopped",
          both = { to = { "belt.fast", "press.working.hot" } },
          belt = {
            initial = "slow", after = { next = 9 },
            slow = { next = "fast",
              always = { to = "fast", when = function(s) return s.volume > 5 end } },
            fast = { next = "ended", after = { { 20, "slow" } } },
            ended = { final = true },
          },
          press = {
            initial = "working",
            working = {
              initial = "cold",
              insert = { { to = "out", when = ready },
                { reduce = function(s) s.volume = s.volume + 1 end } },
              cold = { tick = "hot", after = { tick = 5 } },
              hot = { tick = "cold", eject = { refuse = "too hot" } },
            },
            out = { final = true },
          },
        },
        stopped = { go = { to = "line", history = true } },
      },
      broken = { reset = { to = "running", history = "deep" },
        effect = { run = function() end, on_error = "reset" } },
      ["*"] = { eject = "broken" },
    }
    """

  private func drawing(_ source: String = plant) throws -> FlowDrawing {
    FlowDrawing(FlowText(try LoadedFlow(source: source, name: "plant.lua")))
  }

  private func arrows(_ chart: FlowDrawing.Chart) -> [String] {
    func name(_ end: FlowDrawing.Chart.End) -> String {
      func state(_ number: Int?) -> String { number.map { chart.states[$0].name } ?? chart.name }
      switch end {
      case .state(let number): return state(number)
      case .any(let number): return "any in \(state(number))"
      case .initial(let number): return "beginning of \(state(number))"
      case .history(let number, let depth): return "\(depth) history of \(state(number))"
      case .fork(_, let number): return "fork in \(state(number))"
      }
    }
    return chart.arrows.map { arrow in
      "\(name(arrow.from)) \(arrow.isEventless ? "-o" : "->") \(name(arrow.to)): "
        + arrow.labels.joined(separator: "|")
    }
  }

  @Test("each transition is drawn once, from the state that lists it")
  func transitions() throws {
    let chart = try #require(try drawing().charts.first)
    #expect(
      arrows(chart) == [
        "any in plant -> broken: eject", "idle -> running: go", "running -> idle: back",
        "running -> broken: fail / log", "any in line -> fork in line: both",
        "fork in line -> fast: ", "fork in line -> hot: ", "line -o stopped: on_done",
        "working -> out: insert [ready]", "cold -> hot: tick\nafter 5 s", "hot -> cold: tick",
        "slow -> fast: next", "slow -o fast: always [s.volume > 5]", "fast -> ended: next",
        "fast -> slow: after 20 s", "stopped -> shallow history of line: go",
        "broken -> deep history of running: reset",
      ])
  }

  @Test("nested states show their internal transitions, refusals and state effects")
  func states() throws {
    let chart = try #require(try drawing().charts.first)
    let lines = chart.states.map { state in
      ([state.parent.map { chart.states[$0].name } ?? "-", state.name] + state.notes)
        .joined(separator: "; ")
    }
    #expect(
      lines == [
        "-; idle; stays: fail", "-; running", "running; line", "line; press",
        "press; working; "
          + "stays: insert [else] / volume", "working; cold",
        "working; hot; refuses eject: too hot",
        "press; out", "line; belt; after 9 s: next", "belt; slow", "belt; fast", "belt; ended",
        "running; stopped", "-; broken; effect, on_error: reset",
      ])
    #expect(chart.states.filter(\.isRegion).map(\.name) == ["press", "belt"])
    #expect(
      chart.states.filter(\.isInitial).map(\.name) == ["idle", "line", "working", "cold", "slow"])
  }

  @Test("DOT draws nested clusters, with arrows between their borders")
  func dot() throws {
    let text = DOTWriter.text(try drawing())
    for part in [
      "    subgraph cluster_m0_1 {\n      label=<<b>running</b>>",
      "style=\"rounded,dashed\"",
      "m0_1_initial -> m0_3_initial [lhead=cluster_m0_2];",
      "m0_4_initial -> m0_5;",
      "m0_0 -> m0_1_initial [label=\"go\", lhead=cluster_m0_1];",
      "m0_0 -> m0_1_initial [label=\"back\", dir=back, lhead=cluster_m0_1];",
      "-> m0_12 [label=\"on_done\", dir=both, arrowtail=odot, arrowhead=normal, ltail=cluster_m0_2];",
      "m0_2_any -> m0_fork0 [label=\"both\", arrowhead=none];",
      "m0_2_history [label=\"H\"", "m0_1_deep [label=\"H*\"",
    ] { #expect(text.contains(part), "\(part)") }
    #expect(text.filter { $0 == "{" }.count == text.filter { $0 == "}" }.count)
  }

  @Test("Mermaid draws nested subgraphs, and no arrow from one to its contents")
  func mermaid() throws {
    let text = MermaidWriter.text(try drawing())
    for part in [
      "      subgraph m0_2[\"line\"]\n        subgraph m0_3[\"press\"]",
      "        style m0_3 stroke-dasharray: 5 5", "    m0_2 -- \"on_done\" --o m0_12",
      "    m0_2_any -- \"both\" --> m0_fork0", "    m0_12 -- \"go\" --> m0_2_history",
      "        m0_2_history((\"H\"))",
    ] { #expect(text.contains(part), "\(part)") }
    let opened = text.split(separator: "\n").filter { $0.contains("subgraph ") }.count
    #expect(
      opened == text.split(separator: "\n").filter { $0.hasSuffix(" end") || $0 == "end" }.count)
  }

  @Test("a machine per record has a note, and a parallel machine has no initial arrow")
  func wholes() throws {
    let drawing = try drawing(
      """
      state { players = map {} }
      action.hit { id = string }
      action.go {}
      machine.stage { each = "players", which = "id", initial = "up",
        up = { hit = "down" }, down = {} }
      machine.both { parallel = { "l", "r" }, l = { initial = "a", a = { go = "b" }, b = {} },
        r = { initial = "deep.in", deep = { initial = "out", out = {}, ["in"] = {} } } }
      """)
    #expect(drawing.charts.map(\.notes) == [["one for each of players, by id"], []])
    let text = DOTWriter.text(drawing)
    #expect(text.contains("<b>stage</b><br/><font point-size=\"9\""))
    #expect(!text.contains("m1_initial "))
    #expect(arrows(drawing.charts[1]) == ["a -> b: go", "beginning of r -> in: "])
  }

  @Test("a guard is labelled with its function, the function that makes it, or its expression")
  func conditions() throws {
    let chart = try #require(
      try drawing(
        """
        state { n = 0, names = map {} }
        action.a {} action.b {} action.c {} action.d {} action.e {} action.f {} action.g {}
        local full = function(s) return s.n > 9 end
        local function above(n) return function(s) return s.n > n, "too few" end end
        local two = { function(s) return true end, function(s) return true end }
        machine.m { initial = "i", out = {}, i = { initial = "x", x = {
          a = { to = "out", when = full },
          b = { to = "out", when = above(3) },
          c = { to = "out", when = function(s) return next(s.names) ~= nil, "no names" end },
          d = { to = "out", when = function(s, a) return not (#s.names["x y"] + 1 == a.n.m) end },
          e = { to = "out", when = function(s)
            local n = s.n
            return n > 3
          end },
          f = { to = "out", when = function(s) return s.n == 1000000000 or s.n == 20000000000 or s.n == 3 end },
          g = { to = "out", when = two[1] },
        } } }
        """
      ).charts.first)
    #expect(
      chart.arrows.first { !$0.labels.isEmpty }?.labels == [
        "a [full]", "b [above]", "c [next(s.names) ~= nil]",
        "d [not (#s.names[\"x y\"] + 1 == a.n.m)]", "e [when]", "f [when]", "g [when]",
      ])
  }
}
