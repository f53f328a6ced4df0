import Testing

@testable import Scenarios

/// `pass`, `refuse`, `fail` with `:because` and `:by`, and `dispatch`.
@Suite struct DispatchingTests {
  @Test(
    "an expected outcome passes",
    arguments: [
      "pass.add()", "pass.add { by = 2 }", "pass[\"T02 Check\"]()", "pass.enter {}",
      "refuse.mute()", "pass.shut() refuse.enter()", "fail.boom()", "fail.add { by = \"x\" }",
      "fail.nothing()", "fail.spin()",
    ])
  func holds(body: String) throws {
    #expect(try Played.verdict(of: body) == "ok it")
  }

  @Test("a dispatch that has filled the memory fails, and the scenario continues")
  func memory() throws {
    let flow = """
      state { n = 0 }
      action.eat {}
      action.ok {}
      function reduce.eat(s) local t = {} for i = 1, 1e9 do t[i] = ("x"):rep(100) .. i end end
      function reduce.ok(s) s.n = s.n + 1 end
      """
    let text = """
      scenario("a", function()
        for i = 1, 3 do fail.eat():by("limit") pass.ok() expect { n = i } end
      end)
      """
    #expect(try Played(text, flow: flow).verdicts == ["ok a"])
  }

  @Test(
    "an unexpected outcome fails with the actual one",
    arguments: [
      (
        "pass.mute()",
        "mute was to pass, but it was refused: gate mute gave no reason (flow.lua:32)"
      ),
      (
        "pass.shut() pass.enter()",
        "enter was to pass, but it was refused by gate enter: it is shut"
      ),
      (
        "pass.boom()",
        "boom was to pass, but it failed: flow.lua:20: attempt to index a nil value (field 'first')"
      ),
      ("pass.ad()", "ad was to pass, but it failed: there is no action ad; did you mean add?"),
      ("refuse.add()", "add was to be refused, but it passed"),
      ("fail.add()", "add was to fail, but it passed"),
      (
        "refuse.add { by = \"x\" }",
        "add was to be refused, but it failed: action add: by must be a number, got \"x\""
      ),
      (
        "fail.mute()",
        "mute was to fail, but it was refused: gate mute gave no reason (flow.lua:32)"
      ),
    ])
  func differs(body: String, message: String) throws {
    #expect(try Played.verdict(of: body) == "FAIL a.scenario.lua:3: \(message)")
  }

  @Test(
    ":because matches a literal part of the reason, and :by the rule that refused",
    arguments: [
      "pass.shut() refuse.enter():because(\"it is\"):because(\"shut\"):by(\"gate enter\")",
      "refuse.mute():because(\"gave no reason\"):by(\"gate mute\")",
      "fail.add { by = \"x\" }:by(\"payload\"):because(\"by must be a number\")",
      "fail.nothing():by(\"undeclared\")",
      "fail.boom():by(\"script\"):because(\"(field 'first')\")",
      "fail.add { by = 200 }:by(\"invariant\"):because(\"n is 200\")",
      "fail.spin():by(\"limit\"):because(\"instruction\")",
    ])
  func reasons(body: String) throws {
    #expect(try Played.verdict(of: body) == "ok it")
  }

  @Test(
    "another reason fails with the actual one",
    arguments: [
      (
        "pass.shut() refuse.enter():because(\".*\")",
        "enter was to be refused because of \".*\", but it was refused by gate enter: it is shut"
      ),
      (
        "pass.shut() refuse.enter():by(\"gate exit\")",
        "enter was to be refused by gate exit, but it was refused by gate enter: it is shut"
      ),
      (
        "fail.add { by = 200 }:because(\"n is 3\")",
        "add was to fail because of \"n is 3\", but it failed: "
          + "flow.lua:40: invariant.small does not hold: n is 200"
      ),
      (
        "fail.add { by = 200 }:by(\"payload\")",
        "add was to fail by payload, but it failed by invariant: "
          + "flow.lua:40: invariant.small does not hold: n is 200"
      ),
    ])
  func otherReason(body: String, message: String) throws {
    #expect(try Played.verdict(of: body) == "FAIL a.scenario.lua:3: \(message)")
  }

  @Test(
    "a payload that is not plain data fails like an invalid payload",
    arguments: [
      (
        "fail.put { field = \"n\", value = print }:by(\"payload\"):because(\"value: a function\")",
        "ok it"
      ),
      (
        "pass.put { field = \"n\", value = { 1, print } }",
        "FAIL a.scenario.lua:3: put was to pass, but it failed: "
          + "action put: value[2]: a function is not plain data"
      ),
      (
        "local c = {} c.c = c fail.put { field = \"n\", value = c }:by(\"payload\")", "ok it"
      ),
      ("fail.nothing { f = print }:by(\"undeclared\")", "ok it"),
      (
        "pass.add(5)",
        "FAIL a.scenario.lua:3: add was to pass, but it failed: "
          + "action add: the payload must be a record of by, got 5"
      ),
    ])
  func unplain(body: String, verdict: String) throws {
    #expect(try Played.verdict(of: body) == verdict)
  }

  @Test(
    "a failed dispatch, even an endless one, leaves the state unchanged, and the scenario continues"
  )
  func goesOn() throws {
    let body = """
      fail.spin()
      fail.boom()
      fail.add { by = 1000 }
      expect { n = 0 }
      pass.add()
      expect { n = 1 }
      """
    #expect(try Played.verdict(of: body) == "ok it")
  }

  @Test("dispatch requires nothing and returns the outcome")
  func dispatch() throws {
    let body = """
      for _, name in ipairs { "add", "mute", "boom", "nothing" } do
        local outcome = dispatch(name)
        print(outcome.kind, outcome.by, outcome.reason)
        print(outcome.text)
      end
      print(dispatch("add", { by = 3 }).revision)
      """
    let played = try Played("scenario(\"it\", function()\n\(body)\nend)")
    #expect(
      played.printed == [
        "passed\tnil\tnil", "add passed (#1)",
        "refused\tgate mute\tgate mute gave no reason (flow.lua:32)",
        "gate mute gave no reason (flow.lua:32)",
        "failed\tscript\tattempt to index a nil value (field 'first')",
        "flow.lua:20: attempt to index a nil value (field 'first')",
        "failed\tundeclared\tthere is no action nothing", "there is no action nothing", "2",
      ])
  }

  @Test(
    "a misused word is an error that says how to use it",
    arguments: [
      ("pass(\"add\")", "pass is followed by a name: pass.NAME(...) or pass[\"NAME\"](...)"),
      ("pass.add = 1", "pass cannot be changed"),
      ("dispatch()", "dispatch needs the name of an action: dispatch(\"NAME\", { ... })"),
      ("refuse.mute():becuase(\"x\")", "there is no :becuase(...); did you mean because?"),
      ("refuse.mute().because(\"x\")", "write :because(\"text\"), with a colon and a string"),
      ("refuse.mute():by()", "write :by(\"text\"), with a colon and a string"),
      ("fail.boom().by = 1", "an outcome cannot be changed"),
    ])
  func misuse(body: String, message: String) throws {
    #expect(try Played.verdict(of: body) == "ERROR a.scenario.lua:3: \(message)")
  }

  @Test("pcall does not hide a failed expectation")
  func pcallHidesNothing() throws {
    let body = "pcall(pass.mute)\nprint(\"went on\")"
    #expect(
      try Played.verdict(of: body)
        == "FAIL a.scenario.lua:3: mute was to pass, but it was refused: "
        + "gate mute gave no reason (flow.lua:32)")
  }

  @Test("a dispatch by name works as in an effect")
  func dispatchByName() throws {
    #expect(try Played.verdict(of: "dispatch.add() expect { n = 1 }") == "ok it")
    #expect(try Played.verdict(of: "dispatch.add { by = 2 } expect { n = 2 }") == "ok it")
  }

  @Test("an action or the state used as a global is an error that says what to write")
  func meant() throws {
    #expect(
      try Played.verdict(of: "add()").contains(
        "global add is not defined; dispatch an action with pass.add(...)"))
    #expect(
      try Played.verdict(of: "assert(s.n == 0)").contains(
        "a scenario sees the state through expect { field = value } and view.NAME()"))
  }
}
