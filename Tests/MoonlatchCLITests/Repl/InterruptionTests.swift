import Testing

/// Ctrl-C and Ctrl-Z at the prompt.
@Suite struct InterruptionTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.write(turnstile, to: "turnstile.lua")
  }

  typealias Key = PseudoTerminal.Key

  private func open(_ term: String = "xterm") throws -> PseudoTerminal {
    let terminal = try PseudoTerminal(
      "repl", "turnstile.lua", in: folder, term: term, environment: ["NO_COLOR": "1"])
    try terminal.wait(for: "turnstile#0> ")
    return terminal
  }

  @Test(
    "Ctrl-C stops a script, and the session continues",
    arguments: [
      "while true do end",
      "coroutine.wrap(function() while true do end end)()",
      "while true do pcall(function() while true do end end) end",
      "(\"a\"):rep(30):find((\"a?\"):rep(30) .. (\"a\"):rep(30))",
      "while true do pcall(coroutine.wrap(function() while true do end end)) end",
    ])
  func running(script: String) throws {
    let terminal = try open()
    try terminal.enter("coin { amount = 3 }", until: "turnstile#1> ")
    try terminal.type("print(\"run\" .. \"ning\"); " + script + Key.enter, showing: "| running")
    try terminal.type(Key.control("C"), until: "turnstile#1> ")
    try terminal.enter("s.coins", until: "turnstile#1> ")
    #expect(try terminal.leave(typing: Key.control("D")) == 0)
    #expect(terminal.screen.contains("prompt:1: interrupted\n"), "\(terminal.screen)")
    #expect(terminal.screen.contains("turnstile#1> s.coins\n3\n"))
  }

  @Test("an interrupted action changes nothing")
  func reducer() throws {
    try folder.write(
      """
      state { n = 0 }
      action.spin {}
      function reduce.spin(s)
        s.n = 1
        print("spinning")
        for i = 1, 1e9 do end
      end
      """, to: "spin.lua")
    let terminal = try PseudoTerminal(
      "repl", "spin.lua", in: folder, environment: ["NO_COLOR": "1"])
    try terminal.wait(for: "spin#0> ")
    try terminal.type("while true do pcall(spin) end" + Key.enter, showing: "| spinning")
    try terminal.type(Key.control("C"), until: "spin#0> ")
    try terminal.enter("s.n", until: "spin#0> ")
    #expect(try terminal.leave(typing: Key.control("D")) == 0)
    #expect(terminal.screen.contains("spin#0> s.n\n0\n"))
  }

  @Test("Ctrl-C at the prompt clears the input, also of several lines")
  func prompt() throws {
    let terminal = try open()
    try terminal.type("s.coi", until: "turnstile#0> s.coi")
    try terminal.type(Key.control("C"), until: "turnstile#0> ")
    try terminal.enter("coin {", until: "     ...> ")
    try terminal.type("amount", until: "     ...> amount")
    try terminal.type(Key.control("C"), until: "turnstile#0> ")
    try terminal.enter("s.coins", until: "turnstile#0> ")
    #expect(try terminal.leave(typing: Key.control("D")) == 0)
    #expect(terminal.screen.contains("turnstile#0> s.coins\n0\n"))
  }

  @Test(
    "Ctrl-C on an empty line says how to leave, and a second one leaves",
    arguments: ["xterm", "dumb"])
  func twice(term: String) throws {
    let terminal = try open(term)
    try terminal.type(Key.control("C"), until: "turnstile#0> ")
    #expect(terminal.screen.contains("(Ctrl-C again leaves, as do Ctrl-D and :quit)"))
    try terminal.enter("s.coins", until: "turnstile#0> ")
    try terminal.type(Key.control("C"), until: "turnstile#0> ")
    #expect(try terminal.leave(typing: Key.control("C")) == 130)
  }

  @Test("Ctrl-Z suspends the process, and resuming it shows the input again")
  func suspend() throws {
    let terminal = try PseudoTerminal(
      "--norc", "--noprofile", "-i", in: folder,
      environment: ["NO_COLOR": "1", "PS1": "shell> ", "PROG": ChildProcess.command],
      command: "/bin/bash")
    try terminal.wait(for: "shell> ")
    try terminal.type("bind 'set enable-bracketed-paste off'\r", until: "shell> ")
    try terminal.type("\"$PROG\" repl turnstile.lua\r", until: "turnstile#0> ")
    try terminal.type("s.coi", until: "turnstile#0> s.coi")
    try terminal.type(Key.control("Z"), until: "shell> ")
    #expect(terminal.screen.contains("Stopped"))
    try terminal.type("fg\r", until: "turnstile#0> s.coi")
    try terminal.enter("ns", until: "turnstile#0> ")
    try terminal.type(Key.control("D"), until: "shell> ")
    #expect(try terminal.leave(typing: "exit 7\r") == 7)
    #expect(terminal.screen.contains("turnstile#0> s.coins\n0\n"))
  }

  @Test(
    "every exit restores the terminal, and bracketed paste is enabled only during input",
    arguments: [Key.control("D"), ":quit" + Key.enter, Key.control("C") + Key.control("C")])
  func restored(path: String) throws {
    let terminal = try open()
    #expect(!terminal.isCooked)
    terminal.send(path)
    _ = try terminal.leave(typing: "")
    #expect(terminal.isCooked)
    let asked = terminal.raw.matches(of: /\u{1b}\[\?2004h/).count
    let ended = terminal.raw.matches(of: /\u{1b}\[\?2004l/).count
    #expect(asked > 0 && asked == ended)
  }
}
