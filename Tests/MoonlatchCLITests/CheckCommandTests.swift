import Foundation
import Testing

/// Output of `moonlatch check`, for people and for programs.
@Suite struct CheckCommandTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test("correct files are counted, and modules are not checked as flows")
  func well() throws {
    try folder.write("local m = require \"sub.m\"\n" + turnstile, to: "turnstile.lua")
    try folder.write("return { state = 1 }", to: "sub/m.lua")
    try folder.write(
      "flow \"turnstile.lua\"\nscenario(\"a\", function() expect.view.takings(0) end)",
      to: "a.scenario.lua")
    #expect(
      try moonlatch("check", in: folder)
        == Ran(code: 0, output: "3 files: 0 errors, 0 warnings\n", errors: ""))
    #expect(try moonlatch("check", "--strict", "./a.scenario.lua", in: folder).code == 0)
    #expect(
      try moonlatch("check", "--json", in: folder) == Ran(code: 0, output: "", errors: ""))
  }

  @Test("an exploration file is not checked as a flow, but its syntax is checked")
  func explorations() throws {
    try folder.write(turnstile, to: "turnstile.lua")
    try folder.write(
      "flow \"turnstile.lua\"\nexplore(\"it\", { actions = { push = false } })", to: "a.explore.lua"
    )
    #expect(
      try moonlatch("check", "--strict", in: folder).output == "2 files: 0 errors, 0 warnings\n")
    #expect(try moonlatch("check", "a.explore.lua", in: folder).code == 0)
    try folder.write("explore(", to: "a.explore.lua")
    #expect(try moonlatch("check", "a.explore.lua", in: folder).code == 2)
  }

  @Test("all errors of all files are reported in one run, by file and line")
  func faults() throws {
    try folder.write("state { f = print }\naction.x {}\nfunction reduce.y() end", to: "a.lua")
    try folder.write("state { n = 0 }\naction.x {}\nfunction reduce.x(s) s.n = end", to: "b.lua")
    try folder.write("flow \"c.lua\"", to: "c.scenario.lua")
    try folder.write("local x = = 1", to: "d.lua")
    try folder.write(
      "flow \"e.lua\"\nscenario(\"s\", function()\n  pass.goo()\n  fail.nothing()\n"
        + "  expect.machine.m(\"a\")\nend)", to: "e.scenario.lua")
    try folder.write(
      "state { n = 0 }\naction.go {}\nreduce.go = function(s) s.n = 1 end", to: "e.lua")
    let ran = try moonlatch("check", in: folder)
    #expect(
      ran.output == """
        a.lua:1: error: state.f: a function is not plain data
        a.lua:3: error: reduce.y: there is no action y
        b.lua:3: error: unexpected symbol near 'end'
        c.scenario.lua:1: error: there is no flow c.lua; did you mean a.lua?
        d.lua:1: error: unexpected symbol near '='
        e.scenario.lua:3: error: there is no action goo in e.lua; did you mean go?
        e.scenario.lua:5: error: there is no machine m in e.lua
        6 files: 7 errors, 0 warnings

        """)
    #expect(ran.code == 2)
    #expect(ran.errors.isEmpty)
  }

  @Test("--json prints a finding as one line of JSON")
  func json() throws {
    try folder.write("action.go {}", to: "a.lua")
    let ran = try moonlatch("check", "--json", "a.lua", in: folder)
    #expect(
      ran.output == """
        {"file":"a.lua","kind":"idle-action","line":1,"message":"action go: nothing gates it and \
        nothing happens when it passes (no reducer, machine, gatekeeper or effect)",\
        "severity":"warning"}

        """)
    #expect(ran.code == 0)
    #expect(try moonlatch("check", "--json", "--strict", "a.lua", in: folder).code == 1)
  }

  @Test("findings can be printed as GitHub annotations or SARIF 2.1.0")
  func reports() throws {
    try folder.write("action.go {}\nlocal x = nwo", to: "a b.lua")
    let ran = try moonlatch("check", "--report", "github", in: folder)
    #expect(
      ran.output == """
        ::error file=a b.lua,line=2,title=fault::global nwo is not defined; did you mean now?

        """)
    #expect(ran.code == 2)
    try folder.write("action.go {}\nfunction reduce.go(s) print(nwo) end", to: "a b.lua")
    let sarif = try moonlatch("check", "--report", "sarif", in: folder)
    let document = try #require(
      JSONSerialization.jsonObject(with: Data(sarif.output.utf8)) as? [String: Any])
    #expect(document["version"] as? String == "2.1.0")
    #expect(document["$schema"] as? String == "https://json.schemastore.org/sarif-2.1.0.json")
    let run = try #require((document["runs"] as? [[String: Any]])?.first)
    let driver = try #require((run["tool"] as? [String: Any])?["driver"] as? [String: Any])
    #expect(driver["name"] as? String == "moonlatch")
    let rules = try #require(driver["rules"] as? [[String: String]]).compactMap { $0["id"] }
    let results = try #require(run["results"] as? [[String: Any]])
    #expect(results.count == 1)
    let result = try #require(results.first)
    #expect(result["level"] as? String == "warning")
    #expect(rules.contains(try #require(result["ruleId"] as? String)))
    #expect(
      result["message"] as? [String: String] == [
        "text": "global nwo is not defined; did you mean now?"
      ])
    let location = try #require((result["locations"] as? [[String: Any]])?.first)
    let place = try #require(location["physicalLocation"] as? [String: Any])
    #expect(place["artifactLocation"] as? [String: String] == ["uri": "a%20b.lua"])
    #expect(place["region"] as? [String: Int] == ["startLine": 2])
    #expect(try moonlatch("check", "--report", "sarif", "--strict", in: folder).code == 1)
    #expect(try moonlatch("check", "--report", "xml", in: folder).code == 64)
  }

  @Test("a flow that violates its own invariant at the start, or does not end, is an error")
  func startingFaults() throws {
    try folder.write(
      "state { n = 0 }\nfunction invariant.positive(s) return s.n > 0 end", to: "a.lua")
    try folder.write("while true do end", to: "b.lua")
    let ran = try moonlatch("check", "a.lua", "b.lua", in: folder)
    #expect(ran.output.contains("a.lua:2: error: "))
    #expect(ran.output.contains("b.lua:1: error: "))
    #expect(ran.code == 2)
  }

  @Test("a host file is checked with the flow beside it, unless --host-file names another, or none")
  func hostFiles() throws {
    try folder.write(
      "state {}\naction.go {}\n"
        + "effect.go = { durable = true, run = function(self) self:mail { to = \"ann\" } end }",
      to: "a.lua")
    try folder.write("provide { mial = worker() }", to: "a.host.lua")
    try folder.write("provide { mail = worker() }", to: "other.lua")
    #expect(
      try moonlatch("check", in: folder)
        == Ran(
          code: 2,
          output: """
            a.host.lua:1: warning: nothing in a.lua calls mial; did you mean mail? [unused-capability]
            a.lua:3: error: nobody provides root.mail: name it in a.host.lua; did you mean mial?
            3 files: 1 error, 1 warning

            """, errors: ""))
    #expect(
      try moonlatch("check", "a.lua", "--host-file", "none", in: folder).output
        == "1 file: 0 errors, 0 warnings\n")
    #expect(
      try moonlatch("check", "a.lua", "--host-file", "other.lua", in: folder).output
        == "2 files: 0 errors, 0 warnings\n")
    try folder.write(turnstile, to: "b.lua")
    let several = try moonlatch(
      "check", "a.lua", "b.lua", "--host-file", "other.lua", in: folder)
    #expect(several.code == 2)
    #expect(
      several.output.contains(
        "other.lua: error: this is the host file of one flow, and 2 flows are checked\n"))
  }

  @Test("a missing path is an error, and an empty folder selects nothing")
  func nothing() throws {
    try folder.write("action.go {}", to: "door.lua")
    try folder.makeFolder("empty")
    #expect(
      try moonlatch("check", "dor.lua", in: folder)
        == Ran(
          code: 2,
          output: "dor.lua: error: there is no such file or folder; did you mean door.lua?\n"
            + "0 files: 1 error, 0 warnings\n", errors: ""))
    #expect(
      try moonlatch("check", "empty", in: folder)
        == Ran(
          code: 4, output: "",
          errors: "moonlatch: there is no Lua file or SCXML document in empty\n"))
  }

  @Test("SCXML documents in a folder are checked with its Lua files")
  func documents() throws {
    try folder.makeFolder("charts")
    try folder.write(
      """
      <scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0">
        <state id="a"><transition event="go" target="b"/></state>
      </scxml>
      """, to: "charts/door.scxml")
    let ran = try moonlatch("check", "charts", in: folder)
    #expect(ran.code == 2 && ran.output.contains("charts/door.scxml:2: error: "), "\(ran)")
  }
}
