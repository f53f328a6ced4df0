import Foundation
import Testing

/// Bad input of each kind: the message says what is wrong, where, why and what to do, and the exit
/// code fits the kind.
@Suite struct BadInputTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Runs a scenario against the flow and takes the report apart: its lines without their column and
  /// without the source lines.
  private func run(flow: String) throws -> (code: Int32, lines: [String]) {
    try run(flow: Data(flow.utf8))
  }

  private func run(flow: Data) throws -> (code: Int32, lines: [String]) {
    try folder.write(flow, to: "flow.lua")
    try folder.write(
      "flow \"flow.lua\"\nscenario(\"a\", function() end)\n", to: "a.scenario.lua")
    return try run("a.scenario.lua")
  }

  private func run(_ name: String) throws -> (code: Int32, lines: [String]) {
    let ran = try moonlatch("run", name, in: folder)
    #expect(ran.errors.isEmpty)
    let lines = ran.output.split(separator: "\n").map(String.init)
    #expect(lines.first == "FAIL  \(name)")
    #expect(lines.last == "0 passed, 1 failed (1 could not be loaded)")
    let told = lines.dropFirst().dropLast().filter { !$0.contains(/^ +>? +[0-9]+ [|]/) }
    return (ran.code, told.map { String($0.dropFirst(6)) })
  }

  @Test("an empty flow")
  func emptyFlow() throws {
    let (code, lines) = try run(flow: "")
    #expect(
      lines == [
        "flow.lua: this flow declares nothing; begin with state { ... } and action.NAME {}"
      ])
    #expect(code == 2)
  }

  @Test("an empty scenario file")
  func emptyScenarioFile() throws {
    try folder.write("", to: "empty.scenario.lua")
    let (code, lines) = try run("empty.scenario.lua")
    #expect(lines == ["empty.scenario.lua:1: say which flow this plays: flow \"name.lua\""])
    #expect(code == 2)
  }

  @Test("a syntax error on the last line")
  func syntax() throws {
    let (code, lines) = try run(
      flow: "state { n = 0 }\naction.x {}\nfunction reduce.x(s) s.n = end")
    #expect(lines == ["flow.lua:3: unexpected symbol near 'end'"])
    #expect(code == 2)
    try folder.write(
      "flow \"flow.lua\"\nscenario(\"a\", function()\n  pass.x()", to: "cut.scenario.lua")
    let cut = try run("cut.scenario.lua")
    #expect(
      cut.lines == ["cut.scenario.lua:3: 'end' expected (to close 'function' at line 2) near <eof>"]
    )
    #expect(cut.code == 2)
  }

  @Test("a binary chunk")
  func binary() throws {
    let (code, lines) = try run(flow: Data([0x1b, 0x4c, 0x75, 0x61, 0x54, 0x00]))
    #expect(lines == ["flow.lua: this is compiled Lua; only text is loaded"])
    #expect(code == 2)
  }

  @Test("a flow that declares nothing")
  func nothing() throws {
    let (code, lines) = try run(flow: "local x = 1\n")
    #expect(
      lines == [
        "flow.lua: this flow declares nothing; begin with state { ... } and action.NAME {}"
      ])
    #expect(code == 2)
  }

  @Test("an action declared twice")
  func twice() throws {
    let (code, lines) = try run(flow: "state { n = 0 }\naction.x {}\naction.x { by = integer }\n")
    #expect(lines == ["flow.lua:3: action.x is declared twice: here and at flow.lua:2"])
    #expect(code == 2)
  }

  @Test("a reducer for an undeclared action")
  func undeclared() throws {
    let (code, lines) = try run(flow: "action.coin {}\nfunction reduce.conin(s) end\n")
    #expect(lines == ["flow.lua:2: reduce.conin: there is no action conin; did you mean coin?"])
    #expect(code == 2)
  }

  @Test("a payload with several invalid fields")
  func payload() throws {
    try folder.write(
      """
      state { n = 0 }
      action.order {
        id = integer { min = 1 }, name = string { pattern = "^%a+$", max_length = 5 },
        kind = one_of { "a", "b" }, paid = boolean, price = number { min = 0 },
        tags = list_of(string), sizes = map_of(integer), at = { x = integer, y = integer },
        note = optional(string),
      }
      """, to: "flow.lua")
    try folder.write(
      """
      flow "flow.lua"
      scenario("every fault", function()
        pass.order {
          id = "five", name = "too long", kind = "c", paid = 1, price = 0/0, tags = { 1, "a", true },
          sizes = { s = "b" }, at = { x = 1.5, z = 1 }, nmae = "x", note = 5,
        }
      end)
      """, to: "a.scenario.lua")
    let ran = try moonlatch("run", "a.scenario.lua", in: folder)
    #expect(
      ran.output.split(separator: "\n").dropFirst().first == """
              a.scenario.lua:3: order was to pass, but it failed: action order: \
        at.x must be an integer, got 1.5; x // y gives a whole number; at.y must be an integer, but is missing; \
        at.z is not a field of this payload; id must be an integer of at least 1, got "five"; \
        kind must be one of "a", "b", got "c"; \
        name must be a string that matches "^%a+$" of at most 5 characters, got "too long"; \
        nmae is not a field of this payload; did you mean name?; \
        note must be a string, got 5; paid must be a boolean, got 1; \
        price must be a number of at least 0, got nan; sizes.s must be an integer, got "b"; \
        tags[1] must be a string, got 1; tags[3] must be a string, got true
        """)
    #expect(ran.code == 1)
  }

  @Test("a state with a function, a cycle and a mixed table")
  func state() throws {
    let (code, lines) = try run(
      flow: """
        local round = {}
        round.again = round
        state {
          f = print, round = round, mixed = { 1, 2, a = 3 },
          user = { avatar = function() end },
        }
        """)
    #expect(
      lines == [
        "flow.lua:4: state.f: a function is not plain data",
        "flow.lua:4: state.mixed: a table has either named keys or the keys 1 to n, not both",
        "flow.lua:4: state.round.again: a table cannot contain itself (a cycle)",
        "flow.lua:5: state.user.avatar: a function is not plain data",
      ])
    #expect(code == 2)
  }

  @Test("a missing scenario file")
  func missingFile() throws {
    try folder.write("", to: "door.scenario.lua")
    let (code, lines) = try run("dor.scenario.lua")
    #expect(lines == ["there is no such file or folder; did you mean door.scenario.lua?"])
    #expect(code == 2)
  }

  @Test("a missing flow")
  func missingFlow() throws {
    try folder.write("state { n = 0 }", to: "door.lua")
    try folder.write("flow \"dor.lua\"", to: "a.scenario.lua")
    let (code, lines) = try run("a.scenario.lua")
    #expect(lines == ["a.scenario.lua:1: there is no flow dor.lua; did you mean door.lua?"])
    #expect(code == 2)
  }

  @Test("a flow in place of a scenario file")
  func flowAsScenario() throws {
    try folder.write("state { n = 0 }", to: "door.lua")
    let (code, lines) = try run("door.lua")
    #expect(
      lines == [
        "door.lua: this is not a scenario file: their names end in .scenario.lua "
          + "(a flow is played with \"moonlatch repl\")"
      ])
    #expect(code == 2)
  }

  @Test("a folder without scenarios")
  func emptyFolder() throws {
    try folder.makeFolder("empty")
    #expect(
      try moonlatch("run", "empty", in: folder)
        == Ran(
          code: 4, output: "",
          errors: "moonlatch: there is no scenario file (*.scenario.lua) in empty\n"))
    #expect(
      try moonlatch("run", in: folder)
        == Ran(
          code: 4, output: "",
          errors: "moonlatch: there is no scenario file (*.scenario.lua) in the current folder\n"))
  }

  @Test("a file that is not UTF-8")
  func notText() throws {
    let latin = Data("state { name = \"caf".utf8) + [0xe9, 0x22, 0x7d]
    let (code, lines) = try run(flow: latin)
    #expect(lines == ["flow.lua: the file is not UTF-8 text"])
    #expect(code == 2)
    try folder.write(latin, to: "latin.scenario.lua")
    let scenario = try run("latin.scenario.lua")
    #expect(scenario.lines == ["latin.scenario.lua: the file is not UTF-8 text"])
    #expect(scenario.code == 2)
  }

  @Test(
    "a required module whose name leads out of the folder",
    arguments: ["../secret", "/etc/passwd", "sub..secret", "..", "a\\0b"])
  func escapingName(name: String) throws {
    let (code, lines) = try run(flow: "state { n = 0 }\nlocal m = require \"\(name)\"\n")
    #expect(lines.count == 1)
    #expect(lines[0].hasPrefix("flow.lua:2: module \""))
    #expect(
      lines[0].hasSuffix(
        ": the name of a module has letters, digits, _ and -, with dots between folders; its "
          + "file is in the flow's folder"))
    #expect(code == 2)
  }

  @Test("a required module that a link leads out of the folder")
  func escapingLink() throws {
    let outside = try TemporaryFolder()
    try outside.write("return { secret = 1 }", to: "secret.lua")
    try folder.link("secret.lua", to: outside.url.path + "/secret.lua")
    try folder.link("sub", to: outside.url.path)
    let file = try run(flow: "state { n = 0 }\nlocal m = require \"secret\"\n")
    #expect(
      file.lines == ["flow.lua:2: module \"secret\": secret.lua is a link out of the flow's folder"]
    )
    #expect(file.code == 2)
    let inFolder = try run(flow: "state { n = 0 }\nlocal m = require \"sub.secret\"\n")
    #expect(
      inFolder.lines == [
        "flow.lua:2: module \"sub.secret\": sub/secret.lua is a link out of the flow's folder"
      ])
  }
}
