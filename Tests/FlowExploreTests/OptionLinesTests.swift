import LuaRuntime
import Testing

@testable import FlowExplore

@Suite("Lines of options")
struct OptionLinesTests {
  private static let text = """
    explore("one", { actions = { a = false } })
    explore("two " .. kind, {
      within = function(s)
        if s.n then return { given = 1 } end
        return true
      end,
      actions = {
        open = { by = { 1,
          2 } },
        ["a b"] = false,
      },
      given = {
        {},
        { n = 1 },
      },
    }, function() end)
    local options = {}
    explore("three", options, function() always("x", { n = 1 }) end)
    """

  private func line(_ start: Int, _ path: StatePath.Key...) -> Int {
    OptionLines(LuaLexer(OptionLinesTests.text).tokens, from: start).line(of: path)
  }

  @Test("an option is located at the line of its name, at any depth and after functions")
  func names() {
    #expect(line(2, .field("within")) == 3)
    #expect(line(2, .field("actions"), .field("open")) == 8)
    #expect(line(2, .field("actions"), .field("open"), .field("by"), .index(2)) == 9)
    #expect(line(2, .field("actions"), .field("a b")) == 10)
    #expect(line(2, .field("given"), .index(2)) == 14)
    #expect(line(1, .field("actions"), .field("a")) == 1)
  }

  @Test("an option that is not written literally is located at its nearest enclosing element")
  func around() {
    #expect(line(2, .field("actions"), .field("shut")) == 7)
    #expect(line(2, .field("ends")) == 2)
    #expect(line(18, .field("given"), .index(1)) == 18)
    #expect(line(2) == 2)
  }
}
