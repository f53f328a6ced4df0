import FlowKernel
import Testing

@testable import FlowTools

/// Diagrams of a flow.
@Suite struct FlowDrawingTests {
  private static let door = """
    state { pin = "1", openings = 0, guest = none }
    action.open {}
    action.close {}
    action.unlock { pin = string, why = optional(string) }
    action.abort {}
    action["say \\"hi\\" <b> & go\\n"] {}
    machine.door {
      initial = "closed",
      closed = { open = "opened" },
      opened = { close = "closed", after = { close = 30 },
        on_enter = function(s) s.openings = s.openings + 1 end },
      locked = { unlock = { { to = "closed", when = function(s, a) return a.pin == s.pin end },
        { to = "done", when = function(s, a) return a.why end },
        { to = "locked", reenter = true } } },
      done = { final = true },
      ["*"] = { abort = "locked" },
    }
    gatekeeper.once { open = { attempt = "a", unless = { "b", "c" } }, close = { reset = "*" },
      abort = { attempt = { "b", "c" } } }
    scope.guest { key = function(s) return s.guest end, actions = { "unlock" } }
    scope.inner { parent = "guest", key = function(s) return s.guest end }
    function gate.unlock(s, a) return true end
    local function note(t) t.pin = "2" end
    function reduce.unlock(s, a) note(s) s[a.pin] = 1 end
    effect.open = { run = function() after(1, "close") dispatch(1 > 2 and "abort" or "nobody") end,
      on_error = "abort" }
    """

  private func drawing(_ source: String = door) throws -> FlowDrawing {
    FlowDrawing(FlowText(try LoadedFlow(source: source, name: "door.lua")))
  }

  private func name(_ end: FlowDrawing.Chart.End, in chart: FlowDrawing.Chart) -> String {
    if case .state(let number) = end { chart.states[number].name } else { "*" }
  }

  @Test("a chart marks the initial state, and transitions with the same ends share an arrow")
  func chart() throws {
    let chart = try #require(try drawing().charts.first)
    #expect(chart.states.map(\.name) == ["closed", "locked", "opened", "done"])
    #expect(chart.states.map(\.isInitial) == [true, false, false, false])
    #expect(chart.states.map(\.isFinal) == [false, false, false, true])
    #expect(chart.states[2].notes == ["on_enter: openings"])
    let arrows = chart.arrows.map { arrow in
      "\(name(arrow.from, in: chart)) \(name(arrow.to, in: chart)): "
        + arrow.labels.joined(separator: "|")
    }
    #expect(
      arrows == [
        "* locked: abort", "closed opened: open", "locked closed: unlock [when]",
        "locked done: unlock [when]", "locked locked: unlock [else] (reenter)",
        "opened closed: close\nafter 30 s",
      ])
  }

  @Test("an action shows its payload, its guards, what it reduces and what it dispatches")
  func actions() throws {
    let drawing = try drawing()
    let actions = drawing.scopes.flatMap(\.actions)
    let unlock = try #require(actions.first { $0.name == "unlock" })
    #expect(unlock.payload == ["pin", "why?"])
    #expect(unlock.conditions == ["machine door", "gate unlock"])
    #expect(unlock.reduces == ["pin", nil])
    let open = try #require(actions.first { $0.name == "open" })
    #expect(
      open.conditions == [
        "machine door", "gatekeeper once: unless b, c", "gatekeeper once: takes a",
      ])
    #expect(open.dispatches == ["abort", "close"])
    #expect(open.dispatchesOnError == ["abort"])
    #expect(drawing.fields == ["pin", nil])
    #expect(drawing.scopes.map(\.name) == ["root", "guest", "inner"])
    #expect(drawing.scopes[1].actions.map(\.name) == ["unlock"])
    #expect(drawing.scopes[1].keyFields == ["guest"])
  }

  @Test("DOT has a cluster for each machine and scope, with quoted names")
  func dot() throws {
    let text = DOTWriter.text(try drawing())
    #expect(text.hasPrefix("digraph flow {\n"))
    #expect(text.contains("label=<machine <b>door</b>>"))
    #expect(text.contains("label=<scope <b>guest</b><br/>"))
    #expect(text.contains("m0_initial -> m0_0;"))
    #expect(text.contains("m0_any -> m0_1 [label=\"abort\"];"))
    #expect(text.contains("m0_2 -> m0_0 [label=\"close\\nafter 30 s\"];"))
    #expect(text.contains("<b>say &quot;hi&quot; &lt;b&gt; &amp; go<br/></b>"))
    #expect(text.contains("label=\"done\", peripheries=2"))
    #expect(text.filter { $0 == "{" }.count == text.filter { $0 == "}" }.count)
  }

  @Test("Mermaid has a subgraph for each machine and scope, with quoted names")
  func mermaid() throws {
    let text = MermaidWriter.text(try drawing())
    #expect(text.hasPrefix("---\ntitle: \"door.lua\"\n---\nflowchart LR\n"))
    #expect(text.contains("  subgraph m0[\"machine door\"]\n    m0_0([\"closed\"])\n"))
    #expect(text.contains("    m0_any -- \"abort\" --> m0_1\n"))
    #expect(text.contains("    m0_3(((\"done\")))\n"))
    #expect(text.contains("<b>say #quot;hi#quot; #lt;b#gt; #amp; go<br/></b>"))
    #expect(text.contains("\n  subgraph s1[\"scope guest<br/>key: s.guest\"]\n"))
    let opened = text.split(separator: "\n").filter { $0.contains("subgraph ") }.count
    #expect(opened == text.split(separator: "\n").filter { $0.hasSuffix(" end") }.count)
  }

  @Test("the same flow gives the same text")
  func stable() throws {
    #expect(DOTWriter.text(try drawing()) == DOTWriter.text(try drawing()))
    #expect(MermaidWriter.text(try drawing()) == MermaidWriter.text(try drawing()))
  }

  @Test("a flow with nothing but a state is an empty diagram")
  func empty() throws {
    let drawing = try drawing("state { n = 0 }")
    #expect(drawing.fields.isEmpty)
    #expect(DOTWriter.text(drawing).hasSuffix("}\n"))
    #expect(!MermaidWriter.text(drawing).contains("subgraph"))
  }
}
