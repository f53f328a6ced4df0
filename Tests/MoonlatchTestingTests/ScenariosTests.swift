import FlowKernel
import Foundation
import MoonlatchTesting
import Testing

@Suite struct ScenariosTests {
  @Test(
    "the scenarios of a folder are the arguments of a test",
    arguments: Scenarios(in: "../../examples/turnstile"))
  func turnstile(_ scenario: ScenarioTest) throws { try scenario.run() }

  @Test("a scenario's description has its file, line and name")
  func names() throws {
    let scenarios = Scenarios(in: "../../examples/turnstile")
    #expect(scenarios.count > 1)
    #expect(scenarios.allSatisfy { $0.description.contains(".scenario.lua:") })
  }

  @Test("a failed scenario throws its report, and a skipped one is not run")
  func failing() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try "state { n = 0 } action.go {}".write(
      to: folder.appending(path: "flow.lua"), atomically: true, encoding: .utf8)
    try """
    flow "flow.lua"
    scenario("wrong", { tags = { "slow" } }, function() expect { n = 1 } end)
    scenario("later", { skip = "not yet" }, function() expect { n = 1 } end)
    """.write(to: folder.appending(path: "a.scenario.lua"), atomically: true, encoding: .utf8)
    try "syntax error".write(
      to: folder.appending(path: "b.scenario.lua"), atomically: true, encoding: .utf8)
    let scenarios = Scenarios(in: folder)
    #expect(scenarios.count == 3)
    #expect(scenarios[0].tags == ["slow"])
    let failure = try #require(throws: ScenarioFailure.self) { try scenarios[0].run() }
    #expect(failure.description.contains("expected: 1"))
    #expect(scenarios[1].skip == "not yet")
    try scenarios[1].run()
    #expect(throws: ScenarioFailure.self) { try scenarios[2].run() }
  }

  @Test("scenarios use the rules, reducers and seed of the host's options")
  func natives() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try "state { n = 0, chance = 0 } action.go {} function reduce.go(s) s.chance = random(1, 9) end"
      .write(to: folder.appending(path: "flow.lua"), atomically: true, encoding: .utf8)
    try """
    flow "flow.lua"
    scenario("native", function()
      pass.go()
      expect { n = 2, chance = 1 }
      refuse.go():because("once is enough"):by("gate once")
    end)
    """.write(to: folder.appending(path: "a.scenario.lua"), atomically: true, encoding: .utf8)
    var options = HostOptions(random: { _, _ in 9_000 })
    options.addReducer(for: "go") { state, _ in try state.set("n", to: 2) }
    options.addGate("once", for: ["go"]) { state, _ in
      try state.value(at: "n") == 0 ? .passes : .refuses("once is enough")
    }
    let scenarios = Scenarios(in: folder, options: options)
    #expect(scenarios.count == 1)
    try scenarios[0].run()
    #expect(throws: ScenarioFailure.self) { try Scenarios(in: folder)[0].run() }
    options.addReducer(for: "gone") { _, _ in }
    let failure = try #require(throws: ScenarioFailure.self) {
      try Scenarios(in: folder, options: options)[0].run()
    }
    #expect(failure.description.contains("declares no action gone"), "\(failure)")
  }

  @Test("a missing folder, or one without scenarios, is a failing test")
  func nothing() throws {
    let missing = Scenarios(in: "nowhere")
    #expect(missing.count == 1)
    let failure = try #require(throws: ScenarioFailure.self) { try missing[0].run() }
    #expect(failure.description.contains("there is no such file or folder"))
    let empty = Scenarios(in: "../../scripts")
    #expect(empty.count == 1)
    #expect(throws: ScenarioFailure.self) { try empty[0].run() }
  }
}
