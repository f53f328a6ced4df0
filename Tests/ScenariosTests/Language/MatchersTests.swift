import Testing

@testable import Scenarios

/// Matchers, `expect.equal` and `assert`.
@Suite struct MatchersTests {
  @Test(
    "a matcher can replace a value in every expectation",
    arguments: [
      "expect { n = any, name = match \"^an+$\" }", "expect { n = near(0.1, 0.2) }",
      "expect { rows = contains { note = \"b\" } }", "expect { name = contains \"nn\" }",
      "expect { user = { age = one_of { 6, 7 }, mail = one_of { none, \"m\" } } }",
      "expect { rows = { { id = any }, { note = match \"%a\" } } }",
      "expect { [\"rows[2].note\"] = one_of { match \"x\", contains \"b\" } }",
      "expect { ids = contains \"seven\" }", "expect { tags = one_of { {}, any } }",
      "expect.view.double(near(0, 0))", "expect.view.rows(contains { id = 2 })",
      "expect.view.user { name = any }", "pass.add() expect.change { n = any }",
      "pass.add() expect.change { n = near(1, 0.5) }",
      "expect.equal(view.rows(), { any, { id = 2, note = any } })",
      "expect.equal({ a = { 1, 2 } }, { a = one_of { { 1, 2 }, 3 } })",
      "expect.equal(nil, none)", "expect.equal(1, 1.0)", "expect.equal(\"a\", any)",
    ])
  func holds(body: String) throws {
    #expect(try Played.verdict(of: body) == "ok it")
  }

  @Test(
    "a mismatch shows the matcher as it was written",
    arguments: [
      ("expect { n = near(1, 0.5) }", "n: near(1, 0.5), found 0"),
      ("expect { name = near(1, 0.5) }", "name: near(1, 0.5), found \"ann\""),
      ("expect { user = { mail = any } }", "user.mail: any, found no value"),
      ("expect { name = match \"^x\" }", "name: match \"^x\", found \"ann\""),
      ("expect { n = match \"0\" }", "n: match \"0\", found 0"),
      ("expect { name = contains \"x\" }", "name: contains(\"x\"), found \"ann\""),
      (
        "expect { name = one_of { \"x\", any, 1 } } expect { n = one_of { 1, match \"%d\" } }",
        "n: one_of { 1, match \"%d\" }, found 0"
      ),
      ("expect { tags = contains(any) }", "tags: contains(any), found {}"),
      ("expect { name = { { a = any } } }", "name: { { a = any } }, found \"ann\""),
    ])
  func differs(body: String, mismatches: String) throws {
    #expect(
      try Played.verdict(of: body)
        == "FAIL a.scenario.lua:3: the state is not as expected | \(mismatches)")
  }

  @Test("expect.equal compares completely, and reports paths")
  func equal() throws {
    let told = try Played.verdict(
      of: "expect.equal({ a = 1, b = { c = 2, d = 3 } }, { b = { c = 1 } })")
    #expect(
      told == "FAIL a.scenario.lua:3: the values are not equal | b.c: 1, found 2 | "
        + "a: no value, found 1 | b.d: no value, found 3")
    #expect(
      try Played.verdict(of: "expect.equal(view.double(), 1)")
        == "FAIL a.scenario.lua:3: the values are not equal | : 1, found 0")
    #expect(try Played.verdict(of: "expect.equal({}, { 1 })").hasSuffix("{ 1 }, found {}"))
  }

  @Test(
    "an invalid matcher is an error of the scenario at its line",
    arguments: [
      ("near(1)", "near needs a number and a tolerance: near(0.3, 0.01)"),
      ("near(1, -1)", "near needs a number and a tolerance: near(0.3, 0.01)"),
      ("match(1)", "match needs a Lua pattern: match \"^r%d+$\""),
      ("one_of(\"a\")", "one_of needs a list of values: one_of { \"new\", \"sent\" }"),
      ("one_of {}", "one_of needs a list of values: one_of { \"new\", \"sent\" }"),
      ("contains()", "contains needs one value: contains \"part of a text\", contains(element)"),
      (
        "expect.equal(1)",
        "expect.equal needs the actual and the expected value: expect.equal(view.total(), 5)"
      ),
      ("assert()", "assert needs a value: assert(view.total() == 5)"),
    ])
  func mistakes(body: String, message: String) throws {
    #expect(try Played.verdict(of: body) == "ERROR a.scenario.lua:3: \(message)")
  }

  @Test("matchers work for a machine, a scope and a gatekeeper")
  func beside() throws {
    let flow = """
      state {} action.go {}
      machine.m { initial = "a", a = { go = "b" }, b = {} }
      gatekeeper.k { go = "attempt" }
      """
    #expect(
      try Played.verdict(
        of: """
          expect.machine.m(one_of { "a", "b" }) expect.gatekeeper.k(one_of { "free", "held" })
          expect.scope.root(match "^open$") expect { m = any }
          """, flow: flow) == "ok it")
    #expect(
      try Played.verdict(of: "expect.machine.m(match \"b\")", flow: flow)
        == "FAIL a.scenario.lua:3: machine m is not as expected | : match \"b\", found \"a\"")
    #expect(
      try Played.verdict(of: "expect.machine.m(one_of { \"b\", \"bb\" })", flow: flow)
        == "ERROR a.scenario.lua:3: machine m has no state bb")
  }

  @Test("a local of the scenario hides a matcher")
  func hidden() throws {
    #expect(
      try Played.verdict(
        of: "local any, near = 0, function() return \"ann\" end "
          + "expect { n = any, name = near() }") == "ok it")
  }

  // MARK: assert

  @Test(
    "a failed assertion is a failed expectation, with the values of its locals",
    arguments: [
      ("local n = 5 assert(n == 6)", "an assertion does not hold (n = 5)"),
      ("local n assert(n == 6)", "an assertion does not hold (n = nil)"),
      ("assert(view.double() == 1)", "an assertion does not hold"),
      (
        "local a, b = { x = 1 }, \"b\" assert(a.x == b, \"no good\")",
        "no good (a = { x = 1 }, b = \"b\")"
      ),
      ("assert(false, \"told\", 7, { 1 })", "told (7, { 1 })"),
      ("assert(nil, { code = 1 })", "an assertion does not hold ({ code = 1 })"),
    ])
  func asserted(body: String, message: String) throws {
    #expect(try Played.verdict(of: body) == "FAIL a.scenario.lua:3: \(message)")
  }

  @Test("assert returns its arguments if it holds")
  func passedOn() throws {
    #expect(
      try Played.verdict(
        of: "local a, b, c = assert(1, 2, nil) assert(a == 1 and b == 2 and c == nil)") == "ok it")
  }

  @Test("a failed assertion in a stub fails the scenario, whatever the effect does with it")
  func inStub() throws {
    let flow = """
      state { n = 0 } action.go {} action.failed { error = string }
      effect.go = { run = function(self) self:fetch("a") end, on_error = "failed" }
      """
    #expect(
      try Played.verdict(
        of: "stub(\"root.fetch\", function(url) assert(url == \"b\") end) pass.go() settle()",
        flow: flow) == "FAIL a.scenario.lua:3: an assertion does not hold (url = \"a\")")
  }

  @Test("assert outside of a scenario is Lua's")
  func outside() throws {
    #expect(
      try Played("assert(false, \"no helpers\")").verdicts.joined().contains("no helpers"))
  }

  @Test(
    "a matcher is no value, and given and payloads reject it",
    arguments: [
      ("given { n = any }", "any is for expectations; use the value itself here"),
      (
        "given { list = { 1, near(2, 1) } }",
        "near(2, 1) is for expectations; use the value itself here"
      ),
      (
        "pass.go { what = { a = match \"x\" } }",
        "match \"x\" is for expectations; use the value itself here"
      ),
    ])
  func isNoValue(body: String, message: String) throws {
    let flow = "state { n = 0, list = list {} } action.go { what = any }"
    #expect(try Played.verdict(of: body, flow: flow).contains(message))
  }
}
