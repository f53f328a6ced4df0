import Foundation
import Testing

/// Typing at a terminal: lines, completion, history, windows.
@Suite struct LineEditorTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.write(turnstile, to: "turnstile.lua")
  }

  typealias Key = PseudoTerminal.Key

  private func open(
    columns: Int = 80, environment: [String: String] = [:]
  ) throws -> PseudoTerminal {
    let terminal = try PseudoTerminal(
      "repl", "turnstile.lua", in: folder, columns: columns,
      environment: environment.merging(["NO_COLOR": "1"]) { $1 })
    try terminal.wait(for: "turnstile#0> ")
    return terminal
  }

  private func leave(_ terminal: PseudoTerminal) throws {
    #expect(try terminal.leave(typing: Key.control("D")) == 0)
  }

  @Test(
    "a signal that ends the prompt restores the terminal",
    arguments: [SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGXFSZ])
  func ended(signal: Int32) throws {
    let terminal = try open()
    #expect(!terminal.isCooked)
    #expect(try terminal.end(by: signal) == 128 + signal)
    #expect(terminal.isCooked)
    #expect(
      terminal.raw.hasSuffix("\u{1b}[?2004l\r\n"), "\(terminal.raw.suffix(40).debugDescription)")
  }

  // MARK: Lines

  @Test("Enter continues on the next line until the input is complete")
  func multiline() throws {
    let terminal = try open()
    try terminal.enter("coin {", until: "     ...> ")
    try terminal.enter("amount = 1", until: "     ...> ")
    try terminal.enter("}", until: "turnstile#1> ")
    try leave(terminal)
    #expect(
      terminal.screen.contains("turnstile#0> coin {\n     ...> amount = 1\n     ...> }\n#1 coin\n"))
  }

  @Test("Alt-Enter starts a new line in a complete input")
  func newLine() throws {
    let terminal = try open()
    try terminal.type("x = 1" + Key.newLine, until: "     ...> ")
    try terminal.enter("print(x)", until: "turnstile#0> ")
    try leave(terminal)
    #expect(terminal.screen.contains("turnstile#0> x = 1\n     ...> print(x)\n| 1\n"))
  }

  @Test("two empty lines run an incomplete input")
  func forced() throws {
    let terminal = try open()
    try terminal.enter("coin {", until: "     ...> ")
    try terminal.enter("", until: "     ...> ")
    try terminal.enter("", until: "turnstile#0> ")
    try leave(terminal)
    #expect(terminal.screen.contains("this is not complete"))
  }

  @Test("letters beyond ASCII can be typed, deleted and shown")
  func utf8() throws {
    let terminal = try open()
    try terminal.type("\"höüx", until: "turnstile#0> \"höüx")
    try terminal.type("\u{7f}\u{7f}", until: "turnstile#0> \"hö")
    try terminal.enter("ß\"", until: "turnstile#0> ")
    try leave(terminal)
    #expect(terminal.screen.contains("\n\"höß\"\n"))
  }

  @Test("the arrow keys move within an input of several lines")
  func arrows() throws {
    let terminal = try open()
    try terminal.enter("coin {", until: "     ...> ")
    try terminal.enter("amount = 1", until: "     ...> ")
    try terminal.type("}" + Key.up, until: "     ...> a")
    try terminal.type(Key.control("E"), until: "     ...> amount = 1")
    try terminal.type("0", until: "     ...> amount = 10")
    try terminal.type(Key.down, until: "     ...> }")
    try terminal.enter("", until: "turnstile#1> ")
    try leave(terminal)
    #expect(terminal.screen.contains("  coins: 0 -> 10\n"))
  }

  // MARK: Paste

  @Test("a pasted block is one input, which Enter runs")
  func paste() throws {
    let terminal = try open()
    try terminal.type(Key.paste("for n = 1, 2 do\n\tprint(n)\n\nend\n"), until: "     ...> end")
    #expect(!terminal.screen.contains("| 1"))
    try terminal.enter("", until: "turnstile#0> ")
    try leave(terminal)
    #expect(terminal.screen.contains("\n| 1\n| 2\n"))
  }

  @Test("200 pasted lines are one input and one entry of the history")
  func longPaste() throws {
    let terminal = try open()
    let lines = (1...200).map { "x\($0) = \($0)" } + ["print(\"sum\", x1 + x200)"]
    try terminal.type(
      Key.paste(lines.joined(separator: "\n")), until: "          print(\"sum\", x1 + x200)")
    try terminal.enter("", until: "turnstile#0> ")
    #expect(terminal.screen.contains("| sum\t201") || terminal.screen.contains("| sum   201"))
    try terminal.type(Key.up, until: "          print(\"sum\", x1 + x200)")
    try terminal.type(Key.control("C"), until: "turnstile#0> ")
    try leave(terminal)
  }

  @Test("200 lines from a terminal without bracketed paste run one by one")
  func plainPaste() throws {
    let terminal = try open()
    let lines = (1...200).map { "coin { amount = \($0 % 2) + 0 }" }
    try folder.write("", to: "x")
    terminal.send(lines.joined(separator: Key.enter) + Key.enter)
    try terminal.wait(for: "turnstile#99> ")
    // The box is full at 100 coins: every further one is an error, and the session goes on.
    try terminal.type(
      "print(\"en\" .. \"d\")" + Key.enter, showing: "| end\nturnstile#99>")
    try leave(terminal)
  }

  @Test("the prompts in a copied session are removed")
  func pastedPrompts() throws {
    let terminal = try open()
    try terminal.type(
      Key.paste("turnstile#0> x = 5\nturnstile#12> print(x)\n"), until: "     ...> print(x)")
    try terminal.enter("", until: "turnstile#0> ")
    try leave(terminal)
    #expect(terminal.screen.contains("\n| 5\n"))
  }

  @Test("actions and commands pasted as one block run one by one, in order")
  func mixedPaste() throws {
    let terminal = try open()
    try terminal.type(
      Key.paste(
        """
        coin { amount = 2 }
        :undo
        coin {
          amount = 3
        }
        :why push
        :state coins
        push()
        """), until: "     ...> push()")
    #expect(!terminal.screen.contains("#1 coin"))
    try terminal.enter("", until: "turnstile#2> ")
    let shown = terminal.screen
    let order = [
      "turnstile#0> coin { amount = 2 }\n#1 coin\n  coins: 0 -> 2\n",
      "turnstile#1> :undo\n#1 coin is undone\n",
      "turnstile#0> coin {\n  amount = 3\n}\n#1 coin\n  coins: 0 -> 3\n",
      "turnstile#1> :why push\n",
      "push may pass", "turnstile#1> :state coins\n3\n", "turnstile#1> push()\n#2 push\n",
    ]
    var rest = shown[...]
    for text in order {
      guard let found = rest.firstRange(of: text) else {
        Issue.record("\(text) is missing in \(shown)")
        break
      }
      rest = rest[found.upperBound...]
    }
    // One entry of the history, as it was pasted.
    try terminal.type(Key.up, until: "     ...> push()")
    try terminal.type(Key.control("C"), until: "turnstile#2> ")
    try leave(terminal)
  }

  @Test("an error in pasted input is reported, and the rest runs as if typed")
  func mixedPasteWithError() throws {
    let terminal = try open()
    try terminal.type(
      Key.paste("coin { amount = 1 }\n:nonsense\nkick()\ncoin { amount = 1 }\n:state coins"),
      until: "     ...> :state coins")
    try terminal.enter("", until: "turnstile#2> ")
    #expect(terminal.screen.contains("turnstile#1> :nonsense\nthere is no command :nonsense"))
    #expect(terminal.screen.contains("turnstile#1> kick()\nprompt:1: global kick is not defined\n"))
    #expect(terminal.screen.contains("turnstile#2> :state coins\n2\n"))
    try leave(terminal)
  }

  @Test(
    "a paste that ends within an input waits for its rest, and a command's Lua may have several lines"
  )
  func mixedPasteUnfinished() throws {
    let terminal = try open()
    try terminal.type(
      Key.paste(":stub root.fetch function()\n  return 5\nend\ncoin {"), until: "     ...> coin {")
    try terminal.enter("", until: "     ...> ")
    try terminal.type("amount = 7 }", until: "     ...> amount = 7 }")
    try terminal.enter("", until: "turnstile#1> ")
    #expect(terminal.screen.contains("root.fetch is stubbed\n"))
    #expect(terminal.screen.contains("  coins: 0 -> 7\n"))
    try leave(terminal)
  }

  @Test("Ctrl-C discards the rest of a paste")
  func mixedPasteInterrupted() throws {
    let terminal = try open()
    try terminal.type(
      Key.paste(
        "coin { amount = 1 }\n:state\nprint(\"run\" .. \"ning\") while true do end\ncoin { amount = 1 }"
      ),
      until: "     ...> coin { amount = 1 }")
    try terminal.type(Key.enter, showing: "| running")
    try terminal.type(Key.control("C"), until: "turnstile#1> ")
    #expect(terminal.screen.contains("not run: 1 more input of the pasted text"))
    try leave(terminal)
  }

  // MARK: Completion

  @Test("Tab completes actions, the fields of a payload, the state, views, commands and files")
  func completion() throws {
    try folder.write("", to: "night.scenario.lua")
    let terminal = try open()
    try terminal.type("coin" + Key.tab, until: "turnstile#0> coin { ")
    try terminal.type("am" + Key.tab, until: "turnstile#0> coin { amount = ")
    try terminal.type("3 }" + Key.enter, until: "turnstile#1> ")
    try terminal.type("s.loc" + Key.tab, until: "turnstile#1> s.locked")
    try terminal.type(Key.control("C"), until: "turnstile#1> ")
    try terminal.type("view.t" + Key.tab, until: "turnstile#1> view.takings()")
    try terminal.type(Key.control("C"), until: "turnstile#1> ")
    try terminal.type(":wh" + Key.tab, until: "turnstile#1> :why ")
    try terminal.type("pu" + Key.tab, until: "turnstile#1> :why push()")
    try terminal.type(Key.control("C"), until: "turnstile#1> ")
    try terminal.type(":run n" + Key.tab, until: "turnstile#1> :run night.scenario.lua")
    try terminal.type(Key.control("C"), until: "turnstile#1> ")
    try leave(terminal)
  }

  @Test("Tab lists several completions below the line, with the types of fields")
  func choices() throws {
    try folder.write(
      "state { n = 0 }\naction.pay { amount = integer { min = 1 }, by = one_of { \"card\", \"cash\" } }",
      to: "pay.lua")
    let terminal = try PseudoTerminal("repl", "pay.lua", in: folder, environment: ["NO_COLOR": "1"])
    try terminal.wait(for: "pay#0> ")
    try terminal.type("pay { " + Key.tab, showing: "by      one of \"card\", \"cash\"")
    try terminal.wait(for: "pay#0> pay { ")
    #expect(terminal.screen.contains("  amount  integer of at least 1\n"))
    try terminal.type("by = \"cas" + Key.tab, until: "pay#0> pay { by = \"cash\"")
    try terminal.type(Key.control("C"), until: "pay#0> ")
    #expect(try terminal.leave(typing: Key.control("D")) == 0)
  }

  // MARK: History

  @Test("the history is kept between sessions, with whole inputs, and can be searched")
  func history() throws {
    let environment = ["XDG_STATE_HOME": folder.url.path + "/state"]
    let first = try open(environment: environment)
    try first.enter("coin {", until: "     ...> ")
    try first.enter("amount = 7 }", until: "turnstile#1> ")
    try first.enter("print(\"ö\")", until: "turnstile#1> ")
    try first.enter(" print(\"secret\")", until: "turnstile#1> ")
    try leave(first)

    let second = try open(environment: environment)
    try second.type(Key.up, until: "turnstile#0> print(\"ö\")")
    try second.type(Key.up, until: "     ...> amount = 7 }")
    try second.type(Key.control("C"), until: "turnstile#0> ")
    try second.type(Key.control("R") + "ount", showing: "bck:ount")
    try second.type(Key.enter, until: "turnstile#1> ")
    try leave(second)
    #expect(second.screen.contains("  coins: 0 -> 7\n"))
  }

  @Test("flows with the same name in two folders have separate histories")
  func histories() throws {
    let environment = ["XDG_STATE_HOME": folder.url.path + "/state"]
    let first = try open(environment: environment)
    try first.enter("x = 1", until: "turnstile#0> ")
    try leave(first)
    try folder.write(turnstile, to: "other/turnstile.lua")
    let other = try PseudoTerminal(
      "repl", "other/turnstile.lua", in: folder, environment: environment)
    try other.wait(for: "turnstile#0> ")
    try other.type(Key.up + "y", until: "turnstile#0> y")
    try other.type(Key.control("C"), until: "turnstile#0> ")
    try leave(other)
  }

  // MARK: Windows

  @Test("a narrow window wraps the input and breaks up tables")
  func narrow() throws {
    let terminal = try open(columns: 30)
    try terminal.enter("\"a long text that needs several rows\"", until: "turnstile#0> ")
    try terminal.enter("{ first = 1111, second = 22222, third = 333 }", until: "turnstile#0> ")
    try leave(terminal)
    #expect(terminal.screen.contains("turnstile#0> \"a long text that\n needs several rows\"\n"))
    #expect(terminal.screen.contains("{\n  first = 1111,\n  second = 22222,\n  third = 333,\n}\n"))
  }

  @Test("a wide window shows a table on one line")
  func wide() throws {
    let terminal = try open(columns: 200)
    try terminal.enter(
      "{ { name = \"one of them\" }, { name = \"the other\" }, { name = \"the third one of them all\" }, 1 }",
      until: "turnstile#0> ")
    try leave(terminal)
    #expect(terminal.screen.contains("\n{ { name = \"one of them\" }, { name = \"the other\" }, "))
  }

  @Test("a window that changes its size keeps the input")
  func resize() throws {
    let terminal = try open()
    try terminal.type("s.coins + 1", until: "turnstile#0> s.coins + 1")
    terminal.resize(columns: 40)
    // The line is drawn anew: everything below it is erased first.
    try terminal.type("", until: "turnstile#0> s.coins + 1")
    try terminal.enter("1", until: "turnstile#0> ")
    try leave(terminal)
    #expect(terminal.screen.contains("\n11\n"))
  }
}
