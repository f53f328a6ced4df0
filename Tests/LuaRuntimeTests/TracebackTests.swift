import LuaRuntime
import Testing

@Suite struct TracebackTests {
  private let vm: LuaVM

  init() throws { vm = try LuaVM(memoryLimit: 1 << 24) }

  @Test(
    "a place at the start of a message is split off",
    arguments: [
      ("a.lua:3: no", "a.lua", 3, "no"), ("dir/a b.lua:12: x:3: y", "dir/a b.lua", 12, "x:3: y"),
      ("C:/a.lua:7: no\nmore", "C:/a.lua", 7, "no\nmore"),
    ])
  func split(text: String, file: String, line: Int, rest: String) throws {
    let (place, message) = try #require(ScriptError.splitPlace(text))
    #expect(place.file == file)
    #expect(place.line == line)
    #expect(message == rest)
  }

  @Test(
    "a text without a place is left unchanged",
    arguments: ["no", "a: b", ":3: no", "a.lua:: no", "12:30"])
  func whole(text: String) { #expect(ScriptError.splitPlace(text) == nil) }

  @Test("a message that only looks like a place stays a message")
  func looksLikeAPlace() {
    let error = vm.error(of: "error('12:30: lunch', 0)")
    #expect(error?.message == "12:30: lunch")
    #expect(error?.place == "test.lua:1")
  }

  @Test("error(message, 2) blames the caller")
  func blame() {
    let error = vm.error(of: "local function check()\n  error('no', 2)\nend\n\ncheck()")
    #expect(error?.place == "test.lua:5")
    #expect(error?.message == "no")
  }

  @Test("a file name is given in full, however long it is")
  func longName() {
    let name = String(repeating: "folder/", count: 20) + "flow.lua"
    for script in ["error('no')", "local t = nil + 1", "x = = 1"] {
      let error = vm.error(of: script, name: name)
      #expect(error?.chunk == name)
      #expect(error?.line == 1)
    }
  }

  @Test("the traceback has the script's calls, innermost first, and no internal ones")
  func frames() throws {
    let error = try #require(
      vm.error(
        of: """
          local function inner() error("no") end
          local function outer() inner() return 1 end
          outer()
          """))
    #expect(
      error.traceback == [
        "test.lua:1: in upvalue 'inner'", "test.lua:2: in local 'outer'",
        "test.lua:3: in the main chunk",
      ])
  }

  @Test("an error deep in calls has a traceback that is cut in the middle")
  func deep() throws {
    let error = try #require(
      vm.error(
        of: "local function f(n) if n == 0 then error('no') end f(n - 1) return 1 end f(500)"))
    #expect(error.traceback.count < 40)
    #expect(error.traceback.contains("..."))
    #expect(error.line == 1)
  }
}
