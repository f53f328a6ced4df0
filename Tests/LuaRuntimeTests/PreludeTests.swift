import Foundation
import Testing

@testable import LuaRuntime

@Suite("A prelude")
struct PreludeTests {
  private let text = Array("host.answer = function() return 42 end".utf8)

  private func code(of text: [UInt8]) throws -> [UInt8] {
    try Bytecode(own: text, name: Prelude.name, in: LuaVM(memoryLimit: 0)).bytes
  }

  private func answer(of prelude: Prelude) throws -> [Value] {
    let vm = try LuaVM(memoryLimit: 0)
    try prelude.run(in: vm, phase: .loading, budget: 10_000)
    return try vm.call(vm.preludeFunction("answer"), phase: .loading, budget: 10_000)
  }

  @Test("runs the code that was compiled from its text")
  func current() throws {
    let code = try code(of: Array("host.answer = function() return 43 end".utf8))
    let chunk = Prelude.Chunk(text: text, code: code + Prelude.Chunk.digest(of: text))
    #expect(try answer(of: Prelude(chunk)) == [43])
  }

  @Test("is compiled again if its text has changed", arguments: [0, 1, 8, 12])
  func changed(length: Int) throws {
    let code = [UInt8](repeating: 27, count: length)
    #expect(try answer(of: Prelude(Prelude.Chunk(text: text, code: code))) == [42])
    let old = Array("host.answer = function() return 41 end".utf8)
    let chunk = Prelude.Chunk(
      text: text, code: try self.code(of: old) + Prelude.Chunk.digest(of: old))
    #expect(try answer(of: Prelude(chunk)) == [42])
  }

  @Test("reports why its text does not compile")
  func wrongText() throws {
    let chunk = Prelude.Chunk(text: Array("host.answer =".utf8), code: [])
    let prelude = Prelude(chunk)
    let error = #expect(throws: ScriptError.self) { try answer(of: prelude) }
    #expect(error?.message.contains("unexpected symbol near <eof>") == true)
  }

  /// Every text of our own that has its code beside it.
  private static let texts: [URL] = {
    let sources = URL(filePath: #filePath).deletingLastPathComponent().appending(
      path: "../../Sources")
    let files = FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil)
    return (files?.compactMap { $0 as? URL } ?? []).filter { $0.pathExtension == "luac" }
      .map { $0.deletingPathExtension().appendingPathExtension("lua") }
      .sorted { $0.path < $1.path }
  }()

  @Test("has up-to-date bytecode for every text, as written by scripts/preludes")
  func embedded() throws {
    #expect(PreludeTests.texts.count >= 11)
    for file in PreludeTests.texts {
      let text = [UInt8](try Data(contentsOf: file))
      let code = [UInt8](
        try Data(contentsOf: file.deletingPathExtension().appendingPathExtension("luac")))
      #expect(
        try self.code(of: text) + Prelude.Chunk.digest(of: text) == code,
        "\(file.lastPathComponent) has changed: run scripts/preludes")
    }
  }
}
