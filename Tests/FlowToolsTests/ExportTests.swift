import FlowKernel
import FlowTools
import Foundation
import LuaRuntime
import RandomCharts
import StateCharts
import Testing

/// Flows compared with the SCXML documents to which they are exported.
@Suite struct ExportTests {
  @Test("a flow and its exported document reach the same states, or the export warns")
  func random() {
    var count = ExportComparison.Count()
    for seed in 1...120 as ClosedRange<UInt64> {
      #expect(ExportComparison.difference(seed: seed, &count) == nil)
    }
    #expect(count.flows > 90 && count.events > 900, "\(count)")
    #expect(count.warned < count.flows / 4, "\(count)")
  }

  /// The states of a flow and of its document after some actions, and what the export warns of.
  private func compare(
    _ text: String, _ steps: [String], name: String = "flow.lua",
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> ExportedFlow {
    let flow = try LoadedFlow(source: text, name: name, print: { _ in })
    let actions = steps.map { (name: $0, payload: Value.record([:])) }
    let exported = SCXMLWriter.export(FlowText(flow))
    let found = ExportComparison.difference(of: flow, inOrder: actions)
    #expect(found == nil, "\(exported.text)", sourceLocation: sourceLocation)
    return exported
  }

  @Test("a transition to an active state is exported without a target")
  func stays() throws {
    let exported = try compare(
      """
      state {} action.x {} action.up {} action.y {}
      machine.m { initial = "c", c = { x = "a" },
        a = { initial = "b", y = "b", b = { initial = "b1", up = "a", b1 = { x = "b2" }, b2 = {} } } }
      """, ["x", "x", "up", "y", "x"])
    #expect(exported.warnings.isEmpty)
    #expect(exported.text.contains("<transition event=\"up\"/>"))
    #expect(exported.text.contains("<transition event=\"y\" cond=\"In('b')\"/>"))
  }

  @Test("an action that a state forbids is not handled by an ancestor")
  func forbids() throws {
    let exported = try compare(
      """
      state {} action.x {} action.go {}
      machine.m { initial = "p",
        p = { x = "q", initial = "c", c = { x = false, go = "d" }, d = { x = { refuse = "not here" } } },
        q = { go = "p" } }
      """, ["x", "go", "x", "go"])
    #expect(exported.warnings.isEmpty)
    #expect(exported.text.contains("<!-- refused: not here -->"))
  }

  @Test("a transition of a parallel state changes one of its regions")
  func parts() throws {
    let exported = try compare(
      """
      state {} action.archive {} action.edit {}
      machine.doc { archive = "phase.archived", edit = "mode.editing", parallel = { "phase", "mode" },
        phase = { initial = "inquiry", inquiry = {}, archived = {} },
        mode = { initial = "new", new = {}, editing = {} } }
      """, ["edit", "archive", "edit"])
    #expect(exported.warnings.isEmpty)
  }

  @Test("a nested parallel state ends")
  func nestedDone() throws {
    let exported = try compare(
      """
      state {} action.e1 {} action.e2 {}
      machine.m { initial = "outer", outer = { parallel = { "x", "y" }, on_done = "all",
        x = { parallel = { "x1", "x2" }, x1 = { initial = "a", a = { e1 = "f" }, f = { final = true } },
          x2 = { initial = "f", f = { final = true } } },
        y = { initial = "a", a = { e2 = "f" }, f = { final = true } } }, all = {} }
      """, ["e1", "e2"])
    #expect(exported.warnings.isEmpty)
  }

  @Test("exported event names are distinct, and none is a prefix match of another")
  func names() throws {
    let exported = try compare(
      """
      state {} action.pay {} action["pay.card"] {} action["a b"] {} action.a_b {} action["done.state.m"] {}
      machine["my machine"] { initial = "my state",
        ["my state"] = { pay = "my_state", ["a b"] = "my_state", ["done.state.m"] = "my_state" },
        my_state = { a_b = "my state", ["pay.card"] = "my state" } }
      """, ["pay.card", "a_b", "a b", "a b", "a_b", "pay", "pay", "pay.card", "done.state.m"])
    #expect(
      exported.warnings.map(\.description).sorted() == [
        "action a b (flow.lua:1): the event is called a_b_2",
        "action done.state.m (flow.lua:1): the event is called action.done.state.m",
      ])
    #expect(exported.ids[0].contains("my_state") && exported.ids[0].contains("my_machine.my_state"))
    let ids = exported.ids.joined()
    #expect(Set(ids).count == ids.count)
  }

  @Test("delays computed by functions, and guards, are named in warnings")
  func functions() throws {
    let flow = try LoadedFlow(
      source: """
        state { n = 1 } action.go {} action.tick {}
        machine.m { initial = "a",
          a = { go = { to = "b", when = function(s) return s.n > 1 end },
            after = { tick = function(s) return s.n end }, tick = "b" },
          b = { always = { to = "a", when = function(s) return s.n > 1 end },
            after = { { function(s) return 5 end, "a" } } } }
        """, name: "flow.lua")
    let exported = SCXMLWriter.export(FlowText(flow))
    #expect(
      exported.warnings.map(\.description) == [
        "machine m, a, go: when (flow.lua:3) is not evaluated",
        "machine m, a, after[1]: the delay is computed by after (flow.lua:4): nothing sends tick",
        "machine m, b, always: when (flow.lua:5) is not evaluated: the transition waits for when.b.1",
        "machine m, b, after[1]: the delay is computed by after (flow.lua:6): nothing sends after.b.1",
      ])
    #expect(!exported.text.contains("<send"))
  }

  @Test("a repeating timer is sent again, only to the states of its own region")
  func timers() throws {
    _ = try compare(
      """
      state {} action.tick {} action.go {}
      machine.m { parallel = { "x", "y" },
        x = { initial = "a", every = { tick = 2 }, a = { tick = "b" }, b = { tick = "a", go = "c" }, c = {} },
        y = { initial = "a", a = { tick = "b" }, b = {} } }
      """, ["", "", "go", "", "tick", ""])
  }

  @Test("several machines take an action together, or none does")
  func together() throws {
    _ = try compare(
      """
      state {} action.go {} action.open {}
      machine.door { initial = "shut", shut = { open = "ajar" }, ajar = { go = "wide" }, wide = {} }
      machine.light { initial = "off", off = { go = "on" }, on = { go = "off" } }
      """, ["go", "open", "go", "go"], name: "door.lua")
  }
}
