import Testing

@testable import LuaRuntime

@Suite("A prelude")
struct PreludeTests {
  private let text = Array("host.answer = function() return 42 end".utf8)

  private func code(of text: String) throws -> [UInt8] {
    try Bytecode(own: Array(text.utf8), name: Prelude.name, in: LuaVM(memoryLimit: 0)).bytes
  }

  private func answer(of prelude: Prelude) throws -> [Value] {
    let vm = try LuaVM(memoryLimit: 0)
    try prelude.run(in: vm, phase: .loading, budget: 10_000)
    return try vm.call(vm.preludeFunction("answer"), phase: .loading, budget: 10_000)
  }

  @Test("runs the code that the build made with the same Lua")
  func sameLua() throws {
    let code = try code(of: "host.answer = function() return 43 end")
    let chunk = Prelude.Chunk(text: text, code: code, compiler: Prelude.compiler)
    #expect(try answer(of: Prelude(chunk)) == [43])
  }

  @Test("is compiled again when another Lua made the code")
  func otherLua() throws {
    let chunk = Prelude.Chunk(text: text, code: [27, 76, 117, 97], compiler: "Lua 5.4.99")
    #expect(try answer(of: Prelude(chunk)) == [42])
  }

  @Test("says why its text does not compile")
  func wrongText() throws {
    let chunk = Prelude.Chunk(text: Array("host.answer =".utf8), code: [], compiler: "Lua 5.4.99")
    let prelude = Prelude(chunk)
    let error = #expect(throws: ScriptError.self) { try answer(of: prelude) }
    #expect(error?.message.contains("unexpected symbol near <eof>") == true)
  }

  @Test("knows which Lua this process runs")
  func version() {
    #expect(Prelude.compiler.contains("Lua 5.4."))
  }
}
