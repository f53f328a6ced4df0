import LuaRuntime
import Testing

@testable import Scenarios

@Suite struct RunnerTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.write(Played.flow, to: "flow.lua")
  }

  private func write(_ name: String, _ text: String) throws {
    try folder.write("flow \"flow.lua\"\n" + text, to: name)
  }

  @Test("the summary counts each kind of result")
  func summary() throws {
    try write(
      "a.scenario.lua",
      """
      scenario("passes", function() end)
      scenario("passes too", function() pass.add() end)
      scenario("fails", function() expect { n = 1 } end)
      scenario("raises", function() error("no") end)
      scenario("waits", { skip = "later" }, function() end)
      """)
    try write("b.scenario.lua", "scenario(")
    let summary = Played(folder.select(".", "nowhere")).summary
    #expect(summary.passed == 2)
    #expect(summary.failed == 1)
    #expect(summary.broken == 1)
    #expect(summary.skipped == 1)
    #expect(summary.unloadable == 2)
    #expect(summary.notWell == 4)
    #expect(!summary.isEmpty)
  }

  @Test("events come in the order of files and scenarios, and a faulty file stops no other")
  func order() throws {
    try write("b.scenario.lua", "scenario(\"b\", function() end)")
    try write("a.scenario.lua", "scenario(")
    try write("c.scenario.lua", "scenario(\"c\", function() end) scenario(\"d\", function() end)")
    #expect(
      Played(folder.select("c.scenario.lua", "b.scenario.lua", "a.scenario.lua")).verdicts == [
        "UNLOADABLE a.scenario.lua | a.scenario.lua:2: unexpected symbol near <eof>", "ok b",
        "ok c", "ok d",
      ])
  }

  @Test("a stopped run starts no more scenarios")
  func stopped() throws {
    try write("a.scenario.lua", "scenario(\"a\", function() end) scenario(\"b\", function() end)")
    try write("c.scenario.lua", "scenario(\"c\", function() end)")
    var told = 0
    let summary = Runner().run(
      folder.select("a.scenario.lua", "c.scenario.lua"), isStopped: { told > 0 }
    ) { _ in told += 1 }
    #expect(summary.passed == 1)
    #expect(told == 1)
  }

  @Test("an error of a flow is reported once, not once per scenario")
  func brokenFlow() throws {
    try folder.write("state { n = print }\naction.x {}", to: "flow.lua")
    try write(
      "a.scenario.lua", "scenario(\"a\", function() end) scenario(\"b\", function() end)")
    let played = Played(folder.select("a.scenario.lua"))
    #expect(
      played.verdicts
        == ["UNLOADABLE a.scenario.lua | flow.lua:1: state.n: a function is not plain data"])
    #expect(played.summary.unloadable == 1)
    #expect(played.summary.notWell == 1)
  }

  @Test("a line runs only the scenario at that line")
  func line() throws {
    try write(
      "a.scenario.lua",
      """
      scenario("first", function()
      end)
      scenario("second", function() end)
      """)
    #expect(Played(folder.select("a.scenario.lua:3")).verdicts == ["ok first"])
    #expect(Played(folder.select("a.scenario.lua:4")).verdicts == ["ok second"])
    #expect(
      Played(folder.select("a.scenario.lua:2", "a.scenario.lua:4")).verdicts
        == ["ok first", "ok second"])
  }

  @Test("a line without a scenario is reported, and the others run")
  func emptyLine() throws {
    try write("a.scenario.lua", "\nscenario(\"a\", function() end)")
    let played = Played(folder.select("a.scenario.lua:1", "a.scenario.lua:3"))
    #expect(
      played.verdicts == [
        "NOTHING there is no scenario at a.scenario.lua:1 "
          + "(the first begins at line 3, the file has 3)", "ok a",
      ])
    #expect(Played(folder.select("a.scenario.lua:99")).summary.isEmpty)
  }

  @Test("a file without scenarios and a folder without files are reported, and do not count")
  func nothing() throws {
    try write("a.scenario.lua", "")
    try folder.makeFolder("empty")
    let played = Played(folder.select("empty", "a.scenario.lua", "a.scenario.lua:1"))
    #expect(
      played.verdicts == [
        "NOTHING there is no scenario file (*.scenario.lua) in empty",
        "NOTHING a.scenario.lua declares no scenario",
      ])
    #expect(played.summary.isEmpty)
  }

  @Test("the runner's limits apply to flows, files and scenarios")
  func limits() throws {
    try write("a.scenario.lua", "scenario(\"a\", function() pass.spin() end)")
    let verdicts = Played(
      folder.select("a.scenario.lua"), limits: Limits(instructionsPerDispatch: 1000)
    ).verdicts
    #expect(
      verdicts == [
        "FAIL a.scenario.lua:2: spin was to pass, but it failed: "
          + "flow.lua:29: the instruction limit is reached (1000)"
      ])
    let tight = Played(folder.select("a.scenario.lua"), limits: Limits(instructionsPerLoad: 100))
    #expect(tight.summary.unloadable == 1)
  }

  @Test("many files need no more file descriptors than one")
  func manyFiles() throws {
    for number in 0..<300 {
      try write("\(number).scenario.lua", "scenario(\"\(number)\", function() pass.add() end)")
    }
    #expect(Played(folder.select(".")).summary.passed == 300)
  }

  @Test("a line after a pattern applies to each file, and is reported if none has a scenario there")
  func linesOfPatterns() throws {
    try write(
      "a.scenario.lua", "scenario(\"a\", function() end)\n\n\nscenario(\"a4\", function() end)")
    try write("b.scenario.lua", "scenario(\"b\", function() end)")
    #expect(Played(folder.select("[ab].scenario.lua:2")).verdicts == ["ok a", "ok b"])
    #expect(Played(folder.select("[ab].scenario.lua:5")).verdicts == ["ok a4"])
    #expect(
      Played(folder.select("[ab].scenario.lua:9")).verdicts == [
        "NOTHING there is no scenario at line 9 of a file that matches [ab].scenario.lua "
          + "(a.scenario.lua, b.scenario.lua)"
      ])
    #expect(
      Played(folder.select("[ab].scenario.lua:9", "[ab].scenario.lua:5", "b.scenario.lua:8"))
        .verdicts
        == [
          "ok a4",
          "NOTHING there is no scenario at b.scenario.lua:8 (the first begins at line 2, the file has 2)",
          "NOTHING there is no scenario at line 9 of a file that matches [ab].scenario.lua "
            + "(a.scenario.lua, b.scenario.lua)",
        ])
    #expect(
      Played(folder.select("a*:9")).verdicts == [
        "NOTHING there is no scenario at a.scenario.lua:9 (the first begins at line 2, the file has 5)"
      ])
  }
}
