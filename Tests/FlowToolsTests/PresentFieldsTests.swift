import FlowKernel
import Testing

@testable import FlowTools

/// Findings about values that are never nil.
@Suite struct PresentFieldsTests {
  private func findings(_ body: String) throws -> [String] {
    let source = """
      state { returned = 0, title = "", open = false, best = optional(integer), rows = list_of(string) }
      action.go { names = list_of(string), why = optional(string) }
      \(body)
      """
    let loaded = try LoadedFlow(source: source, name: "f.lua")
    return try FlowCheck(text: FlowText(loaded), viewsReadOutside: nil).findings().map(
      \.description)
  }

  @Test(
    "a field that is always set is no condition, and is not compared with nil",
    arguments: [
      (
        "if not s.returned then s.returned = 0 end s.returned = s.returned + 1",
        "state.returned is an integer, and that is always true in Lua, even 0; compare it: state.returned > 0"
      ),
      (
        "if s.title == nil then s.title = \"none\" end",
        "state.title is never nil: this is always false"
      ),
      (
        "if a.names ~= nil then s.returned = 1 end",
        "the payload of go.names is never nil: this is always true"
      ),
      (
        "if nil == s.rows then s.returned = #s.title end",
        "state.rows is never nil: this is always false"
      ),
    ])
  func wrong(body: String, message: String) throws {
    #expect(
      try findings("function reduce.go(s, a) \(body) end") == [
        "f.lua:3: warning: \(message) [constant-answer]"
      ])
  }

  @Test(
    "a field that may be nil is a condition, as is one that the flow sets to another kind of value",
    arguments: [
      "if not s.returned then s.returned = 0 end s.returned = nil",
      "if s.title == nil then s.title = a.why end",
      "local limits = { a = 1 } if not s.returned then s.returned = limits[a.why] end",
      "if s.open == nil or s.best == nil or a.why == nil then s.open = not s.open end",
      "if not s.returned then s[a.why or \"title\"] = a.why end",
    ])
  func right(body: String) throws {
    #expect(try findings("function reduce.go(s, a) \(body) end") == [])
  }
}
