import Testing

@testable import FlowKernel

/// Durable effects of a case that a new version takes over after it has renamed actions.
@Suite struct MigratedEffectsTests {
  private func flow(_ version: Int, _ tick: String, _ done: String, _ migrate: String = "")
    -> String
  {
    """
    version(\(version))
    state { log = list_of(string), problem = none }
    action.go {} internal.failed { error = string }
    internal.\(tick) { n = integer } internal.\(done) { text = string }
    function reduce.\(tick)(s, a) table.insert(s.log, "\(tick)" .. a.n) end
    function reduce.\(done)(s, a) table.insert(s.log, "\(done) " .. a.text) end
    function reduce.failed(s, a) s.problem = a.error end
    effect.go = { durable = true, on_error = "failed", run = function(self)
      local timer = after(100, "\(tick)", { n = 1 })
      after(50, "\(tick)", { n = 2 })
      after(60, "\(tick)", { n = 3 })
      dispatch.\(tick) { n = 0 }
      may("\(tick)", { n = 1 })
      cancel("\(tick)", { n = 3 })
      local a = self:a(1)
      sleep(70)
      timer:cancel()
      dispatch.\(done) { text = a }
    end }
    \(migrate)
    """
  }

  private let second = "migrate.actions_2 { tick = \"tock\" }"
  private let third = "migrate.actions_3 { tock = \"tack\", done = \"fine\" }"

  private func underWay() throws -> DurableCase {
    let one = try DurableCase(flow(1, "tick", "done"))
    try one.host.dispatch("go")
    try one.host.advance(5)
    return one
  }

  @Test("recorded dispatches and timers of an effect are matched under the new names")
  func renamed() throws {
    let one = try underWay()
    let text = flow(2, "tock", "done", second)
    #expect(try one.deviations(under: text) == [])
    try one.restart(text)
    try one.host.advance(10)
    // The records have the new names from then on.
    try one.restart(text)
    try one.host.advance(200)
    #expect(try one.host.state()["problem"] == nil)
    #expect(try one.host.state()["log"] == ["tick0", "tock2", "done A"])
    #expect(one.heard.calls == ["a(1)"])
  }

  @Test("the renames of several versions are applied in sequence, in one process or several")
  func chained() throws {
    let both = flow(3, "tack", "fine", second + "\n" + third)
    let atOnce = try underWay()
    try atOnce.restart(both)
    try atOnce.host.advance(200)
    let stepwise = try underWay()
    try stepwise.restart(flow(2, "tock", "done", second))
    try stepwise.restart(both)
    try stepwise.host.advance(200)
    for one in [atOnce, stepwise] {
      #expect(try one.host.state()["problem"] == nil)
      #expect(try one.host.state()["log"] == ["tick0", "tack2", "fine A"])
    }
  }

  @Test("without a rename the effect ends, with both names in the error")
  func unnamed() throws {
    let one = try underWay()
    let text = flow(2, "tock", "done")
    #expect(
      try one.deviations(under: text) == [
        "effect.go was changed while it was running: it asks for after(100, \"tock\", { n = 1 }) where "
          + "after(100, \"tick\", { n = 1 }) is recorded"
      ])
  }

  @Test("an effect continues under its action's new name, with new names of its follow-up actions")
  func ownEffect() throws {
    func flow(_ go: String, _ failed: String, _ more: String, _ rest: String) -> String {
      """
      \(more)
      state { problem = none }
      action.\(go) {} internal.\(failed) { error = string }
      function reduce.\(failed)(s, a) s.problem = a.error end
      effect.\(go) = { durable = true, on_error = "\(failed)", run = function(self)
        sleep(10) \(rest)
      end }
      """
    }
    let raise = "error(\"late\", 0)"
    let one = try DurableCase(flow("go", "failed", "", raise))
    try one.host.dispatch("go")
    let text = flow(
      "start", "broken",
      "version(2) migrate.actions_2 { go = \"start\", failed = \"broken\" }", raise)
    #expect(try one.deviations(under: text) == [])
    try one.restart(text)
    try one.host.advance(10)
    #expect(try one.host.state()["problem"] == "late")
  }

  @Test("a reload renames the actions of running effects and of their records")
  func reloaded() throws {
    let one = try underWay()
    let text = flow(2, "tock", "done", second)
    try one.host.reload(to: LoadedFlow(source: text, name: "f.lua"))
    try one.host.advance(20)
    try one.restart(text)
    try one.host.advance(200)
    #expect(try one.host.state()["problem"] == nil)
    #expect(try one.host.state()["log"] == ["tick0", "tock2", "done A"])
    let other = try underWay()
    let renamed = flow(2, "tick", "fine", "migrate.actions_2 { done = \"fine\" }")
    try other.host.reload(to: LoadedFlow(source: renamed, name: "f.lua"))
    try other.host.advance(200)
    #expect(try other.host.state()["log"] == ["tick0", "tick2", "fine A"])
  }
}
