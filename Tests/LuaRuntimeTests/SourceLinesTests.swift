import Testing

@testable import LuaRuntime

@Suite("source lines around a line") struct SourceLinesTests {
  private let text = "one\ntwo\nthree\nfour"

  @Test("a line is shown with its neighbours, numbered and marked")
  func middle() {
    #expect(SourceLines.around(2, of: text) == ["  1 | one", "> 2 | two", "  3 | three"])
  }

  @Test("the first and the last line have one neighbour")
  func ends() {
    #expect(SourceLines.around(1, of: text) == ["> 1 | one", "  2 | two"])
    #expect(SourceLines.around(4, of: text) == ["  3 | three", "> 4 | four"])
    #expect(SourceLines.around(4, of: text + "\n") == ["  3 | three", "> 4 | four"])
  }

  @Test("a line that the text does not have is shown as nothing", arguments: [-1, 0, 6, 99])
  func outside(line: Int) {
    #expect(SourceLines.around(line, of: text).isEmpty)
  }

  @Test("line numbers are right-aligned, and line ends of any kind are removed")
  func width() {
    let lines = (1...12).map { "line \($0)" }.joined(separator: "\r\n")
    #expect(SourceLines.around(10, of: lines) == [])
    let plain = (1...12).map { "line \($0)" }.joined(separator: "\n")
    #expect(
      SourceLines.around(9, of: plain) == ["   8 | line 8", ">  9 | line 9", "  10 | line 10"])
  }

  @Test("the line after the last is shown as the last")
  func end() {
    #expect(SourceLines.around(5, of: text) == ["  3 | three", "> 4 | four"])
    #expect(SourceLines.around(1, of: "").isEmpty)
  }

  @Test("a very long line is truncated")
  func long() {
    let shown = SourceLines.around(1, of: String(repeating: "x", count: 1_000))
    #expect(shown == ["> 1 | " + String(repeating: "x", count: 200) + "..."])
  }

  @Test("errors of every kind show their source line: syntax, runtime, limits, the stack")
  func kinds() throws {
    let vm = try LuaVM(memoryLimit: 64 << 20)
    func error(_ script: String) -> ScriptError? {
      vm.texts["t.lua"] = script
      return vm.error(of: script, name: "t.lua", budget: 10_000_000)
    }
    for (script, message) in [
      ("local x = 1\nx =\n", "unexpected symbol near <eof>"),
      ("local x = 1\nx = x.y.z\n", "attempt to index a number value"),
      ("local x = 1\nwhile true do x = x + 1 end\n", "the instruction limit is reached"),
      ("local x = 1\nx = ('x'):rep(90000000)\n", "not enough memory"),
      ("local function f() return 1 + f() end\nf()\n", "stack overflow"),
    ] {
      let error = try #require(error(script))
      #expect(error.message.contains(message) || error.report.contains(message), "\(error.report)")
      #expect(error.excerpt.contains { $0.hasPrefix("> ") }, "\(error.report)")
    }
  }
}
