import FlowExplore
import FlowKernel
import FlowLanguage
import Foundation
import LuaRuntime
import Testing

/// With which payloads actions are tried, and what is said where nobody knows.
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
    "finite types are gone through, and others by their samples",
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
    "bounds that are too far apart are no bounds",
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
    "too many payloads of finite types are said to be too many",
    arguments: [
      "{ a = integer { min = 1, max = 4000 }, b = integer { min = 1, max = 4000 } }",
      "{ a = list_of { integer { min = 1, max = 9 }, max_length = 1000000 } }",
    ])
  func many(type: String) throws {
    #expect(
      try faults("action.go \(type)").first?.hasPrefix(
        "flow.lua:2: action go: there are more than 4096 payloads\n") == true)
  }

  @Test("all fields that lack something are told at once, each with what it lacks")
  func fields() throws {
    let fault = try faults(
      "action.go { a = string {}, b = string {}, c = integer { min = 1 }, d = integer { max = 1 } }"
    )
    #expect(
      fault.first?.hasPrefix(
        "flow.lua:2: action go: fields a and b have no samples; field c has no max, and no samples; "
          + "field d has no min, and no samples\n") == true)
  }

  @Test("a field of a record within is told by its path")
  func nested() throws {
    let fault = try faults("action.go { user = { id = string {}, name = string {} } }")
    #expect(
      fault.first?.hasPrefix(
        "flow.lua:2: action go: fields user.id and user.name have no samples\n") == true)
  }

  @Test("actions that lack the same are told in one line")
  func together() throws {
    let flow = (1...5).map { "action.go\($0) { x = string {} }" }
    #expect(
      try faults(flow[..<2].joined(separator: "\n")).first?.hasPrefix(
        "flow.lua:2: actions go1 and go2: field x has no samples\n") == true)
    #expect(
      try faults(flow.joined(separator: "\n")).first?.hasPrefix(
        "flow.lua:2: 5 actions (go1, go2, go3 and others): field x has no samples\n") == true)
  }

  @Test("what an effect dispatches without naming it is asked for")
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
        "flow.lua:4: effect.go dispatches an action whose name its text does not say\n"))
    #expect(fault.hasSuffix("  effects = {\n    go = { \"ACTION\" },\n  },"))
    #expect(
      try Explored.faults(
        "explore(\"it\", { effects = { go = { \"done\" }, at_most = 1 } })",
        of: PayloadsTests.state + flow)
        == [])
  }

  @Test("without a file, the beginning of one is shown that says what is missing")
  func beginning() throws {
    let text = "state {}\naction.order { to = string {} }\naction[\"to go\"] { at = string {} }"
    let flow = try LoadedFlow(
      FlowSources(text: text, name: "shop.lua"), limits: Limits(), log: ScriptLog { _ in })
    let error = #expect(throws: ExplorationError.self) { try Exploration(flow) }
    #expect(
      error?.description.hasSuffix(
        """
        or say what is tried in a file shop.explore.lua:
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
