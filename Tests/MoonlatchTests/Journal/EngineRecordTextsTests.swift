import LuaRuntime
import Testing

/// Descriptions of deviations between a changed durable effect and its record.
@Suite struct EngineRecordTextsTests {
  private func flow(_ body: String, state: String = "") -> String {
    """
    state { problem = none\(state) }
    action.go { pin = optional(string { secret = true }) } action.failed { error = string }
    action.note { text = string } action.card { number = string { secret = true }, cents = integer }
    gatekeeper.desk { go = { attempt = "x" } }
    function view.count(s) return 1 end
    function view.other(s) return 2 end
    function reduce.failed(s, a) s.problem = a.error end
    effect.go = { durable = true, on_error = "failed", run = function(self, a)
      \(body)
      sleep(1000)
    end }
    """
  }

  private func problem(_ then: String, _ now: String, _ payload: Value = [:]) throws -> String? {
    let one = try DurableCase(flow(then))
    try one.host.dispatch("go", payload)
    try one.restart(flow(now))
    return try one.host.state()["problem"]?.stringValue
  }

  @Test(
    "a deviation names the actual and the recorded call with their arguments",
    arguments: [
      ("self:a(1)", "self:a(2)", "root.a(2)", "root.a(1)"),
      ("self:a(1)", "self:b({ x = 1 })", "root.b({ x = 1 })", "root.a(1)"),
      ("self:a(1)", "sleep(5)", "sleep(5)", "root.a(1)"),
      ("sleep(0.5) self:a(1)", "self:a(1)", "root.a(1)", "sleep(0.5)"),
      ("local t = now()", "random()", "random()", "now()"),
      ("random(6)", "random(2, 6)", "random(2, 6)", "random(1, 6)"),
      (
        "dispatch.note { text = \"x\" }", "dispatch.note { text = \"y\" }",
        "dispatch.note { text = \"y\" }", "dispatch.note { text = \"x\" }"
      ),
      (
        "after(30, \"note\", { text = \"x\" })", "after(40, \"note\", { text = \"x\" })",
        "after(40, \"note\", { text = \"x\" })", "after(30, \"note\", { text = \"x\" })"
      ),
      ("after(30, \"go\")", "dispatch.go()", "dispatch.go()", "after(30, \"go\")"),
      (
        "cancel(\"note\", { text = \"x\" })", "cancel(\"note\")", "cancel(\"note\")",
        "cancel(\"note\", { text = \"x\" })"
      ),
      (
        "local t = after(9, \"go\") t:cancel()", "after(9, \"go\") now()", "now()",
        "cancel of timer 1"
      ),
      (
        "may.go()", "may(\"note\", { text = \"x\" })", "may(\"note\", { text = \"x\" })",
        "may(\"go\")"
      ),
      ("view.count()", "view.other()", "view.other()", "view.count()"),
      (
        "gatekeeper.desk:may_pass(\"x\")", "gatekeeper.desk:holder(\"x\")",
        "gatekeeper.desk:holder(\"x\")", "gatekeeper.desk:may_pass(\"x\")"
      ),
      (
        "all { a = function() now() sleep(9) end }", "race { a = function() now() sleep(9) end }",
        "function race1.1", "function all1.1"
      ),
      ("all { a = function() sleep(9) end }", "self:a(1)", "root.a(1)", "function all1.1"),
      ("pcall(function() self:z() end)", "self:a(1)", "root.a(1)", "root.z, which nobody lent,"),
      ("self:a(1) self:b(2)", "self:a(1)", "sleep(1000)", "root.b(2)"),
    ])
  func named(then: String, now: String, asked: String, recorded: String) throws {
    #expect(
      try problem(then, now)
        == "effect.go was changed while it was running: it asks for \(asked) where \(recorded) is recorded"
    )
  }

  @Test("a deviation by ending, raising or waiting too early names the recorded call")
  func early() throws {
    let prefix = "effect.go was changed while it was running: "
    #expect(
      try problem("self:a(1)", "do return end") == prefix + "it ends where root.a(1) is recorded")
    #expect(
      try problem("self:a(1)", "error(\"no\", 0)")
        == prefix + "it raises \"no\" where root.a(1) is recorded")
    #expect(
      try problem("sleep(0) self:a(1)", "sleep(0) do return end")?.hasPrefix(prefix) == true)
  }

  @Test("long values are truncated")
  func long() throws {
    let text = try #require(
      try problem("self:a((\"x\"):rep(9000))", "self:a((\"y\"):rep(9000))"))
    #expect(text.count < 600)
    #expect(text.contains("root.a(\"yyy") && text.contains("root.a(\"xxx"))
  }

  @Test("secrets are masked: in payloads, also of removed actions, and in arguments")
  func secret() throws {
    let text = try #require(
      try problem(
        "dispatch.card { number = \"4711-0815\", cents = 3 }",
        "dispatch.card { number = \"4711-9999\", cents = 4 }"))
    #expect(!text.contains("4711") && text.contains("cents = 3") && text.contains("cents = 4"))
    let called = try #require(
      try problem("self:a(a.pin)", "self:b(a.pin)", ["pin": "hunter2-secret"]))
    #expect(!called.contains("hunter2") && called.contains("root.b("))
    let one = try DurableCase(flow("dispatch.card { number = \"4711-0815\", cents = 3 }"))
    try one.host.dispatch("go")
    try one.restart(
      flow("self:a(1)").replacingOccurrences(of: "action.card", with: "action.cart"))
    #expect(
      try one.host.state()["problem"]?.stringValue?.hasSuffix(
        "it asks for root.a(1) where dispatch.card { ... } is recorded") == true)
  }
}
