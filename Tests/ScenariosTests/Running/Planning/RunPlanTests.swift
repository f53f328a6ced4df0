import Testing

@testable import Scenarios

@Suite struct RunPlanTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.write(Played.flow, to: "flow.lua")
    try folder.write(
      """
      flow "flow.lua"
      scenario("Opens", { tags = { "smoke" } }, function() end)
      scenario("shuts", { tags = { "smoke", "slow" } }, function() end)
      """, to: "a.scenario.lua")
    try folder.write("scenario(", to: "b.scenario.lua")
  }

  private func ids(_ change: (inout ScenarioFilter) throws -> Void) rethrows -> [String] {
    var filter = ScenarioFilter()
    try change(&filter)
    return RunPlan(folder.select("."), filter: filter).units.map(\.id)
  }

  @Test("without a filter everything is planned, including files that cannot be loaded")
  func all() {
    #expect(ids { _ in } == ["a.scenario.lua:Opens", "a.scenario.lua:shuts", "b.scenario.lua"])
  }

  @Test("a text selects by name, case-insensitively, and several texts add up")
  func texts() {
    #expect(ids { $0.texts = ["open"] } == ["a.scenario.lua:Opens", "b.scenario.lua"])
    #expect(ids { $0.texts = ["open", "SHUT"] }.count == 3)
    #expect(ids { $0.texts = ["none"] } == ["b.scenario.lua"])
  }

  @Test("tags select")
  func tags() throws {
    #expect(
      try ids { $0.tags = try TagExpression("smoke and not slow") }
        == ["a.scenario.lua:Opens", "b.scenario.lua"])
  }

  @Test("the last failures are selected by scenario or file name")
  func lastFailed() {
    #expect(ids { $0.among = ["a.scenario.lua:shuts"] } == ["a.scenario.lua:shuts"])
    #expect(ids { $0.among = ["b.scenario.lua"] } == ["b.scenario.lua"])
    #expect(ids { $0.among = [] }.isEmpty)
  }

  @Test("each repetition of a run has every job")
  func repeats() {
    let plan = RunPlan(folder.select("a.scenario.lua"), filter: ScenarioFilter())
    let jobs = plan.jobs(repeats: 2)
    #expect(jobs.map(\.number) == [0, 1, 2, 3])
    #expect(jobs.map(\.attempt) == [1, 1, 2, 2])
    #expect(jobs.map(\.entries) == [[1], [2], [1], [2]])
  }
}
