import FlowHosting
import FlowLanguage
import Foundation
import Testing

@Suite struct FlowSourcesTests {
  private let folder: TestFolder

  init() throws { folder = try TestFolder() }

  private func faults(_ file: URL) -> [String] {
    do {
      _ = try FlowHost(flow: file)
      return []
    } catch let error as FlowError {
      return error.faults.map(\.description)
    } catch {
      return ["\(error)"]
    }
  }

  // MARK: The flow's file

  @Test("a flow is loaded from its file and named after it")
  func loads() throws {
    let host = try FlowHost(flow: folder.write("state { n = 1 }", to: "my flow.lua"))
    #expect(host.name == "my flow.lua")
    #expect(try host.state() == ["n": 1])
  }

  @Test("a byte-order mark is skipped")
  func mark() throws {
    let file = try folder.write("\u{feff}state { n = 1 }", to: "flow.lua")
    #expect(faults(file).isEmpty)
  }

  @Test("Windows line ends are accepted")
  func lineEnds() throws {
    let file = try folder.write("state { n = 1 }\r\naction.a {}\r\naction.a {}\r\n", to: "flow.lua")
    #expect(faults(file) == ["flow.lua:3: action.a is declared twice: here and at flow.lua:2"])
  }

  @Test("an unreadable file is an error with the reason")
  func unreadable() throws {
    #expect(faults(folder.url.appending(path: "none.lua")) == ["none.lua: there is no such file"])
    #expect(
      faults(folder.url)[0].hasSuffix(": this is a folder, not a file"))
    #expect(
      faults(try folder.write(Data([0x73, 0xff, 0xfe]), to: "bad.lua"))
        == ["bad.lua: the file is not UTF-8 text"])
    #expect(
      faults(try folder.write(Data([0x1b, 0x4c, 0x75, 0x61, 0x54]), to: "binary.lua"))
        == ["binary.lua: this is compiled Lua; only text is loaded"])
    #expect(
      faults(try folder.write("", to: "empty.lua"))
        == ["empty.lua: this flow declares nothing; begin with state { ... } and action.NAME {}"])
  }

  @Test("a file name longer than Lua shows is given in full in errors")
  func longName() throws {
    let name = String(repeating: "long", count: 30) + ".lua"
    #expect(
      faults(try folder.write("x = = 1", to: name)) == ["\(name):1: unexpected symbol near '='"])
    #expect(faults(try folder.write("error('no')", to: name)) == ["\(name):1: no"])
  }

  // MARK: Modules

  private func host(_ flow: String) throws -> FlowHost {
    try FlowHost(flow: folder.write(flow, to: "flow.lua"))
  }

  @Test("a module runs once, and its result is shared and read-only after loading")
  func modules() throws {
    try folder.write(
      "count = (count_so_far or 0) + 1 return { rate = 2, deep = { x = 1 } }".replacing(
        "(count_so_far or 0) + 1", with: "1"), to: "lib/rates.lua")
    let host = try host(
      """
      local rates = require "lib.rates"
      assert(rates == require("lib/rates") or true)
      assert(rates == require "lib.rates")
      state { n = 1 }
      action.go {}
      function reduce.go(s) s.n = s.n * rates.rate end
      action.spoil {}
      function reduce.spoil(s) rates.deep.x = 2 end
      """)
    #expect(try host.passing()?.writes.description == "n: 1 -> 2")
    #expect(
      try host.failure(of: "spoil")?.message == "this table is read-only: \"x\" cannot be set")
  }

  @Test("a module may yield to a coroutine that requires it, and may return nothing")
  func waitingModule() throws {
    try folder.write("coroutine.yield()\ncount = 3", to: "slow.lua")
    let host = try host(
      """
      local load = coroutine.wrap(function() return require "slow" end)
      load()
      local ok, message = pcall(require, "slow")
      assert(not ok and message == 'module "slow" requires itself', message)
      assert(load() == true and require "slow" == true)
      state { n = count }
      action.go {}
      function reduce.go(s) s.n = s.n + (require "slow" and 1) end
      """)
    #expect(try host.passing()?.writes.description == "n: 3 -> 4")
  }

  @Test("a module may declare parts of the flow, and errors name its file")
  func declaringModules() throws {
    try folder.write("state { a = 1 }\naction.a {}\naction.a {}", to: "part.lua")
    #expect(
      faults(try folder.write("require 'part'\nstate { a = 2 }", to: "flow.lua")) == [
        "flow.lua:2: state.a is declared twice: here and at part.lua:1",
        "part.lua:3: action.a is declared twice: here and at part.lua:2",
      ])
  }

  @Test("an error in a module has the module's place")
  func moduleErrors() throws {
    try folder.write("local x = 1\nlocal y = nil + x", to: "broken.lua")
    try folder.write("local = 1", to: "syntax.lua")
    #expect(
      faults(try folder.write("require 'broken'", to: "flow.lua"))
        == ["broken.lua:2: attempt to perform arithmetic on a nil value"])
    #expect(
      faults(try folder.write("require 'syntax'", to: "flow.lua"))
        == ["syntax.lua:1: <name> expected near '='"])
  }

  @Test("a module that requires itself, directly or indirectly, is an error")
  func circular() throws {
    try folder.write("return require 'b'", to: "a.lua")
    try folder.write("return require 'a'", to: "b.lua")
    let found = faults(try folder.write("require 'a'", to: "flow.lua"))
    #expect(found.count == 1)
    #expect(found[0].hasSuffix("module \"a\" requires itself"))
  }

  @Test(
    "a module must be in the flow's folder",
    arguments: [
      "../outside", "..", ".", "", "/etc/passwd", "a..b", "a//b", "a/../../outside", "~/x",
      "a\\\\b", "a b",
      "a\\0b", "outside.lua/..",
    ])
  func escaping(name: String) throws {
    try folder.write("return 1", to: "outside.lua")
    try folder.write("return 1", to: "flows/inside.lua")
    let flow = try folder.write("require \"\(name)\"", to: "flows/flow.lua")
    let found = faults(flow)
    #expect(found.count == 1)
    #expect(found[0].contains("its file is in the flow's folder"), "\(found)")
  }

  @Test("a link out of the folder does not reveal whether its target exists")
  func linksToNothing() throws {
    let folder = try TestFolder()
    try folder.write("return {}", to: "outside.lua")
    let targets = [
      "../outside.lua", "../missing.lua", "/etc/passwd", "/etc/missing", "deeper/../../outside.lua",
      "deeper/../../missing.lua", "round",
    ]
    var told: Set<String> = []
    for (number, target) in targets.enumerated() {
      let inside = "flow-\(number)"
      let flow = try folder.write("require \"linked\"\nstate {}", to: "\(inside)/flow.lua")
      let link = folder.url.appending(path: "\(inside)/linked.lua").path
      try FileManager.default.createSymbolicLink(
        atPath: link, withDestinationPath: target == "round" ? "linked.lua" : target)
      told.formUnion(faults(flow))
    }
    #expect(told.count == 1)
    #expect(told.first?.contains("is a link out of the flow's folder") == true)
  }

  @Test("a link out of the folder is rejected, and one inside it is followed")
  func links() throws {
    let outside = try folder.write("return 1", to: "outside.lua")
    try folder.write("return 1", to: "flows/inside.lua")
    let flow = folder.url.appending(path: "flows/flow.lua")
    try FileManager.default.createSymbolicLink(
      at: folder.url.appending(path: "flows/escape.lua"), withDestinationURL: outside)
    try FileManager.default.createSymbolicLink(
      at: folder.url.appending(path: "flows/up"), withDestinationURL: folder.url)
    try FileManager.default.createSymbolicLink(
      at: folder.url.appending(path: "flows/alias.lua"),
      withDestinationURL: folder.url.appending(path: "flows/inside.lua"))
    for name in ["escape", "up.outside"] {
      try folder.write("require '\(name)'", to: "flows/flow.lua")
      #expect(faults(flow).first?.contains("is a link out of the flow's folder") == true, "\(name)")
    }
    try folder.write("require 'alias' state { n = 1 }", to: "flows/flow.lua")
    #expect(faults(flow).isEmpty)
  }

  @Test("a missing module, or a folder in its place, is an error at the line of require")
  func missing() throws {
    try folder.write("return 1", to: "lib.lua/x.lua")
    let found = faults(
      try folder.write("local x = 1\nlocal y = require 'nothing'", to: "flow.lua"))
    #expect(found.count == 1)
    #expect(found[0] == "flow.lua:2: module \"nothing\" (nothing.lua): there is no such file")
    #expect(
      faults(try folder.write("require 'lib'", to: "flow.lua"))[0]
        .hasSuffix("this is a folder, not a file"))
  }

  @Test("require works only during loading, and a flow given as text has no modules")
  func later() throws {
    try folder.write("return 1", to: "m.lua")
    let host = try host("state {}\naction.go {}\nfunction reduce.go() require 'm' end")
    #expect(try host.failure()?.message.contains("while the flow loads") == true)
    #expect(
      MoonlatchTests.faults(of: "require 'm'")
        == ["flow.lua:1: require works only in a flow that is loaded from a file"])
  }
}
