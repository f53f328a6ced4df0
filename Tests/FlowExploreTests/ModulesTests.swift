import FlowExplore
import Foundation
import Testing

/// Modules that exploration files require, as scenario files do.
@Suite("Modules of explorations")
struct ModulesTests {
  private func report(_ text: String, module: String) throws -> ExplorationReport {
    let explored = try Explored(Explored.counter, text)
    try explored.write(module, to: "shared.lua")
    return try #require(try explored.explorations().first).run()
  }

  @Test("an exploration file shares helpers with other files by require")
  func shared() throws {
    let report = try report(
      """
      local shared = require "shared"
      explore("it", { within = shared.within }, function() always("low", shared.low) end)
      """,
      module: """
        local shared = { most = 2 }
        function shared.low(s) return s.n <= 3 end
        function shared.within(s) return s.n <= shared.most end
        return shared
        """)
    #expect(report.verdicts.map(\.line) == ["holds   always low"])
    #expect(report.states == 3)
  }

  @Test(
    "invalid content of a module and a late require are errors",
    arguments: [
      (
        "require \"shared\" explore(\"it\")", "explore(\"other\")",
        "an exploration must be in the exploration file itself, not in a module that it requires"
      ),
      (
        "require \"shared\" explore(\"it\")", "flow \"flow.lua\"",
        "flow must be in the exploration file itself, not in a module that it requires"
      ),
      (
        "explore(\"it\", function() always(\"x\", function() return require \"shared\" end) end)",
        "return true", "require must be outside of functions, at the top of the file"
      ),
      ("require \"shred\" explore(\"it\")", "return 1", "there is no shred.lua beside"),
    ])
  func misplaced(text: String, module: String, sentence: String) throws {
    let explored = try Explored(Explored.counter, text)
    try explored.write(module, to: "shared.lua")
    let error = #expect(throws: (any Error).self) {
      for exploration in try explored.explorations() { _ = try exploration.run() }
    }
    #expect("\(try #require(error))".contains(sentence))
  }

  @Test("tables of a module are read-only once the file has run")
  func frozen() throws {
    let explored = try Explored(
      Explored.counter,
      """
      local shared = require "shared"
      explore("it", function() always("x", function() shared.n = 1 return true end) end)
      """)
    try explored.write("return { n = 0 }", to: "shared.lua")
    #expect(throws: ExplorationError.self) {
      for exploration in try explored.explorations() { _ = try exploration.run() }
    }
  }
}
