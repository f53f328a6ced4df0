import FlowKernel
import Testing

@testable import FlowTools

/// Payloads of state effects that differ by the action that entered the state.
@Suite struct PartialFieldsTests {
  private func findings(_ effect: String, initial: String = "idle") throws -> [String] {
    let loaded = try LoadedFlow(
      source: """
        state {}
        action.load { id = string, note = optional(string) } action.retry { times = integer, note = optional(string) }
        action.stop { why = string }
        machine.track {
          initial = "\(initial)",
          idle = { load = "loading", retry = "loading" },
          loading = { stop = "idle", effect = function(self, a) \(effect) end },
        }
        """, name: "f.lua")
    return try FlowCheck(text: FlowText(loaded), viewsReadOutside: nil).findings().map(
      \.description)
  }

  @Test("a field that only one of the entering actions declares is reported")
  func partial() throws {
    #expect(
      try findings("self:fetch(a.id)") == [
        "f.lua:7: warning: a.id is nil if track.loading is entered by retry: only load declares it; "
          + "test it first, or compare self.entered_by [partial-field]"
      ])
  }

  @Test("a field that no entering action declares is unknown")
  func unknown() throws {
    #expect(
      try findings("self:fetch(a.why)") == [
        "f.lua:7: warning: the payload of load, retry has no field why [unknown-field]"
      ])
  }

  @Test(
    "a field that all declare, that the effect tests, or whose action it knows is not reported",
    arguments: [
      "self:fetch(a.note)", "self:fetch(a.id or a.times)", "if a.id then self:fetch(a.id) end",
      "local id = a.id if id ~= nil then self:fetch(id) end",
      "if self.entered_by == 'load' then self:fetch(a.id) end",
    ])
  func tested(effect: String) throws { #expect(try findings(effect) == []) }

  @Test("a state that is active at the beginning is entered without an action")
  func initial() throws {
    let found = try findings("self:fetch(a.note)", initial: "loading")
    #expect(
      found == [
        "f.lua:7: warning: a.note is nil if track.loading is entered by no action: only load and retry "
          + "declare it; test it first, or compare self.entered_by [partial-field]"
      ])
  }

  @Test("functions that run for any action are checked against the fields of all")
  func anyAction() throws {
    let loaded = try LoadedFlow(
      source: """
        state { n = 0 }
        action.load { id = string } action.stop { why = string }
        machine.track {
          initial = "idle",
          idle = { load = "loading" },
          loading = { stop = "idle", on_enter = function(s, a) s.n = #a.id + #(a.why or a.ids) end },
        }
        """, name: "f.lua")
    #expect(
      try FlowCheck(text: FlowText(loaded), viewsReadOutside: nil).findings().map(\.description)
        == [
          "f.lua:6: warning: the payload of any action has no field ids; did you mean id? [unknown-field]"
        ])
  }
}
