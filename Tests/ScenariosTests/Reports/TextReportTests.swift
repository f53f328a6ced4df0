import Testing

@testable import Scenarios

@Suite struct TextReportTests {
  private func report(_ text: String) throws -> String { try Played(text).report }

  @Test("a passed scenario is one line, with its printed lines")
  func ok() throws {
    #expect(
      try report("scenario(\"all is well\", function() print(\"a\\nb\") end)") == """
        ok    a.scenario.lua:2  all is well
              | a
              | b
        """)
  }

  @Test("a skipped scenario has its reason")
  func skipped() throws {
    #expect(
      try report("scenario(\"later\", { skip = \"no gate yet\" }, function() end)")
        == "skip  a.scenario.lua:2  later (no gate yet)")
  }

  @Test("a failed expectation has its source, the differences and the last dispatches")
  func failed() throws {
    let text = """
      scenario("two coins", function()
        pass.add()
        refuse.mute()
        fail.add { by = "five" }
        expect { n = 2, user = { mail = "a@b" } }
      end)
      """
    #expect(
      try report(text) == """
        FAIL  a.scenario.lua:2  two coins
              a.scenario.lua:6: the state is not as expected
                  5 |   fail.add { by = "five" }
                > 6 |   expect { n = 2, user = { mail = "a@b" } }
                  7 | end)
              - n
                  expected: 2
                  found:    1
              - user.mail
                  expected: "a@b"
                  found:    no value
              the last dispatches:
                add {}  passed (#1)
                  n: 0 -> 1
                mute {}  gate mute gave no reason (flow.lua:32)
                add { by = "five" }  failed (payload): action add: by must be a number, got "five"
              again: moonlatch run a.scenario.lua:2
        """)
  }

  @Test("an unexpected refusal names the rule and its location")
  func refused() throws {
    let text = """
      scenario("enters", function()
        pass.shut()
        pass.enter()
      end)
      """
    #expect(
      try report(text) == """
        FAIL  a.scenario.lua:2  enters
              a.scenario.lua:4: enter was to pass, but it was refused by gate enter: it is shut
                  3 |   pass.shut()
                > 4 |   pass.enter()
                  5 | end)
              the last dispatches:
                shut {}  passed (#1)
                  open: true -> false
                enter {}  refused by gate enter: it is shut  [flow.lua:31]
              again: moonlatch run a.scenario.lua:2
        """)
  }

  @Test("a failure in the flow is reported once, with its traceback")
  func flowFailure() throws {
    #expect(
      try report("scenario(\"boom\", function() pass.boom() end)") == """
        FAIL  a.scenario.lua:2  boom
              a.scenario.lua:2: boom was to pass, but it failed: \
        flow.lua:20: attempt to index a nil value (field 'first')
                  1 | flow "flow.lua"
                > 2 | scenario("boom", function() pass.boom() end)
              the last dispatches:
                boom {}  failed (script)
                  called from flow.lua:28
              again: moonlatch run a.scenario.lua:2
        """)
  }

  @Test("a violated invariant shows the changes that were rolled back")
  func invariant() throws {
    #expect(
      try report("scenario(\"big\", function() pass.add { by = 200 } end)") == """
        FAIL  a.scenario.lua:2  big
              a.scenario.lua:2: add was to pass, but it failed: \
        flow.lua:40: invariant.small does not hold: n is 200
                  1 | flow "flow.lua"
                > 2 | scenario("big", function() pass.add { by = 200 } end)
              the last dispatches:
                add { by = 200 }  failed (invariant)
                  rolled back:
                    n: 0 -> 200
              again: moonlatch run a.scenario.lua:2
        """)
  }

  @Test("an error in a helper has the helper's line and the scenario's")
  func broken() throws {
    let text = """
      local function helper(x)
        return x.y.z
      end

      scenario("helped", function()
        helper({})
      end)
      """
    #expect(
      try report(text) == """
        ERROR a.scenario.lua:6  helped
              a.scenario.lua:3: attempt to index a nil value (field 'y')
                  2 | local function helper(x)
                > 3 |   return x.y.z
                  4 | end
                called from a.scenario.lua:7
              again: moonlatch run a.scenario.lua:6
        """)
  }

  @Test("a failed expectation in a helper has the helper's line and the scenario's")
  func helperExpects() throws {
    let text = """
      local function check(n) expect { n = n } end
      scenario("checked", function()
        check(1)
      end)
      """
    #expect(
      try report(text) == """
        FAIL  a.scenario.lua:3  checked
              a.scenario.lua:2: the state is not as expected
                  1 | flow "flow.lua"
                > 2 | local function check(n) expect { n = n } end
                  3 | scenario("checked", function()
                called from a.scenario.lua:4
              - n
                  expected: 1
                  found:    0
              again: moonlatch run a.scenario.lua:3
        """)
  }

  @Test("a mismatch of a whole view has no path")
  func view() throws {
    #expect(
      try report("scenario(\"v\", function() expect.view.double(1) end)").contains(
        """
              - the value
                  expected: 1
                  found:    0
        """))
  }

  @Test("the errors of a file that cannot be loaded are listed under its name")
  func unloadable() throws {
    #expect(
      try report("scenario(\"a\")\nscenario(\"b\")") == """
        FAIL  a.scenario.lua
              a.scenario.lua:2: scenario "a" needs a function: scenario("a", function() ... end)
              a.scenario.lua:3: scenario "b" needs a function: scenario("b", function() ... end)
        """)
  }

  @Test("an empty selection is reported in a sentence")
  func nothing() {
    #expect(TextReport().text(for: .nothing("nothing is here")) == "nothing is here")
  }

  // MARK: The closing line

  private func closing(_ change: (inout RunSummary) -> Void) -> String {
    var summary = RunSummary()
    change(&summary)
    return TextReport().text(for: summary)
  }

  @Test("the last line has the counts, and the kinds of failures other than expectations")
  func summary() {
    #expect(closing { $0.passed = 3 } == "3 passed, 0 failed")
    #expect(
      closing {
        $0.passed = 3
        $0.failed = 2
        $0.skipped = 1
      } == "3 passed, 2 failed, 1 skipped")
    #expect(closing { $0.unloadable = 2 } == "0 passed, 2 failed (2 could not be loaded)")
    #expect(
      closing {
        $0.failed = 1
        $0.unloadable = 2
        $0.broken = 3
        $0.skipped = 4
      } == "0 passed, 6 failed, 4 skipped (2 could not be loaded, 3 ended in a script error)")
  }
}
