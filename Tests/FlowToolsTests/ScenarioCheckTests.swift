import FlowKernel
import Foundation
import Scenarios
import Testing

@testable import FlowTools

/// Findings from the syntax tree of a scenario file.
@Suite struct ScenarioCheckTests {
  static let scenario = """
    flow "f.lua"
    before_each(function() stub("root.fetch", function() sleep(1) return "x" end) end)
    scenario("all is well", function()
      given { count = 1, user = { name = "ann" }, door = "open" }
      pass.add { by = 2 }
      refuse.add { by = 1 }:by("machine door"):because("not possible")
      expect { count = 3, door = "shut", ["rows[1].by"] = 2 }
      expect.change { count = 3 }
      expect.machine.door("shut")
      expect.view.count(4)
      fail.add { by = -1 }
      advance(1)
      expect.effects.none()
    end)
    """

  private func findings(_ scenario: String) throws -> [String] {
    let loaded = try LoadedFlow(source: TreeCheckTests.flow, name: "f.lua")
    let source = ScenarioSource(LuaSource(name: "f.scenario.lua", text: scenario))
    return source.findings(for: FlowText(loaded)).map(\.description)
  }

  @Test("a correct scenario has no findings")
  func clean() throws { #expect(try findings(ScenarioCheckTests.scenario) == []) }

  @Test(
    "a mistake is reported at its line, with a suggestion",
    arguments: [
      (
        "given { count", "given { cuont",
        "4: warning: state has no field cuont; did you mean count? [unknown-field]"
      ),
      (
        "name = \"ann\"", "nmae = \"ann\"",
        "4: warning: state.user has no field nmae; did you mean name? [unknown-field]"
      ),
      (
        "door = \"open\"", "door = \"opne\"",
        "4: warning: there is no state opne here; did you mean open? [unknown-value]"
      ),
      (
        "pass.add { by = 2 }", "pass.add { bye = 2 }",
        "5: warning: action add has no field bye; did you mean by? [wrong-payload]"
      ),
      (
        "pass.add { by = 2 }", "pass.add()", "5: warning: action add: by is missing [wrong-payload]"
      ),
      (
        "machine door\")", "machine dor\")",
        "6: warning: there is no machine dor; did you mean door? [unknown-value]"
      ),
      (
        "\"rows[1].by\"", "\"rws[1].by\"",
        "7: warning: state has no field rws; did you mean rows? [unknown-field]"
      ),
      (
        "expect.change { count", "expect.change { cont",
        "8: warning: state has no field cont; did you mean count? [unknown-field]"
      ),
      (
        "expect.machine.door(\"shut\")", "expect.machine.door(\"shutt\")",
        "9: warning: machine door has no state shutt; did you mean shut? [unknown-value]"
      ),
      (
        "expect.machine.door(\"shut\")", "expect.machine.door = \"shut\"",
        "9: warning: expect.machine.door must be called: put the value in brackets [refused-write]"
      ),
      (
        "expect.machine.door(\"shut\")", "expect.gatekeeper.busy(\"fre\")",
        "9: warning: this is \"held\" or \"free\", never \"fre\" [unknown-value]"
      ),
      (
        "expect.machine.door(\"shut\")", "expect.scope.root(\"opn\")",
        "9: warning: this is \"open\" or \"locked\", never \"opn\" [unknown-value]"
      ),
      (
        "expect.machine.door(\"shut\")", "expect.refused.dorp()",
        "9: warning: there is no action dorp; did you mean drop? [unknown-value]"
      ),
      (
        "expect.machine.door(\"shut\")", "expect.machne.door(\"shut\")",
        "9: warning: there is no expect.machne; did you mean machine? [unknown-value]"
      ),
      (
        ":because(\"not", ":becuase(\"not",
        "6: warning: there is no method :becuase(...); did you mean because? [unknown-value]"
      ),
      (
        "root.fetch", "root.fecth",
        "2: warning: nothing in f.lua calls fecth; did you mean fetch? [unused-stub]"
      ),
      (
        "advance(1)", "advnce(1)",
        "12: warning: global advnce is not defined; did you mean advance? [unknown-global]"
      ),
      (
        "advance(1)", "local x = 1",
        "12: warning: local x is never used; name it _x if that is intended [unused-local]"
      ),
    ])
  func mistakes(right: String, wrong: String, told: String) throws {
    let source = ScenarioCheckTests.scenario
    let range = try #require(source.firstRange(of: right))
    let found = try findings(source.replacingCharacters(in: range, with: wrong))
    #expect(found.contains("f.scenario.lua:" + told), "\(found)")
  }

  @Test(
    "given.born takes a time, and given has no words but its own",
    arguments: [
      ("given.born(\"2026-11-27T10:00:00Z\")", []),
      (
        "given.born(\"tomorrow\")",
        [
          "f.scenario.lua:3: warning: \"tomorrow\" is not a time for given.born: write \"2026-11-27T10:00:00Z\" "
            + "[unknown-value]"
        ]
      ),
      (
        "given.borne(\"2026-11-27\")",
        ["f.scenario.lua:3: warning: there is no given.borne; did you mean born? [unknown-value]"]
      ),
    ] as [(String, [String])])
  func birth(line: String, found: [String]) throws {
    let text = "flow \"shop.lua\"\nscenario(\"a\", function()\n  \(line)\nend)\n"
    #expect(try findings(text) == found)
  }

  @Test("a comment allows a finding in a scenario too")
  func allowed() throws {
    let text = ScenarioCheckTests.scenario.replacing("pass.add { by = 2 }", with: "pass.add()")
    #expect(try findings(text).count == 1)
    #expect(
      try findings(text.replacing("pass.add()", with: "pass.add() -- check: allow wrong-payload"))
        == [])
  }

  @Test("examples and the flows of tests have no false positives", arguments: ["examples"])
  func silent(folder: String) {
    let path = LuaTreeTests.root.appending(path: folder).path
    let checker = Checker([path], readFlow: ScenarioFile.readFlow)
    #expect(checker.fileCount > 5)
    #expect(
      checker.findings.filter { Finding.Kind.ofTrees.contains($0.kind) }.map(\.description) == [])
  }
}
