import Testing

@testable import Scenarios

/// Truncation of long texts in reports.
@Suite struct ScenarioTextTests {
  private func lines(_ text: String, flow: String = Played.flow) throws -> [Substring] {
    try Played(text, flow: flow).report.split(separator: "\n")
  }

  @Test("twenty of many differences are shown")
  func differences() throws {
    let text = """
      scenario("a", function()
        local wanted = {}
        for n = 1, 50 do wanted["k" .. n] = n end
        expect { files = wanted }
      end)
      """
    let lines = try lines(text)
    #expect(lines.filter { $0.contains("expected:") }.count == 20)
    #expect(lines.contains { $0.hasSuffix("... and 30 more differences") })
  }

  @Test("twenty of many changes are shown")
  func changes() throws {
    let flow = """
      state { files = map {} }
      action.fill {}
      function reduce.fill(s) for n = 1, 50 do s.files["k" .. n] = n end end
      """
    let lines = try lines("scenario(\"a\", function() refuse.fill() end)", flow: flow)
    #expect(lines.filter { $0.contains("files.k") }.count == 20)
    #expect(lines.contains { $0.hasSuffix("... and 30 more changes") })
  }

  @Test("a long payload is truncated")
  func payload() throws {
    let text = """
      scenario("a", function() refuse.put { field = "name", value = ("x"):rep(100000) } end)
      """
    #expect(try lines(text).allSatisfy { $0.count < 1000 })
  }

  @Test("a message of several lines is indented to its column")
  func multiline() throws {
    #expect(
      try lines("scenario(\"a\", function() error(\"one\\ntwo\") end)")[1...2]
        == ["      a.scenario.lua:2: one", "      two"])
  }
}
