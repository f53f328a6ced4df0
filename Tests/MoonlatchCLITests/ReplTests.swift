import Testing

/// `moonlatch repl` at a terminal, typed by a person who waits for the prompt.
@Suite struct ReplTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.write(turnstile, to: "turnstile.lua")
  }

  private func open() throws -> PseudoTerminal {
    let terminal = try PseudoTerminal("repl", "turnstile.lua", in: folder)
    try terminal.wait(for: "turnstile#0> ")
    return terminal
  }

  private let endOfInput = "\u{4}"

  @Test("a session reads like a conversation, and Ctrl-D leaves with exit code 0")
  func session() throws {
    let terminal = try open()
    try terminal.type("push()\n", until: "turnstile#0> ")
    try terminal.type("coin { amount = 2 }\n", until: "turnstile#1> ")
    try terminal.type("s.coins\n", until: "turnstile#1> ")
    try terminal.type("x = s.coins + 1\n", until: "turnstile#1> ")
    try terminal.type("x, _\n", until: "turnstile#1> ")
    #expect(try terminal.leave(typing: endOfInput) == 0)
    #expect(
      terminal.transcript == """
        turnstile: actions: coin, push; s shows the state; Ctrl-D leaves
        turnstile#0> push()
        refused by gate push: insert a coin first  [turnstile.lua:6]
        turnstile#0> coin { amount = 2 }
        #1 coin
          coins: 0 -> 2
          locked: true -> false
        turnstile#1> s.coins
        2
        turnstile#1> x = s.coins + 1
        turnstile#1> x, _
        3	2
        turnstile#1> 

        """)
  }

  @Test("input that is not complete goes on in the next line")
  func multiline() throws {
    let terminal = try open()
    try terminal.type("coin {\n", until: "\n           | ")
    try terminal.type("amount = 1\n", until: "\n           | ")
    try terminal.type("}\n", until: "turnstile#1> ")
    #expect(try terminal.leave(typing: endOfInput) == 0)
    #expect(terminal.transcript.contains("           | }\n#1 coin\n  coins: 0 -> 1\n"))
  }

  @Test("an empty line drops input that is not complete")
  func drop() throws {
    let terminal = try open()
    try terminal.type("coin {\n", until: "\n           | ")
    try terminal.type("\n", until: "turnstile#0> ")
    try terminal.type("s.coins\n", until: "0\nturnstile#0> ")
    #expect(try terminal.leave(typing: endOfInput) == 0)
    #expect(terminal.transcript.contains("the unfinished input is dropped\n"))
  }

  @Test("errors keep the session alive, and its end is no error")
  func errors() throws {
    let terminal = try open()
    try terminal.type("kick()\n", until: "turnstile#0> ")
    try terminal.type("coin { amount = 0 }\n", until: "turnstile#0> ")
    try terminal.type("error(\"no\")\n", until: "turnstile#0> ")
    try terminal.type(")\n", until: "turnstile#0> ")
    try terminal.type("coin { amount = 1 }\n", until: "turnstile#1> ")
    #expect(try terminal.leave(typing: endOfInput) == 0)
    #expect(
      terminal.transcript.hasPrefix(
        """
        turnstile: actions: coin, push; s shows the state; Ctrl-D leaves
        turnstile#0> kick()
        prompt:1: global kick is not defined
        turnstile#0> coin { amount = 0 }
        action coin: amount must be an integer of at least 1, got 0
        turnstile#0> error("no")
        prompt:1: no
        turnstile#0> )
        prompt:1: unexpected symbol near ')'
        turnstile#0> coin
        """))
  }

  @Test("Ctrl-D in the middle of something says what is lost")
  func leaveInTheMiddle() throws {
    let terminal = try open()
    try terminal.type("coin {\n", until: "\n           | ")
    #expect(try terminal.leave(typing: endOfInput) == 0)
    #expect(terminal.transcript.hasSuffix("the input ends in the middle of: coin {\n"))
  }

  @Test("Ctrl-C interrupts, as a shell expects it")
  func interrupt() throws {
    let terminal = try open()
    #expect(try terminal.leave(typing: "\u{3}") == 130)
  }
}
