import Testing

/// Trials of active durable effects against a text before it takes over their case.
@Suite struct EngineRunningAgainTests {
  private func flow(_ body: String, on_error: String = "", durable: Bool = true) -> String {
    """
    state { log = list_of(string), problem = none }
    action.go {} internal.note { text = string } internal.failed { error = string }
    function reduce.note(s, a) table.insert(s.log, a.text) end
    function reduce.failed(s, a) s.problem = a.error end
    effect.go = { durable = \(durable), on_error = "failed", run = function(self)
      \(body)
    end }
    """
  }

  private let body = """
    print("begun")
    local a = self:a(1)
    local both = all {
      one = function() sleep(5) return self:b(now()) end,
      two = function() sleep(9) dispatch.note { text = "two" } sleep(100) end,
    }
    """

  private func underWay(_ text: String, for seconds: Double = 20) throws -> DurableCase {
    let one = try DurableCase(text)
    try one.host.dispatch("go")
    try one.host.advance(seconds)
    return one
  }

  @Test("the same text has no deviation, and the check calls, prints and dispatches nothing")
  func same() throws {
    let one = try underWay(flow(body))
    let before = (one.heard.calls, one.heard.prints)
    #expect(try one.deviations(under: flow(body)) == [])
    #expect(try one.deviations(under: flow(body + " self:c(1) error(\"later\")")) == [])
    #expect(one.heard.calls == before.0 && one.heard.prints == before.1)
    try one.restart(flow(body))
    try one.host.advance(200)
    #expect(try one.host.state()["log"] == ["two"])
    #expect(one.heard.calls.count == 2)
  }

  @Test(
    "a different call anywhere is reported, in concurrent functions too",
    arguments: [
      ("self:a(1)", "self:a(2)", "root.a(2) where root.a(1)"),
      ("self:b(now())", "self:c(1)", "root.c(1) where now()"),
      ("text = \"two\"", "text = \"three\"", "dispatch.note { text = \"three\" }"),
      ("local both = all", "local both = race", "function race1.1 where function all1.1"),
      ("print(\"begun\")", "pcall(function() self:z() end) self:b(0)", "root.z() where root.a(1)"),
    ])
  func other(old: String, new: String, told: String) throws {
    let one = try underWay(flow(body))
    let text = flow(body.replacingOccurrences(of: old, with: new))
    let deviations = try one.deviations(under: text)
    #expect(deviations.count == 1)
    #expect(deviations.first?.contains(told) == true, "\(deviations)")
    try one.restart(text)
    #expect(try one.host.state()["problem"]?.stringValue == deviations.first)
  }

  @Test("an effect that was removed, or is no longer durable, is reported")
  func gone() throws {
    let one = try underWay(flow(body))
    #expect(
      try one.deviations(
        under: flow(body).replacingOccurrences(of: "effect.go", with: "effect.note"))
        == ["effect.go is running, and the flow no longer has that effect"])
    #expect(
      try one.deviations(under: flow(body, durable: false))
        == ["effect.go is running, and is no longer durable"])
  }

  @Test("each of several deviating effects is reported, and no finished one")
  func several() throws {
    let one = try underWay(flow("self:a(1) sleep(10)"), for: 1)
    try one.host.dispatch("go")
    #expect(try one.deviations(under: flow("self:b(1) sleep(10)")).count == 2)
    try one.host.advance(60)
    #expect(try one.deviations(under: flow("self:b(1) sleep(10)")) == [])
  }
}
