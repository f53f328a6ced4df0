import Testing

@testable import LuaRuntime

@Suite struct BytecodeLinesTests {
  private func lines(_ text: String) throws -> [Int] {
    try Bytecode(text, name: "a.lua").lines.sorted()
  }

  @Test("executable lines are known, in functions that are never called too")
  func lines() throws {
    let text = """
      local a = 1  -- 1

      -- a comment
      local function never(x)
        if x then
          return 2
        end
        return "a text" .. x
      end
      return { a, never, 1.5, 1 << 40, true, nil }
      """
    #expect(try lines(text) == [1, 5, 6, 8, 9, 10])
  }

  @Test("a long text keeps its lines")
  func long() throws {
    let text = "local n = 0\n" + String(repeating: "n = n + 1\n", count: 1_000)
    #expect(try lines(text) == Array(1...1_001))
    #expect(
      try lines(String(repeating: "\n", count: 500) + "local n = 0\nlocal m = n") == [501, 502])
  }

  @Test("executed lines are recorded if requested, and otherwise not")
  func covered() throws {
    let text = "local n = 1\nif n > 1 then\n  n = 5\nend\nfor i = 1, 3 do n = n + i end\n"
    let vm = try LuaVM(memoryLimit: 0)
    vm.coverLines()
    try vm.call(vm.load(Array(text.utf8), name: "a.lua"), phase: .script, budget: 100_000)
    #expect(vm.coveredLines["a.lua"]?.ran.isSuperset(of: [1, 2, 5]) == true)
    #expect(vm.coveredLines["a.lua"]?.ran.contains(3) == false)
    let other = try LuaVM(memoryLimit: 0)
    try other.call(other.load(Array(text.utf8), name: "a.lua"), phase: .script, budget: 100_000)
    #expect(other.coveredLines.isEmpty)
  }

  @Test("recording lines does not change where a limit stops a run")
  func limit() throws {
    func failure(covers: Bool) throws -> ScriptError? {
      let vm = try LuaVM(memoryLimit: 0)
      if covers { vm.coverLines() }
      let chunk = try vm.load(
        Array("local n = 0\nwhile true do\nn = n + 1\nn = n - 1\nend".utf8), name: "a.lua")
      do throws(ScriptError) {
        try vm.call(chunk, phase: .script, budget: 10_007)
        return nil
      } catch {
        return error
      }
    }
    let plain = try failure(covers: false)
    #expect(plain?.kind == .limit)
    #expect(try failure(covers: true)?.line == plain?.line)
  }
}
