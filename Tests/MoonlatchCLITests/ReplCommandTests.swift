import Foundation
import Testing

/// `moonlatch repl` with piped input: no prompt, data on standard output, the first error ends it.
@Suite struct ReplCommandTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.write(turnstile, to: "turnstile.lua")
  }

  private func repl(_ input: String, _ options: String...) throws -> Ran {
    try moonlatch(["repl", "turnstile.lua"] + options, in: folder, input: Data(input.utf8))
  }

  @Test("actions print their changes or their refusal, expressions their value")
  func plays() throws {
    #expect(
      try repl(
        """
        push()
        coin { amount = 2 }
        s.coins
        view.takings()
        s

        """)
        == Ran(
          code: 0,
          output: """
            refused by gate push: insert a coin first  [turnstile.lua:6]
            #1 coin
              coins: 0 -> 2
              locked: true -> false
              view takings: 0 -> 2
            2
            2
            { coins = 2, locked = false }

            """, errors: ""))
  }

  @Test("input may span several lines, and its last line needs no end")
  func multiline() throws {
    let input = """
      for n = 1, 2 do
        coin { amount = n }
      end
      coin {
        amount = 3,
      }
      s.coins
      """
    let ran = try repl(input)
    #expect(ran.code == 0)
    #expect(
      ran.output == """
        #1 coin
          coins: 0 -> 1
          locked: true -> false
          view takings: 0 -> 1
        #2 coin
          coins: 1 -> 3
          view takings: 1 -> 3
        #3 coin
          coins: 3 -> 6
          view takings: 3 -> 6
        6

        """)
  }

  @Test("lines may have Windows line ends")
  func windows() throws {
    #expect(try repl("s.coins\r\ncoin {\r\namount = 1 }\r\n").output.hasPrefix("0\n#1 coin\n"))
  }

  @Test("the first error ends the run with exit code 3 and its line")
  func firstError() throws {
    #expect(
      try repl("s.coins\n\ns.conis\ns.coins\n")
        == Ran(
          code: 3, output: "0\n",
          errors: "input:3: state has no field conis; did you mean coins?\n"))
  }

  @Test("--keep-going continues after an error, and still exits with 3")
  func keepGoing() throws {
    let input = """
      kick()
      coin { amount = "five" }
      coin { amount = 100 }
      s.coins = 5
      local function deep() error("no") end deep()
      )
      coin { amount = 1 }

      """
    let ran = try repl(input, "--keep-going")
    #expect(ran.code == 3)
    #expect(
      ran.output == "#1 coin\n  coins: 0 -> 1\n  locked: true -> false\n  view takings: 0 -> 1\n")
    #expect(
      ran.errors == """
        input:1: global kick is not defined
        input:2: action coin: amount must be an integer of at least 1, got "five"
        input:3: turnstile.lua:23: invariant.not_too_rich does not hold: the box is full
              22 |\u{20}
            > 23 | function invariant.not_too_rich(s)
              24 |   return s.coins < 100, "the box is full"
            rolled back:
              coins: 0 -> 100
              locked: true -> false
        input:4: state.coins: a script cannot change the state; only a reducer can
        input:5: no
            input:5: in local 'deep'
            input:5: in the main chunk
        input:6: unexpected symbol near ')'

        """)
  }

  @Test("an error in input of several lines has its own line")
  func multilineError() throws {
    #expect(
      try repl("s.coins\nfor n = 1, 2 do\n  print(n)\n  error(\"here\")\nend\n")
        == Ran(code: 3, output: "0\n| 1\n", errors: "input:4: here\n"))
  }

  @Test("incomplete input at the end is an error")
  func unfinished() throws {
    #expect(
      try repl("s.coins\nfunction f(\n")
        == Ran(
          code: 3, output: "0\n",
          errors: "input:2: the input ends in the middle of: function f(\n"))
  }

  @Test("input that is too long, or has too many lines, is an error")
  func tooLong() throws {
    let sentence =
      "this input has more than 1 MB, or too many lines: put it into a file, and :load that"
    let long = "s.coins\nx = \"" + String(repeating: "y", count: 1 << 20) + "\"\n"
    #expect(try repl(long) == Ran(code: 3, output: "0\n", errors: "input:2: \(sentence)\n"))
    let lines = "t = {\n" + String(repeating: "1,\n", count: 20_000)
    #expect(try repl(lines) == Ran(code: 3, output: "", errors: "input:1: \(sentence)\n"))
  }

  @Test("a line that is not UTF-8 is an error")
  func notText() throws {
    let ran = try moonlatch(
      ["repl", "turnstile.lua"], in: folder,
      input: Data("s.coins\n\"caf".utf8) + [0xe9, 0x22, 0x0a])
    #expect(
      ran == Ran(code: 3, output: "0\n", errors: "input:2: this line is not UTF-8 text\n"))
  }

  @Test("empty input is no error")
  func empty() throws {
    #expect(try repl("") == Ran(code: 0, output: "", errors: ""))
    #expect(try repl("\n  \n-- nothing\n") == Ran(code: 0, output: "", errors: ""))
  }

  @Test("a line that never ends or uses up the memory is an error, and the session continues")
  func limits() throws {
    let ran = try repl(
      "local n = 0 while true do n = n + 1 end\n(\"x\"):rep(1e9)\ns.coins\n", "--keep-going")
    #expect(ran.code == 3)
    #expect(ran.output == "0\n")
    #expect(
      ran.errors
        == "input:1: the instruction limit is reached (100000000)\n"
        + "input:2: not enough memory (the memory limit is 67108864 bytes)\n")
  }

  @Test("a flow that cannot be loaded exits with 2 and prints every error to standard error")
  func unloadable() throws {
    try folder.write("state { n = print }\nfunction reduce.x() end", to: "bad.lua")
    #expect(
      try moonlatch("repl", "bad.lua", in: folder)
        == Ran(
          code: 2, output: "",
          errors: """
            bad.lua:1: state.n: a function is not plain data
                > 1 | state { n = print }
                  2 | function reduce.x() end
            bad.lua:2: reduce.x: there is no action x
                  1 | state { n = print }
                > 2 | function reduce.x() end

            """))
    #expect(
      try moonlatch("repl", "nowhere.lua", in: folder)
        == Ran(code: 2, output: "", errors: "nowhere.lua: there is no such file\n"))
    #expect(
      try moonlatch("repl", ".", in: folder)
        == Ran(code: 2, output: "", errors: ".: this is a folder, not a file\n"))
  }
}
