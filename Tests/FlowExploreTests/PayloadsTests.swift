import FlowExplore
import FlowKernel
import FlowLanguage
import Foundation
import LuaRuntime
import Testing

/// The payloads with which actions are tried, and the errors about fields without finite values.
@Suite("Payloads")
struct PayloadsTests {
  private static let state = "state { n = 0 }\n"

  private func explore(_ flow: String) throws -> ExplorationReport {
    let loaded = try Explored(PayloadsTests.state + flow, "explore(\"it\")").explorations()
    return try #require(loaded.first).run()
  }

  private func faults(_ flow: String) throws -> [String] {
    try Explored.faults("explore(\"it\")", of: PayloadsTests.state + flow)
  }

  @Test(
    "values of finite types are enumerated, and other types have samples",
    arguments: [
      ("boolean {}", 2), ("integer { min = -1, max = 1 }", 3), ("one_of { \"a\", \"b\" }", 2),
      ("optional(boolean {})", 3), ("string { samples = { \"a\", \"b\", \"c\" } }", 3),
      ("list_of { boolean, max_length = 2 }", 7), ("string { default = \"a\" }", 1),
    ])
  func finite(type: String, payloads: Int) throws {
    let report = try explore("action.go { x = \(type) }\nfunction reduce.go(s) s.n = 1 end")
    // The beginning, and each payload in each of the two states.
    #expect(report.transitions == 1 + 2 * payloads)
  }

  @Test(
    "an integer range that is too wide counts as unbounded",
    arguments: [
      "integer { min = 0, max = 5000 }",
      "integer { min = math.mininteger, max = math.maxinteger }",
    ])
  func wide(type: String) throws {
    #expect(
      try faults("action.go { x = \(type) }").first?.hasPrefix(
        "flow.lua:2: action go: field x has no closer min and max, and no samples\n") == true)
  }

  @Test(
    "too many payloads of finite types are an error",
    arguments: [
      "{ a = integer { min = 1, max = 4000 }, b = integer { min = 1, max = 4000 } }",
      "{ a = list_of { integer { min = 1, max = 9 }, max_length = 1000000 } }",
    ])
  func many(type: String) throws {
    #expect(
      try faults("action.go \(type)").first?.hasPrefix(
        "flow.lua:2: action go: there are more than 4096 payloads\n") == true)
  }

  @Test("all fields without values are reported at once, each with its cause")
  func fields() throws {
    let fault = try faults(
      "action.go { a = string {}, b = string {}, c = integer { min = 1 }, d = integer { max = 1 } }"
    )
    #expect(
      fault.first?.hasPrefix(
        "flow.lua:2: action go: fields a and b have no samples; field c has no max, and no samples; "
          + "field d has no min, and no samples\n") == true)
  }

  @Test("a field of a nested record is reported by its path")
  func nested() throws {
    let fault = try faults("action.go { user = { id = string {}, name = string {} } }")
    #expect(
      fault.first?.hasPrefix(
        "flow.lua:2: action go: fields user.id and user.name have no samples\n") == true)
  }

  @Test("actions that lack the same are reported in one line")
  func together() throws {
    let flow = (1...5).map { "action.go\($0) { x = string {} }" }
    #expect(
      try faults(flow[..<2].joined(separator: "\n")).first?.hasPrefix(
        "flow.lua:2: actions go1 and go2: field x has no samples\n") == true)
    #expect(
      try faults(flow.joined(separator: "\n")).first?.hasPrefix(
        "flow.lua:2: 5 actions (go1, go2, go3 and others): field x has no samples\n") == true)
  }

  @Test("an effect that dispatches an action by a computed name must be listed")
  func unclear() throws {
    let flow = """
      action.go {}
      action.done {}
      function effect.go(self)
        local name = self:ask()
        dispatch(name)
      end
      """
    let fault = try #require(try faults(flow).first)
    #expect(
      fault.hasPrefix(
        "flow.lua:4: effect.go dispatches an action whose name is not in its source\n"))
    #expect(fault.hasSuffix("  effects = {\n    go = { \"ACTION\" },\n  },"))
    #expect(
      try Explored.faults(
        "explore(\"it\", { effects = { go = { \"done\" }, at_most = 1 } })",
        of: PayloadsTests.state + flow)
        == [])
  }

  @Test("without a file, the error shows a template of one with the missing parts")
  func beginning() throws {
    let text = "state {}\naction.order { to = string {} }\naction[\"to go\"] { at = string {} }"
    let flow = try LoadedFlow(
      FlowSources(text: text, name: "shop.lua"), limits: Limits(), log: ScriptLog { _ in })
    let error = #expect(throws: ExplorationError.self) { try Exploration(flow) }
    #expect(
      error?.description.hasSuffix(
        """
        or list values in a file shop.explore.lua:
        flow "shop.lua"
        explore("all", {
          actions = {
            order = { to = { ... } },
            ["to go"] = { at = { ... } },
          },
        })
        """) == true)
  }
}
