import Testing

@testable import FlowHosting
@testable import FlowKernel

/// `revised`, a branch for effects from before and after a change.
@Suite struct RevisedEffectsTests {
  private func flow(_ body: String, durable: Bool = true) -> String {
    """
    state { log = list_of(string), problem = none }
    action.go {} internal.note { text = string } internal.failed { error = string }
    function reduce.note(s, a) table.insert(s.log, a.text) end
    function reduce.failed(s, a) s.problem = a.error end
    effect.go = { durable = \(durable), on_error = { action = "failed", faults = true }, run = function(self)
      \(body)
    end }
    """
  }

  private func log(_ one: DurableCase) throws -> [String?]? {
    #expect(try one.host.state()["problem"] == nil)
    return try one.host.state()["log"]?.listValue?.map(\.stringValue)
  }

  private let before = "local x = self:a(1) sleep(10) dispatch.note { text = x }"
  private let after = """
    local x
    if revised("2027-b") then x = self:b(1) else x = self:a(1) end
    sleep(10) dispatch.note { text = x }
    """

  @Test(
    "with revised, an effect from before a change uses the old branch, and a new one the new branch"
  )
  func both() throws {
    let one = try DurableCase(flow(before))
    try one.host.dispatch("go")
    #expect(try one.deviations(under: flow(after)) == [])
    try one.restart(flow(after))
    try one.host.dispatch("go")
    try one.restart(flow(after))
    try one.host.advance(20)
    #expect(try log(one) == ["A", "B"])
    #expect(one.heard.calls == ["a(1)", "b(1)"])
  }

  @Test("an effect that reaches revised only after the change uses the new branch")
  func live() throws {
    let one = try DurableCase(flow("sleep(5) " + before))
    try one.host.dispatch("go")
    try one.restart(flow("sleep(5) " + after))
    try one.host.advance(5)
    try one.restart(flow("sleep(5) " + after))
    try one.host.advance(20)
    #expect(try log(one) == ["B"])
    #expect(one.heard.calls == ["b(1)"])
  }

  @Test("the answer of revised for a name is fixed for an effect, across restarts")
  func sameAnswer() throws {
    func loop(_ asked: String) -> String {
      flow("for i = 1, 4 do dispatch.note { text = \(asked) and \"new\" or \"old\" } sleep(10) end")
    }
    let old = try DurableCase(loop("false"))
    try old.host.dispatch("go")
    try old.host.advance(12)
    try old.restart(loop("revised(\"x\")"))
    try old.host.advance(10)
    try old.restart(loop("revised(\"x\")"))
    try old.host.advance(20)
    #expect(try log(old) == ["old", "old", "old", "old"])
    let new = try DurableCase(loop("revised(\"x\")"))
    try new.host.dispatch("go")
    for _ in 0..<8 {
      try new.restart(loop("revised(\"x\")"))
      try new.host.advance(5)
    }
    #expect(try log(new) == ["new", "new", "new", "new"])
  }

  @Test("several names of revised are independent, in concurrent functions too")
  func several() throws {
    let first =
      "all { a = function() sleep(1) end, b = function() sleep(2) self:a(1) sleep(20) end }"
    let second = """
      all {
        a = function() sleep(1) if revised("one") then dispatch.note { text = "one" } end sleep(30) end,
        b = function() sleep(2) if revised("two") then self:b(1) else self:a(1) end sleep(20) end,
      }
      if revised("three") then dispatch.note { text = "three" } end
      sleep(50)
      """
    let old = try DurableCase(flow(first))
    try old.host.dispatch("go")
    try old.host.advance(3)
    // Function a has ended in the old text, and sleeps in the new one.
    #expect(try old.deviations(under: flow(second)).count == 1)
    let new = try DurableCase(flow(second))
    try new.host.dispatch("go")
    for _ in 0..<6 {
      try new.host.advance(7)
      try new.restart(flow(second))
    }
    #expect(try log(new) == ["one", "three"])
    #expect(new.heard.calls == ["b(1)"])
  }

  @Test("a recorded answer of revised is skipped if a later text no longer asks")
  func removed() throws {
    let one = try DurableCase(flow(after))
    try one.host.dispatch("go")
    let text = flow("local x = self:b(1) sleep(10) dispatch.note { text = x }")
    #expect(try one.deviations(under: text) == [])
    try one.restart(text)
    try one.host.advance(20)
    #expect(try log(one) == ["B"])
  }

  @Test("revised is true in a plain effect, and without a journal")
  func plain() throws {
    let one = try DurableCase(flow(after, durable: false))
    try one.host.dispatch("go")
    try one.host.advance(10)
    #expect(try log(one) == ["B"])
    let host = try FlowHost(
      source: flow("dispatch.note { text = tostring(revised(\"x\")) }"),
      options: HostOptions(clock: .virtual, report: { _ in }))
    try host.dispatch("go")
    #expect(try host.state()["log"] == ["true"])
  }

  @Test(
    "revised takes a non-empty text, and may only be called in effects",
    arguments: ["revised()", "revised(\"\")", "revised(3)", "revised(\"\\xff\")", "revised({})"])
  func misuse(call: String) throws {
    let one = try DurableCase(flow(call))
    try one.host.dispatch("go")
    #expect(
      try one.host.state()["problem"]?.stringValue?.hasSuffix(
        "revised takes the name of a change: revised(\"2027-retry\")") == true)
    let reducer = try FlowHost(
      source: "state {} action.go {} function reduce.go(s) \(call) end",
      options: HostOptions(report: { _ in }))
    let outcome = try reducer.dispatch("go")
    #expect("\(outcome)".contains("cannot call revised; only an effect can"), "\(outcome)")
  }
}
