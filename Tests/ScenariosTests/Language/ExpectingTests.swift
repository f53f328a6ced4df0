import Testing

@testable import Scenarios

/// `expect`, `expect.state`, `expect.change`, `expect.view`, and `given`.
@Suite struct ExpectingTests {
  @Test(
    "expectations of existing values hold",
    arguments: [
      "expect { n = 0 }", "expect { n = 0.0 }", "expect {}", "expect { user = { name = \"bob\" } }",
      "expect { user = { mail = none } }", "expect { tags = {}, files = {} }",
      "expect { rows = { { note = \"a\" }, { id = 2 } } }", "expect { [\"rows[2].note\"] = \"b\" }",
      "expect { [\"user.name\"] = \"bob\" }", "expect { ids = map { [7] = \"seven\" } }",
      "expect { [\"ids[7]\"] = \"seven\", [\"ids[8]\"] = none }",
      "pass.file { name = \"a.txt\", size = 3 } expect { files = { [\"a.txt\"] = 3 } }",
      "pass.file { name = \"a.txt\", size = 3 } expect { [\"files[\\\"a.txt\\\"]\"] = 3 }",
      "expect.view.double(0)", "expect.view.mail(none)", "expect.view.mail(nil)",
      "expect.view.rows { { id = 1 }, { note = \"b\" } }", "expect.view.user { name = \"bob\" }",
      "expect.view.user { name = \"bob\", mail = none }",
    ])
  func holds(body: String) throws {
    #expect(try Played.verdict(of: body) == "ok it")
  }

  @Test(
    "a mismatch is reported by its path",
    arguments: [
      ("expect { n = 1, name = \"bo\" }", "n: 1, found 0 | name: \"bo\", found \"ann\""),
      ("expect { n = \"0\" }", "n: \"0\", found 0"),
      ("expect { user = { mail = \"m\" } }", "user.mail: \"m\", found no value"),
      ("expect { user = none }", "user: no value, found { age = 7, name = \"bob\" }"),
      (
        "expect { rows = { { note = \"x\" } } }",
        "rows[1].note: \"x\", found \"a\" | rows[2]: no value, found { id = 2, note = \"b\" }"
      ),
      (
        "expect { rows = {} }",
        "rows: {}, found { { id = 1, note = \"a\" }, { id = 2, note = \"b\" } }"
      ),
      ("expect { [\"rows[3].note\"] = \"c\" }", "rows[3].note: \"c\", found no value"),
      ("expect { files = { [\"a.txt\"] = 1 } }", "files.a.txt: 1, found no value"),
    ])
  func differs(body: String, mismatches: String) throws {
    #expect(
      try Played.verdict(of: body)
        == "FAIL a.scenario.lua:3: the state is not as expected | \(mismatches)")
  }

  @Test("a mismatch in a view is reported by its path")
  func views() throws {
    #expect(
      try Played.verdict(of: "expect.view.double(1)")
        == "FAIL a.scenario.lua:3: view double is not as expected | : 1, found 0")
    #expect(
      try Played.verdict(of: "expect.view.user { age = 8 }")
        == "FAIL a.scenario.lua:3: view user is not as expected | age: 8, found 7")
  }

  @Test("expect.state compares the whole state, so that unnamed fields must not exist")
  func whole() throws {
    let flow = "state { a = 1, user = { name = \"bob\", age = 7 }, none_yet = none }\naction.x {}"
    let holds = "expect.state { a = 1, user = { name = \"bob\", [\"age\"] = 7 } }"
    #expect(try Played.verdict(of: holds, flow: flow) == "ok it")
    let paths = "expect.state { a = 1, [\"user.name\"] = \"bob\", [\"user.age\"] = 7 }"
    #expect(try Played.verdict(of: paths, flow: flow) == "ok it")
    let less = "expect.state { user = { name = \"bob\" } }"
    #expect(
      try Played.verdict(of: less, flow: flow)
        == "FAIL a.scenario.lua:3: the state is not as expected | a: no value, found 1 "
        + "| user.age: no value, found 7")
  }

  @Test(
    "expect.change holds for exactly the changes of the last commit",
    arguments: [
      "pass.add() expect.change { n = 1 }", "pass.enter() expect.change {}",
      "pass.note { row = 2, text = \"x\" } expect.change { [\"rows[2].note\"] = \"x\" }",
      "pass.note { row = 2, text = \"x\" } expect.change { rows = { {}, { note = \"x\" } } }",
      "pass.user { field = \"name\", value = \"x\" } expect.change { user = { name = \"x\" } }",
      "pass.add() refuse.mute() fail.boom() expect.change { n = 1 }",
      "pass.add { by = 0 } expect.change {}",
      "pass.file { name = \"f.x\", size = 1 } expect.change { files = { [\"f.x\"] = 1 } }",
      "pass.file { name = \"f\", size = 1 } pass.file { name = \"f\" } "
        + "expect.change { files = { f = none } }",
      "pass.file { name = \"f.x\", size = 1 } pass.file { name = \"f.x\" } "
        + "expect.change { files = { [\"f.x\"] = none } }",
    ])
  func change(body: String) throws {
    let body = body.replacing("{ {}, {", with: "{ { id = 1 }, {")
    #expect(try Played.verdict(of: body) == "ok it")
  }

  @Test(
    "a different change is reported leaf by leaf",
    arguments: [
      (
        "pass.add() expect.change {}",
        "add (#1) did not change what was expected | n: no change, found 0 -> 1"
      ),
      (
        "pass.add() expect.change { n = 2, name = \"bo\" }",
        "add (#1) did not change what was expected | n: 2, found 1 "
          + "| name: to change to \"bo\", found unchanged, \"ann\""
      ),
      (
        "pass.add() pass.enter() expect.change { n = 1 }",
        "enter (#2) did not change what was expected | n: to change to 1, found unchanged, 1"
      ),
      ("expect.change { n = 1 }", "no action has passed yet, so there is no change to check"),
    ])
  func otherChange(body: String, message: String) throws {
    #expect(try Played.verdict(of: body) == "FAIL a.scenario.lua:3: \(message)")
  }

  @Test(
    "a field that the state does not declare is an error of the scenario",
    arguments: [
      ("expect { nn = 1 }", "state has no field nn"),
      ("expect { user = { nmae = 1 } }", "state.user has no field nmae; did you mean name?"),
      ("expect { [\"user.nmae\"] = 1 }", "state.user has no field nmae; did you mean name?"),
      ("expect.state { opne = 1 }", "state has no field opne; did you mean open?"),
      ("pass.add() expect.change { nn = 1 }", "state has no field nn"),
      ("given { opne = false }", "state has no field opne; did you mean open?"),
      ("expect.view.dubble(1)", "there is no view dubble; did you mean double?"),
    ])
  func unknown(body: String, message: String) throws {
    #expect(try Played.verdict(of: body) == "ERROR a.scenario.lua:3: \(message)")
  }

  @Test(
    "a wrong form of an expectation is an error that shows the right one",
    arguments: [
      ("expect(1)", "expect needs a table of fields: expect { field = value }"),
      ("expect { 1 }", "expect needs a table of fields: expect { field = value }"),
      ("expect()", "expect needs a table of fields: expect { field = value }"),
      ("expect { n = print }", "expect: n: a function is not plain data"),
      ("expect.chagne {}", "there is no expect.chagne; did you mean change?"),
      ("expect.machin.door(\"open\")", "there is no expect.machin; did you mean machine?"),
      ("expect.x = 1", "expect cannot be changed"),
      ("expect.view.double()", "expect.view.double needs the expected value"),
      (
        "expect.view(1)",
        "expect.view is followed by a name: expect.view.NAME(...) or expect.view[\"NAME\"](...)"
      ),
      ("given(1)", "given needs a table of fields: given { field = value }"),
      ("given { n = print }", "given: n: a function is not plain data"),
    ])
  func misuse(body: String, message: String) throws {
    #expect(try Played.verdict(of: body) == "ERROR a.scenario.lua:3: \(message)")
  }

  @Test("a view that raises is an error of the scenario, with the view's line")
  func brokenView() throws {
    #expect(
      try Played.verdict(of: "expect.view.broken(1)").hasPrefix(
        "ERROR a.scenario.lua:3: flow.lua:38: no view today"))
  }

  // MARK: given

  @Test("given merges into the initial state: records partially, lists completely")
  func given() throws {
    let body = """
      given { n = 7, user = { name = "eve" }, rows = { { id = 9, note = "z" } } }
      given { user = { age = 8 } }
      expect { n = 7, user = { name = "eve", age = 8 }, rows = { { id = 9, note = "z" } } }
      pass.add()
      expect.change { n = 8 }
      """
    #expect(try Played.verdict(of: body) == "ok it")
  }

  @Test("given makes no commit")
  func givenIsNoCommit() throws {
    let body = "given { n = 7 }\nexpect.change { n = 7 }"
    #expect(
      try Played.verdict(of: body)
        == "FAIL a.scenario.lua:4: no action has passed yet, so there is no change to check")
  }

  @Test("given must come before the first action, even a refused one")
  func givenLate() throws {
    #expect(
      try Played.verdict(of: "refuse.mute()\ngiven { n = 7 }")
        == "ERROR a.scenario.lua:4: given must come before the first action")
  }

  @Test("given must satisfy the invariants and the types of fields")
  func givenBroken() throws {
    #expect(
      try Played.verdict(of: "given { n = 100 }")
        == "ERROR a.scenario.lua:3: given: invariant.small does not hold: n is 100")
    #expect(
      try Played.verdict(of: "given { user = { name = none } }").hasPrefix(
        "ERROR a.scenario.lua:3: given: "))
  }

  // MARK: Maps with integer keys

  private static let till = """
    state { till = map {}, shelf = map { [3] = { n = 1, note = "x" } }, rows = list { "a", "b" } }
    action.put { coin = integer, n = optional(integer) } action.both {}
    function reduce.put(s, a) s.till[a.coin] = a.n end
    function reduce.both(s) s.till[1], s.till[50], s.shelf[3].n = 1, 3, 2 end
    function view.till(s) return s.till end
    """

  @Test(
    "an expectation of a map with integer keys reads them as keys",
    arguments: [
      "pass.put { coin = 50, n = 3 } expect.change { till = { [50] = 3 } }",
      "pass.put { coin = 50, n = 3 } expect { till = { [50] = 3 } } expect.state "
        + "{ till = { [50] = 3 }, shelf = { [3] = { n = 1, note = \"x\" } }, rows = { \"a\", \"b\" } }",
      "pass.put { coin = 50, n = 3 } pass.put { coin = 1, n = 2 } expect.change { till = { 2 } } "
        + "expect { till = { 2 } } expect { till = { [50] = 3 } } expect { till = { 2, [50] = 3 } }",
      "pass.put { coin = 50, n = 3 } pass.put { coin = 50 } expect.change { till = { [50] = none } }",
      "pass.both() expect.change { till = { [50] = 3, 1 }, shelf = { [3] = { n = 2 } } }",
      "pass.both() expect.view.till { [50] = 3 }", "expect { rows = { [2] = \"b\" } }",
      "given { till = { [50] = 2 } } expect { till = { [50] = 2 } } pass.put { coin = 7, n = 1 }",
      "given { till = { 5 }, shelf = { [9] = { n = 1 } } } pass.put { coin = 50, n = 1 } "
        + "expect { till = { 5, [50] = 1 }, shelf = { [3] = { n = 1 }, [9] = { n = 1 } } }",
      "local coins = { [50] = 3 } given { till = coins } expect { till = coins } coins[51] = 1",
    ])
  func maps(body: String) throws {
    #expect(try Played.verdict(of: body, flow: ExpectingTests.till) == "ok it")
  }

  @Test(
    "differences in a map are reported element by element",
    arguments: [
      (
        "pass.both() expect.change { till = { [50] = 4 } }",
        "both (#1) did not change what was expected | till[50]: 4, found 3 "
          + "| shelf[3].n: no change, found 1 -> 2 | till[1]: no change, found no value -> 1"
      ),
      (
        "pass.both() expect { till = { [7] = 1 } }",
        "the state is not as expected | till[7]: 1, found no value"
      ),
      (
        "pass.both() expect.state { till = { [50] = 3 }, shelf = { [3] = { n = 2 } }, rows = { \"a\", \"b\" } }",
        "the state is not as expected | shelf[3].note: no value, found \"x\" "
          + "| till[1]: no value, found 1"
      ),
    ])
  func otherMaps(body: String, message: String) throws {
    #expect(
      try Played.verdict(of: body, flow: ExpectingTests.till)
        == "FAIL a.scenario.lua:3: \(message)")
  }

  @Test("a list that is given must have no holes")
  func givenHoles() throws {
    #expect(
      try Played.verdict(of: "given { rows = { [3] = \"c\" } }", flow: ExpectingTests.till)
        == "ERROR a.scenario.lua:3: given: rows: a list has keys 1 to n without holes (map { } takes any integer)"
    )
  }
}
