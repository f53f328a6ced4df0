import Foundation
import LuaRuntime
import Testing

@testable import FlowLanguage

@Suite struct ScriptFileTests {
  private let folder = FileManager.default.temporaryDirectory
    .appending(path: "moonlatch-\(UUID().uuidString)")

  /// Runs a file with this text, and returns its results.
  private func run(_ text: String, limits: Limits = Limits()) throws -> [Value] {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try Data("return 7".utf8).write(to: folder.appending(path: "seven.lua"))
    let file = folder.appending(path: "script.lua")
    try Data(text.utf8).write(to: file)
    let script = try ScriptFile(file, limits: limits, log: ScriptLog { _ in })
    return try script.vm.call(
      script.chunk, phase: .loading, budget: limits.instructionsPerLoad)
  }

  @Test("a script file has a flow's library and modules, but no flow")
  func library() throws {
    #expect(try run("return require(\"seven\"), #list { 1, 2 }, (\"x\"):rep(2)") == [7, 2, "xx"])
    #expect(throws: ScriptError.self) { try run("action.add {}") }
    #expect(throws: ScriptError.self) { try run("return os.time()") }
  }

  @Test("a missing file, or one that is not Lua, is an error with its name")
  func faults() {
    #expect {
      _ = try ScriptFile(
        URL(filePath: "/none/script.lua"), limits: Limits(), log: ScriptLog { _ in })
    } throws: { "\($0)" == "script.lua: there is no such file" }
    #expect {
      _ = try run("x =")
    } throws: { "\($0)".hasPrefix("script.lua:1: ") }
  }

  @Test("an endless script file ends at its limits")
  func limits() {
    var limits = Limits()
    limits.instructionsPerLoad = 10_000
    #expect {
      _ = try run("while true do end", limits: limits)
    } throws: { ($0 as? ScriptError)?.kind == .limit }
  }
}
