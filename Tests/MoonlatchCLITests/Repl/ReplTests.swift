import Testing

/// `moonlatch repl` at a terminal, with input typed after each prompt.
@Suite struct ReplTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.write(turnstile, to: "turnstile.lua")
  }

  typealias Key = PseudoTerminal.Key

  /// How a session of the turnstile reads, whatever the terminal can do.
  private static let conversation = """
    turnstile (coin, push): type coin { amount = 1 }, s or :help; Ctrl-D leaves
    turnstile#0> push()
    refused by gate push: insert a coin first  [turnstile.lua:6]
    turnstile#0> coin { amount = 2 }
    #1 coin
      coins: 0 -> 2
      locked: true -> false
      view takings: 0 -> 2
    turnstile#1> s.coins
    2
    turnstile#1> x = s.coins + 1
    turnstile#1> print(x)
    | 3
    turnstile#1> x, _
    3	2
    turnstile#1> kick()
    prompt:1: global kick is not defined
    turnstile#1> coin { amount = 0 }
    action coin: amount must be an integer of at least 1, got 0
    turnstile#1> )
    prompt:1: unexpected symbol near ')'
    turnstile#1>
    """

  private func converse(_ terminal: PseudoTerminal) throws -> Int32 {
    try terminal.wait(for: "turnstile#0> ")
    try terminal.enter("push()", until: "turnstile#0> ")
    try terminal.enter("coin { amount = 2 }", until: "turnstile#1> ")
    for line in [
      "s.coins", "x = s.coins + 1", "print(x)", "x, _", "kick()", "coin { amount = 0 }", ")",
    ] {
      try terminal.enter(line, until: "turnstile#1> ")
    }
    return try terminal.leave(typing: Key.control("D"))
  }

  @Test(
    "a session on a terminal shows inputs and results, and Ctrl-D leaves with exit code 0",
    arguments: ["xterm", "vt100", "dumb", ""])
  func session(term: String) throws {
    let terminal = try PseudoTerminal("repl", "turnstile.lua", in: folder, term: term)
    #expect(try converse(terminal) == 0)
    // A terminal shows a tab as spaces.
    let shown = terminal.screen.replacing("3       2", with: "3\t2")
    #expect(shown.hasPrefix(ReplTests.conversation), "\(shown)")
  }

  @Test("colours are used on a terminal, unless NO_COLOR is set or the terminal is dumb")
  func colors() throws {
    for (term, environment, isColored) in [
      ("xterm", [:], true), ("xterm", ["NO_COLOR": ""], true), ("xterm", ["NO_COLOR": "1"], false),
      ("dumb", [:], false),
    ] {
      let terminal = try PseudoTerminal(
        "repl", "turnstile.lua", in: folder, term: term, environment: environment)
      try terminal.wait(for: "turnstile#0> ")
      try terminal.enter("coin { amount = 2 }", until: "turnstile#1> ")
      #expect(try terminal.leave(typing: Key.control("D")) == 0)
      #expect(terminal.raw.contains("\u{1b}[32m2\u{1b}[0m") == isColored, "\(term) \(environment)")
      if term == "dumb" { #expect(!terminal.raw.contains("\u{1b}")) }
    }
  }

  @Test("without a flow, the prompt starts with an empty one that can be declared, run and saved")
  func emptyFlow() throws {
    let terminal = try PseudoTerminal("repl", in: folder)
    try terminal.wait(for: "flow#0> ")
    try terminal.enter("state { coins = 0 }", until: "flow#0> ")
    try terminal.enter("action.coin {}", until: "flow#0> ")
    try terminal.enter("function reduce.coin(s)", until: "     ...> ")
    try terminal.enter("s.coins = s.coins + 1", until: "     ...> ")
    try terminal.enter("end", until: "flow#0> ")
    try terminal.enter("coin()", until: "flow#1> ")
    try terminal.enter(":save box.lua", until: "box#1> ")
    try terminal.enter("coin()", until: "box#2> ")
    #expect(try terminal.leave(typing: Key.control("D")) == 0)
    #expect(terminal.screen.contains("  coins: 1 -> 2\n"))
    #expect(
      try folder.text(of: "box.lua") == """
        state { coins = 0 }

        action.coin {}

        function reduce.coin(s)
        s.coins = s.coins + 1
        end

        """)
  }

  @Test("a watched flow is reloaded when its file is saved, and the input is kept")
  func watch() throws {
    let terminal = try PseudoTerminal("repl", "--watch", "turnstile.lua", in: folder)
    try terminal.wait(for: "turnstile#0> ")
    try terminal.enter("coin { amount = 2 }", until: "turnstile#1> ")
    try terminal.type("s.co", until: "turnstile#1> s.co")
    try folder.write(
      turnstile.replacing("s.coins + a.amount", with: "s.coins + 10 * a.amount"),
      to: "turnstile.lua")
    try terminal.type("", showing: "coins: 0 -> 20;")
    try terminal.wait(for: "turnstile#1> s.co")
    try terminal.enter("ins", until: "turnstile#1> ")
    try terminal.enter("coin { amount = 1 }", until: "turnstile#2> ")
    #expect(try terminal.leave(typing: Key.control("D")) == 0)
    #expect(
      terminal.screen.contains("reloaded; the state was kept; the first difference from before:"))
    #expect(terminal.screen.contains("  coins: 2 -> 12\n"))
  }

  @Test("a text with errors is not loaded, and the running flow stays")
  func watchFaulty() throws {
    let terminal = try PseudoTerminal("repl", "--watch", "turnstile.lua", in: folder)
    try terminal.wait(for: "turnstile#0> ")
    try folder.write("state { n = 0 }\nfunction reduce.x() end", to: "turnstile.lua")
    try terminal.type("", showing: "not reloaded: turnstile.lua:2: reduce.x: there is no action x")
    try terminal.wait(for: "turnstile#0> ")
    try terminal.enter("coin { amount = 1 }", until: "turnstile#1> ")
    #expect(try terminal.leave(typing: Key.control("D")) == 0)
  }

  @Test("a text that does not fit the state is not loaded, and the ways to reload are named")
  func watchRenamed() throws {
    let terminal = try PseudoTerminal("repl", "--watch", "turnstile.lua", in: folder, columns: 200)
    try terminal.wait(for: "turnstile#0> ")
    try terminal.enter("coin { amount = 2 }", until: "turnstile#1> ")
    try folder.write(turnstile.replacing("coins", with: "takings_in_coins"), to: "turnstile.lua")
    try terminal.type(
      "",
      showing:
        "not reloaded: the state does not fit the new source: state has no field coins; the old "
        + "one keeps running (:reload replay plays the session again with the new one, :reload reset"
    )
    try terminal.wait(for: "turnstile#1> ")
    try terminal.enter(":reload replay", until: "turnstile#1> ")
    try terminal.enter("s.takings_in_coins + 40", until: "turnstile#1> ")
    #expect(try terminal.leave(typing: Key.control("D")) == 0)
    #expect(terminal.screen.contains("\n42\n"))
  }

  @Test("with a real clock, timers fire while the prompt waits for input")
  func realClock() throws {
    try folder.write(
      """
      state { n = 0 }
      action.start {}
      action.tick {}
      machine.door { initial = "a", a = { start = "b" }, b = { after = { tick = 0.05 }, tick = "a" } }
      """, to: "clock.lua")
    let terminal = try PseudoTerminal("repl", "clock.lua", in: folder)
    try terminal.wait(for: "clock#0> ")
    try terminal.enter(":clock real", until: "clock#0> ")
    try terminal.type("start()" + Key.enter, showing: "#2 tick (by #1)")
    try terminal.wait(for: "clock#2> ")
    #expect(try terminal.leave(typing: Key.control("D")) == 0)
  }
}
