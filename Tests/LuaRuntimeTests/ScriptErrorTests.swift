import LuaRuntime
import Testing

@Suite struct ScriptErrorTests {
  @Test("an error is described by its place, its message and its traceback")
  func description() {
    let error = ScriptError(
      kind: .runtime, message: "no", chunk: "a.lua", line: 3, traceback: ["a.lua:3: in f", "b"])
    #expect(error.place == "a.lua:3")
    #expect(error.summary == "a.lua:3: no")
    #expect(error.description == "a.lua:3: no\n    a.lua:3: in f\n    b")
  }

  @Test("an error without a place is described by its message")
  func bare() {
    #expect(ScriptError(kind: .limit, message: "no").description == "no")
    #expect(ScriptError(kind: .limit, message: "no", chunk: "a.lua").summary == "a.lua: no")
  }
}
