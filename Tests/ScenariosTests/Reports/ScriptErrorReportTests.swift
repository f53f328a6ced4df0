import LuaRuntime
import Testing

@testable import Scenarios

@Suite struct ScriptErrorReportTests {
  private func error(_ traceback: [String]) -> ScriptError {
    ScriptError(kind: .runtime, message: "no", chunk: "a.lua", line: 3, traceback: traceback)
  }

  @Test("a traceback that has only the place of the error is left out")
  func short() {
    #expect(error(["a.lua:3: in the main chunk"]).report == "a.lua:3: no")
    #expect(error([]).report == "a.lua:3: no")
  }

  @Test("a traceback with more calls is shown")
  func long() {
    #expect(
      error(["a.lua:3: in local 'f'", "a.lua:9: in the main chunk"]).report == """
        a.lua:3: no
            a.lua:3: in local 'f'
            a.lua:9: in the main chunk
        """)
    #expect(error(["b.lua:1: in local 'g'"]).report == "a.lua:3: no\n    b.lua:1: in local 'g'")
  }

  @Test("calls are listed from the innermost, without the place itself, ten at most")
  func calls() {
    #expect(
      CallLines(["a.lua:3: in local 'f'", "a.lua:9: in function <a.lua:8>"], at: "a.lua:3").lines
        == ["called from a.lua:9"])
    #expect(
      CallLines(["b.lua:1: in local 'f'"], at: "a.lua:3").lines == ["called from b.lua:1"])
    #expect(CallLines((1...50).map { "a.lua:\($0): in f" }, at: "").lines.count == 10)
  }
}
