import Foundation
import Testing

@testable import Scenarios

@Suite struct ScenarioFileTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.write("state { n = 0 }\naction.x {}\n", to: "flow.lua")
  }

  private func file(_ text: String, named name: String = "a.scenario.lua") throws -> ScenarioFile {
    let url = try folder.write(text, to: name)
    return try ScenarioFile(url, name: name)
  }

  private func fault(_ text: String, named name: String = "a.scenario.lua") throws -> String {
    let url = try folder.write(text, to: name)
    return fault(url, named: name)
  }

  private func fault(_ url: URL, named name: String) -> String {
    do {
      _ = try ScenarioFile(url, name: name)
      return "none"
    } catch {
      return "\(error)"
    }
  }

  @Test("a file lists its scenarios with lines and tags, without loading the flow")
  func entries() throws {
    try folder.write("this is not Lua", to: "flow.lua")
    let file = try file(
      """
      flow "flow.lua"
      scenario("first", { tags = { "slow", "net" } }, function()
        error("never run")
      end)
      scenario("second", { skip = "why" }, function() end)
      """)
    #expect(file.entries.map(\.name) == ["first", "second"])
    #expect(file.entries.map(\.line) == [2, 5])
    #expect(file.entries.map(\.lastLine) == [4, 5])
    #expect(file.entries.map(\.tags) == [["slow", "net"], []])
    #expect(file.entries.map(\.skip) == [nil, "why"])
  }

  @Test(
    "the flow is found beside the file, with a path relative to it",
    arguments: [
      ("a.scenario.lua", "flow.lua", "flow.lua"),
      ("a.scenario.lua", "./flow.lua", "flow.lua"),
      ("sub/a.scenario.lua", "../flow.lua", "flow.lua"),
      ("sub/a.scenario.lua", "../sub/../flow.lua", "flow.lua"),
    ])
  func flow(name: String, path: String, shown: String) throws {
    let file = try file("flow \"\(path)\"", named: name)
    #expect(file.flowName == shown)
    #expect(file.flow == folder.url.appending(path: "flow.lua").path)
  }

  @Test("the flow's path may be absolute")
  func absoluteFlow() throws {
    let path = folder.url.appending(path: "flow.lua").path
    #expect(try file("flow \"\(path)\"").flowName == path)
  }

  @Test("a missing flow is an error at the line that names it, with the nearest file")
  func missingFlow() throws {
    #expect(
      try fault("\nflow \"flwo.lua\"")
        == "a.scenario.lua:2: there is no flow flwo.lua; did you mean flow.lua?")
    #expect(
      try fault("flow \"../elsewhere/x.lua\"", named: "sub/a.scenario.lua")
        == "sub/a.scenario.lua:1: there is no flow elsewhere/x.lua")
  }

  @Test("a file that names no flow is an error that says how to")
  func noFlow() throws {
    let message = "a.scenario.lua:1: say which flow this plays: flow \"name.lua\""
    #expect(try fault("") == message)
    #expect(try fault("-- nothing yet\n") == message)
  }

  @Test("a file that is no scenario file by its name is an error that suggests its kind")
  func otherName() throws {
    #expect(
      try fault("state {}", named: "flow.lua")
        == "flow.lua: this is not a scenario file: their names end in .scenario.lua "
        + "(a flow is played with \"moonlatch repl\")")
  }

  @Test("a syntax error is reported with its line, also the last one")
  func syntax() throws {
    #expect(
      try fault("flow \"flow.lua\"\nscenario(\"a\", function()\n  pass.x(\nend)")
        == "a.scenario.lua:4: unexpected symbol near 'end'")
    #expect(
      try fault("flow \"flow.lua\"\nscenario(\"a\", function()")
        == "a.scenario.lua:2: 'end' expected near <eof>")
  }

  @Test("an error in a helper of the file has its traceback")
  func helper() throws {
    let text = """
      flow "flow.lua"
      local function helper() local x; return x.y end
      for n = 1, 2 do
        helper()
      end
      """
    #expect(
      try fault(text) == """
        a.scenario.lua:2: attempt to index a nil value (local 'x')
            a.scenario.lua:2: in local 'helper'
            a.scenario.lua:4: in the main chunk
        """)
  }

  @Test("an endless file, or one that uses all memory, reaches a limit")
  func limits() throws {
    #expect(
      try fault("flow \"flow.lua\"\nlocal n = 0\nwhile true do\nn = n + 1\nend").hasPrefix(
        "a.scenario.lua:4: the instruction limit is reached"))
    #expect(
      try fault("flow \"flow.lua\"\nlocal t = {} while true do t[#t + 1] = (\"x\"):rep(1000) end")
        .contains("not enough memory"))
  }

  @Test("files that are not text are reported by kind")
  func noText() throws {
    let latin = try folder.write(Data([0x66, 0xe9]), to: "latin.scenario.lua")
    #expect(
      fault(latin, named: "latin.scenario.lua") == "latin.scenario.lua: the file is not UTF-8 text")
    let binary = try folder.write(Data([0x1b, 0x4c, 0x75, 0x61]), to: "bin.scenario.lua")
    #expect(
      fault(binary, named: "bin.scenario.lua")
        == "bin.scenario.lua: this is compiled Lua; only text is loaded")
    #expect(
      fault(folder.url.appending(path: "no.scenario.lua"), named: "no.scenario.lua")
        == "no.scenario.lua: there is no such file")
  }

  @Test("a byte-order mark is no part of the text")
  func byteOrderMark() throws {
    #expect(try file("\u{feff}flow \"flow.lua\"").entries.isEmpty)
  }

  // MARK: Lines

  @Test("a line selects the scenarios that begin at the last such line up to it")
  func atLine() throws {
    let file = try file(
      """
      flow "flow.lua"
      local function both(name)
        scenario(name, function() end)
      end

      scenario("between", function()
      end)
      both("one")
      both("two")
      """)
    func names(_ line: Int) -> [String] { file.entries(atLine: line).map(\.name) }
    #expect(names(1) == [])
    #expect(names(2) == [])
    #expect(names(3) == ["one", "two"])
    #expect(names(5) == ["one", "two"])
    #expect(names(6) == ["between"])
    #expect(names(9) == ["between"])
    #expect(names(10) == [])
    #expect(names(0) == [])
    #expect(names(-4) == [])
  }

  @Test("lines may have Windows line ends, and the last may have none")
  func lineEnds() throws {
    #expect(try file("flow \"flow.lua\"\r\n-- b\r\n").lines.map(String.init).count == 2)
    #expect(try file("flow \"flow.lua\"\n-- b").lines.count == 2)
    #expect(try file("flow \"flow.lua\"\n-- b\n").lines.count == 2)
  }
}
