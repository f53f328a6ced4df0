import FlowLanguage
import Foundation
import LuaRuntime
import Testing

@testable import HostFiles

/// Functions of host files, which run in VMs of their own.
@Suite(.timeLimit(.minutes(5))) struct HostFunctionsTests {
  private let folder: HostFolder

  init() throws { folder = try HostFolder() }

  /// Returns a file with one webhook, whose function has this body.
  private func file(_ body: String, before: String = "") throws -> HostFile {
    try folder.load(
      """
      \(before)
      hooks.x = { signature = "github", secret = "0123456789", run = function(event, request)
        \(body)
      end }
      """)
  }

  private func run(
    _ file: HostFile, _ event: Value = [:], _ request: Value = [:]
  ) async throws -> HookAnswer {
    try await file.run(try #require(file.hooks.first), on: event, request)
  }

  @Test("a function gets the event and the request")
  func arguments() async throws {
    let file = try file(
      """
      if event.type ~= "paid" then return end
      return { call = event.list[2].id, result = { request.headers["x-a"], request.query.b } }
      """)
    #expect(try await run(file) == .ignored)
    let answer = try await run(
      file, ["type": "paid", "list": [["id": "c-0"], ["id": "c-1"]], "none": .nil],
      ["headers": ["x-a": "1"], "query": ["b": "2"]])
    #expect(answer == .result(call: "c-1", ["1", "2"]))
  }

  @Test("functions remember nothing from one call to the next")
  func forgetting() async throws {
    let file = try file(
      "seen.count = seen.count + 1 return { call = \"c\", result = seen.count }",
      before: "local seen = { count = 0 }")
    for _ in 0..<6 { #expect(try await run(file) == .result(call: "c", 1)) }
  }

  @Test("functions use the texts that the file had when it was loaded")
  func texts() async throws {
    try folder.write("return { text = \"before\" }", to: "texts.lua")
    let file = try file(
      "return { call = \"c\", result = texts.text }", before: "local texts = require \"texts\"")
    try folder.write("return { text = \"after\" }", to: "texts.lua")
    try folder.write("hooks.x = nil")
    #expect(try await run(file) == .result(call: "c", "before"))
  }

  @Test("an error has its line, and the next call is not disturbed")
  func errors() async throws {
    let file = try file(
      "if event.bad then\n    local x = event.no.name\n  end\n  return { call = \"c\" }")
    for _ in 0..<5 {
      let error = await #expect(throws: ScriptError.self) { try await run(file, ["bad": true]) }
      #expect(error?.place == "order.host.lua:4", "\(error?.place ?? "")")
      #expect(try await run(file) == .result(call: "c", .nil))
    }
    let misfit = await #expect(throws: HookAnswer.Misfit.self) {
      try await run(try self.file("return { case = \"a\", action = \"b\" }"))
    }
    #expect(misfit?.description.hasPrefix("run returned no key") == true)
  }

  @Test("a function that does not end reaches the limit of its instructions")
  func endless() async throws {
    let file = try file("while event.endless do end")
    let error = await #expect(throws: ScriptError.self) { try await run(file, ["endless": true]) }
    #expect(error?.kind == .limit)
    #expect(try await run(file) == .ignored)
  }

  @Test("functions have no state, no clock and no files")
  func sandbox() async throws {
    for name in ["os", "io", "state", "debug"] {
      let file = try file("return { call = \"c\", result = \(name).x }")
      await #expect(throws: ScriptError.self, "\(name)") { try await run(file) }
    }
  }

  @Test("many calls at once get their own answers")
  func concurrent() async throws {
    let file = try file("return { call = \"c\", result = event.number }")
    let hook = try #require(file.hooks.first)
    let right = try await withThrowingTaskGroup(of: Bool.self) { group in
      for number in 0..<40 {
        group.addTask {
          try await file.run(hook, on: ["number": .integer(number)], [:], patience: .seconds(240))
            == .result(call: "c", .integer(number))
        }
      }
      return try await group.reduce(true) { $0 && $1 }
    }
    #expect(right)
  }

  @Test("a call that waits for too long is told that the functions are busy")
  func busy() async throws {
    let file = try file("")
    let texts = [(name: "order.host.lua", text: try String(contentsOf: file.file, encoding: .utf8))]
    let functions = HostFunctions(
      FlowSources(texts: texts), limits: Limits(), texts: file.texts, most: 0)
    let hook = try #require(file.hooks.first)
    await #expect(throws: HostFunctions.Busy.self) {
      try await functions.call(hook.run, [[:], [:]], patience: .milliseconds(1))
    }
  }
}
