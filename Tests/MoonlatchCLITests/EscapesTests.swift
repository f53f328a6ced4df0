import Foundation
import Testing

/// Foreign text in all output of the command: none reaches a terminal unescaped.
@Suite struct EscapesTests {
  private let folder: TemporaryFolder
  /// As Lua writes it: clears the screen, names the window, turns the line round, begins a command of
  /// a CI server.
  private static let nasty = "x\\27[2J\\27]0;t\\7\\u{9b}31m\\u{202e}\\r\\n::error::forged"

  init() throws {
    folder = try TemporaryFolder()
    let nasty = EscapesTests.nasty
    try folder.write(
      """
      state { n = 0, list = list {} }
      action["\(nasty)"] {}
      action.go { text = optional(string) }
      action.bad {}
      print("loaded \(nasty)")
      machine["m \(nasty)"] { initial = "\(nasty)", ["\(nasty)"] = { bad = "\(nasty) 2" }, ["\(nasty) 2"] = {} }
      gate("named \(nasty)", { "go" }, function(s, a) return a.text == nil, "no: \(nasty)" end)
      function reduce.go(s) print("said \(nasty)") s.n = s.n + 1 s["\(nasty)"] = "\(nasty)" end
      function reduce.bad(s) error("\(nasty)") end
      """, to: "flow.lua")
    try folder.write(
      """
      flow "flow.lua"
      scenario("\(nasty)", function() pass.go() refuse.go { text = "\(nasty)" }:because("\(nasty)") end)
      scenario("bad", function() pass.bad() end)
      scenario("s", { skip = "\(nasty)", tags = { "\(nasty)" } }, function() end)
      """, to: "a.scenario.lua")
    let raw = "x\u{1b}[2J\u{9b}31m\u{202e}"
    try folder.write(
      "case:concept:name,concept:name,time:timestamp\n\(raw),\(raw),2020-01-01\n\(raw),go,\(raw)\n",
      to: "log.csv")
    try folder.write("this is no flow \(raw)", to: "\(raw).lua")
  }

  @Test(
    "no command prints control characters or CI commands from its input",
    arguments: [
      ["run"], ["run", "-v"], ["run", "--list"], ["run", "--coverage"],
      ["run", "--report", "tap=-"], ["run", "--report", "jsonl=-"], ["run", "--report", "junit=-"],
      ["run", "--report", "html=-"], ["check"], ["check", "--json"], ["check", "flow.lua"],
      ["graph", "flow.lua"], ["graph", "flow.lua", "--format", "mermaid"],
      ["replay", "flow.lua", "log.csv"], ["types", "flow.lua"],
      ["replay", "flow.lua", "log.csv", "--scenario", "x\u{1b}[2J\u{9b}31m\u{202e}"],
      ["run", "x\u{1b}[2J"], ["check", "x\u{1b}[2J"], ["graph", "x\u{1b}[2J"], ["x\u{1b}[2J"],
      ["run", "--x\u{1b}[2J"], ["run", "--tag", "\u{1b}[2J("], ["run", "--report", "\u{1b}[2J"],
      ["repl", "x\u{1b}[2J\u{9b}31m\u{202e}.lua"], ["report", "text", "x\u{1b}[2J"],
      ["new", "x\u{1b}[2J"],
    ])
  func commands(arguments: [String]) throws {
    let ran = try moonlatch(arguments, in: folder, input: Data())
    #expect(!(ran.output + ran.errors).isEmpty)
    EscapesTests.expectHarmless(ran.output)
    EscapesTests.expectHarmless(ran.errors)
  }

  @Test("the prompt escapes what is printed, raised, refused and named")
  func prompt() throws {
    let nasty = EscapesTests.nasty
    let inputs = """
      go {}
      go { text = "\(nasty)" }
      bad {}
      print("\(nasty)")
      error("\(nasty)")
      ("\(nasty)"):rep(2)
      pass["\(nasty)"]()
      :actions
      :machines
      :why go { text = "\(nasty)" }
      :state
      :history
      :nosuch\u{1b}[2J
      :source "\(nasty)"
      """
    let ran = try moonlatch(
      ["repl", "flow.lua", "--keep-going"], in: folder, input: Data(inputs.utf8))
    #expect(ran.output.contains("\\027[2J"))
    EscapesTests.expectHarmless(ran.output)
    EscapesTests.expectHarmless(ran.errors)
  }

  @Test("a terminal receives only the prompt's own colour codes")
  func terminal() throws {
    let terminal = try PseudoTerminal("repl", "flow.lua", in: folder)
    try terminal.wait(for: "flow#0> ")
    try terminal.type("print(\"\(EscapesTests.nasty)\")\r", until: "flow#0> ")
    #expect(terminal.raw.contains("\u{1b}[2m|\u{1b}[0m "))
    #expect(!terminal.raw.contains("\u{1b}[2J") && !terminal.raw.contains("\u{1b}]0;"))
    #expect(!terminal.raw.contains("\u{9b}") && !terminal.raw.contains("\u{202e}"))
    #expect(try terminal.leave(typing: PseudoTerminal.Key.control("d")) == 0)
  }

  private static func expectHarmless(_ text: String) {
    for line in text.split(omittingEmptySubsequences: false, whereSeparator: { $0 == "\n" }) {
      let isNasty = line.unicodeScalars.contains {
        $0.properties.generalCategory == .control && $0 != "\t"
          || $0.properties.isBidiControl
      }
      #expect(!isNasty, "\(line.debugDescription)")
      #expect(!line.drop(while: \.isWhitespace).hasPrefix("::"), "\(line)")
    }
  }
}
