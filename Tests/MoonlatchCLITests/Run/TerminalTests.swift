import Foundation
import Testing

/// `moonlatch run` on a terminal: progress line, colours, and escape sequences of scripts.
@Suite struct TerminalTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.write(turnstile, to: "turnstile.lua")
    try folder.write(
      """
      flow "turnstile.lua"
      scenario("opens", function() pass.coin { amount = 1 } end)
      scenario("is shut", function() pass.push() end)
      scenario("later", { skip = "why not" }, function() end)
      """, to: "a.scenario.lua")
  }

  /// Everything that a run writes to a terminal.
  private func run(
    _ paths: String, term: String = "xterm", environment: [String: String] = [:]
  ) throws -> (code: Int32, raw: String, screen: String) {
    let terminal = try PseudoTerminal(
      "run", paths, in: folder, term: term, environment: environment)
    let code = try terminal.leave(typing: "")
    return (code, terminal.raw, terminal.screen)
  }

  @Test("a terminal gets coloured words and the duration of the run")
  func colours() throws {
    let ran = try run("a.scenario.lua")
    #expect(ran.code == 1)
    #expect(ran.raw.contains("\u{1b}[32mok  \u{1b}[0m  a.scenario.lua:2  opens\r\n"), "\(ran.raw)")
    #expect(ran.raw.contains("\u{1b}[1;31mFAIL \u{1b}[0m a.scenario.lua:3  is shut\r\n"))
    #expect(ran.raw.contains("\u{1b}[33mskip \u{1b}[0m a.scenario.lua:4  later (why not)\r\n"))
    #expect(ran.screen.contains(/1 passed, 1 failed, 1 skipped in [0-9.]+ m?s/))
  }

  @Test(
    "NO_COLOR, or a terminal without colours, gets plain lines",
    arguments: [("xterm", ["NO_COLOR": "1"]), ("dumb", [:]), ("dumb", ["NO_COLOR": "1"])])
  func plain(term: String, environment: [String: String]) throws {
    let ran = try run("a.scenario.lua", term: term, environment: environment)
    #expect(ran.code == 1)
    #expect(!ran.raw.contains("\u{1b}[32m") && !ran.raw.contains("\u{1b}[1;31m"))
    #expect(ran.screen.contains("FAIL  a.scenario.lua:3  is shut"))
    if term == "dumb" { #expect(!ran.raw.contains("\u{1b}")) }
  }

  @Test("an empty NO_COLOR has no effect")
  func emptyNoColor() throws {
    #expect(try run("a.scenario.lua", environment: ["NO_COLOR": ""]).raw.contains("\u{1b}[32mok"))
  }

  @Test("--debug stops at a failed expectation with a prompt in its state, and then continues")
  func debug() throws {
    try folder.write(
      """
      flow "turnstile.lua"
      scenario("first", function() pass.coin { amount = 3 } expect { coins = 2 } end)
      scenario("well", function() pass.coin { amount = 1 } end)
      scenario("last", function() pass.push() end)
      """, to: "a.scenario.lua")
    let terminal = try PseudoTerminal("run", "--debug", "a.scenario.lua", in: folder)
    try terminal.wait(for: "a.scenario:2#1> ")
    try terminal.enter("s.coins * 100", until: "a.scenario:2#1> ")
    try terminal.enter(":undo", until: "a.scenario:2#0> ")
    terminal.send(PseudoTerminal.Key.control("D"))
    try terminal.wait(for: "a.scenario:4#0> ")
    try terminal.enter(":why push", until: "a.scenario:4#0> ")
    #expect(try terminal.leave(typing: PseudoTerminal.Key.control("D")) == 1)
    #expect(terminal.screen.contains("stopped in the state of a.scenario.lua:2 first"))
    #expect(terminal.screen.contains("300"))
    #expect(terminal.screen.contains("ok    a.scenario.lua:3  well"))
    #expect(terminal.screen.contains("gate push refuses: insert a coin first"))
    #expect(terminal.screen.contains("1 passed, 2 failed"))
  }

  @Test("--debug needs a terminal and runs one scenario at a time")
  func notDebug() throws {
    let ran = try moonlatch("run", "--debug", "a.scenario.lua", in: folder)
    #expect(ran.code == 64)
    #expect(ran.errors.contains("--debug needs a terminal."))
    #expect(
      try moonlatch("run", "--debug", "--jobs", "2", in: folder).errors.contains(
        "--debug runs each scenario once"))
    #expect(
      try moonlatch("run", "--debug", "--list", in: folder).errors.contains("--debug excludes"))
  }

  /// Files in which one scenario after the other takes some time.
  private func writeMany() throws {
    for number in 0..<60 {
      try folder.write(
        """
        flow "../turnstile.lua"
        scenario("waits", function() for i = 1, 3000000 do local t = i * 2 end end)
        """, to: "many/f\(100 + number).scenario.lua")
    }
  }

  @Test("a progress line shows how many scenarios ran and failed, and disappears")
  func live() throws {
    try writeMany()
    let ran = try run("many")
    #expect(ran.code == 0)
    #expect(
      ran.raw.contains(/\r\u{1b}\[K\[[0-9]+\/60\] [0-9]+ passed, 0 failed, [0-9]+\/s  many\/f1/),
      "\(ran.raw)")
    #expect(!ran.screen.contains("/60]"))
    #expect(ran.screen.contains("60 passed, 0 failed"))
  }

  @Test(
    "there is no progress line without a terminal",
    arguments: [("dumb", [:]), ("xterm", ["CI": "true"])])
  func noLine(term: String, environment: [String: String]) throws {
    try writeMany()
    let ran = try run("many", term: term, environment: environment)
    #expect(!ran.raw.contains("/60]"))
    #expect(ran.screen.contains("60 passed, 0 failed"))
  }

  @Test("a script cannot clear the screen, ring the bell, or overwrite other output")
  func hostile() throws {
    try folder.write(
      """
      flow "turnstile.lua"
      scenario("one\\27[2J", function()
        print("\\27[2J\\27[31mred\\7 \\155A")
        error("over\\27[1A\\8")
      end)
      """, to: "b.scenario.lua")
    let ran = try run("b.scenario.lua", environment: ["NO_COLOR": "1"])
    #expect(ran.code == 3)
    #expect(!ran.raw.contains("\u{1b}") && !ran.raw.contains("\u{7}"))
    #expect(ran.screen.contains("ERROR b.scenario.lua:2  one\\027[2J"))
    #expect(ran.screen.contains("| \\027[2J\\027[31mred\\007"))
  }
}
