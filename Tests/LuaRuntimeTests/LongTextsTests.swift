import Testing

@testable import LuaRuntime

/// Texts that would take Lua too long to compile, and long texts that do not.
@Suite struct LongTextsTests {
  /// A text that is told by what it holds: the test library would print it whole.
  struct Text: Sendable, CustomTestStringConvertible {
    let what: String
    let text: String
    var testDescription: String { what }
  }

  private static func lines(_ count: Int, _ line: String) -> String {
    Array(repeating: line, count: count).joined(separator: "\n")
  }

  private func load(_ text: String) throws(ScriptError) {
    let vm = try LuaVM(memoryLimit: 64 << 20)
    _ = try vm.load(Array(text.utf8), name: "long.lua")
  }

  private static let slow = [
    ("and", "return a\n" + lines(60_000, "and a")),
    ("or", "return a\n" + lines(60_000, "or a")),
    ("calls between", "return a\n" + lines(60_000, "and f(1, 2)")),
    ("functions between", "return a\n" + lines(60_000, "or function() local x = 1 return x end")),
    ("tables between", "return a\n" + lines(60_000, "or { x = 1, y = 2; 3 }")),
    ("comparisons", "return a\n" + lines(60_000, "or b == 1 and c <= 2")),
    ("comments", "return a\n" + lines(60_000, "--[[ end ) ]] and a -- , local")),
    ("texts between", "return a\n" + lines(60_000, "or '\\' end, local ' .. [==[ ]] end , ]==]")),
    ("elseif", "if a then\n" + lines(60_000, "elseif a then f()") + "\nend"),
    ("goto", lines(60_000, "goto done") + "\n::done::"),
    ("break", "while true do\n" + lines(60_000, "if a then break end") + "\nend"),
    ("labels", lines(60_000, "do goto x ::x:: end")),
    ("goto in loops", lines(40_000, "while a do while b do goto done end end") + "\n::done::"),
  ].map { Text(what: $0, text: $1) }

  @Test("a text that takes too long to compile is rejected with its line", arguments: slow)
  func refused(_ long: Text) {
    #expect {
      try load(long.text)
    } throws: { error in
      guard let error = error as? ScriptError else { return false }
      return error.kind == .syntax && (error.line ?? 0) > 1_000 && error.chunk == "long.lua"
        && error.message.contains("too long to compile")
    }
  }

  private static let fast = [
    ("elements", "return {\n" + lines(60_000, "a and b or c,") + "\n}"),
    ("statements", lines(60_000, "x = a and b or c")),
    ("conditions", lines(60_000, "if a and b then f() elseif c or d then g() end")),
    ("functions", lines(20_000, "function f() goto x ::x:: while a do break end end")),
    ("breaks", lines(30_000, "for i = 1, 2 do if a then break end end")),
    ("continues", lines(6_000, "while a do if b then goto c end f() ::c:: end")),
    ("returns", lines(20_000, "do local t = a and b if t then return a or b end end")),
    ("arguments", "f(\n" + lines(200, "a and b or c,") + "\nd)"),
    ("comments", lines(60_000, "-- and or elseif goto break")),
    ("a long text", "return [[\n" + lines(60_000, "and or elseif goto break") + "\n]]"),
    ("not closed", "return { [[" + lines(10_000, "and")),
    ("closed too often", lines(10_000, "end ) }")),
  ].map { Text(what: $0, text: $1) }

  @Test("a long text of short expressions is not rejected as too long to compile", arguments: fast)
  func compiled(_ long: Text) {
    do {
      try load(long.text)
    } catch {
      #expect(!error.message.contains("too long to compile"))
    }
  }

  @Test("errors at the end of a long function use up the budget")
  func errors() throws {
    let vm = try LuaVM(memoryLimit: 64 << 20)
    let text =
      "local function long(...) local a, b, c\n"
      + Self.lines(50_000, "if a then b = c.x end") + "\nreturn a.b.c end\n"
      + "while true do pcall(long) end"
    let function = try vm.load(Array(text.utf8), name: "long.lua")

    #expect(throws: ScriptError.self) {
      try vm.call(function, phase: .script, budget: 10_000_000)
    }

  }
}
