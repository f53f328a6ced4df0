import Foundation
import Testing

@testable import MoonlatchCLI

@Suite struct WorkingTests {
  // MARK: Transcripts

  @Test(
    "a transcript is replayed from the start, and the first difference of a changed flow is reported"
  )
  func transcript() throws {
    let prompt = try Prompt.played()
    prompt.type(":save ~/night.jsonl")
    prompt.type("close()")
    #expect(
      prompt.type(":load ~/night.jsonl").hasSuffix(
        "played night.jsonl from the initial state; no differences"))
    #expect(prompt.type("s.door, s.total") == "\"opened\"\t2")
    try prompt.folder.write(
      workshop.replacing("default = 2", with: "default = 4"), to: "flow.lua")
    #expect(prompt.type(":reload reset").hasSuffix("reloaded; the state was reset"))
    #expect(
      prompt.type(":load ~/night.jsonl").contains(
        "; the first difference: line 7: the outcome of add was \"add passed (#2):"))
    #expect(prompt.type(":load ~/none.jsonl") == "error: none.jsonl: there is no such file")
    try prompt.folder.write("{\"a\":1}\n", to: "bad.jsonl")
    #expect(
      prompt.type(":load ~/bad.jsonl")
        == "error: bad.jsonl: line 1, column 1: this is not a transcript: its header is missing")
  }

  @Test("a file of inputs is run as if typed, up to the first error")
  func inputs() throws {
    let prompt = try Prompt(workshop)
    try prompt.folder.write(
      "log_in { id = \"u\" }\n\nfor n = 1, 2 do\n  add { name = \"a\" }\nend\n:set views off\nkick()\ns.total\n",
      to: "night.txt")
    let answer = prompt.type(":load ~/night.txt")
    #expect(answer.hasSuffix("error: night.txt:7: prompt:1: global kick is not defined"))
    #expect(prompt.type("s.total") == "4")
    try prompt.folder.write("add {\n", to: "half.txt")
    #expect(prompt.type(":load ~/half.txt").contains("half.txt:1: the file ends in the middle of"))
  }

  // MARK: Reloading

  @Test("a reload keeps the state, and reports the first difference of a replay")
  func reloadKeep() throws {
    let prompt = try Prompt.played()
    #expect(prompt.type(":reload") == "reloaded; the state was kept")
    try prompt.folder.write(
      workshop.replacing("s.total + a.count\n", with: "s.total + 2 * a.count\n"), to: "flow.lua")
    #expect(
      prompt.type(":reload keep")
        == "reloaded; the state was kept; the first difference from before: "
        + "the outcome of add was \"add passed (#2): jobs[1]: nil -> { count = 2, name = \"a\" }; "
        + "total: 0 -> 2\", and is now \"add passed (#2): jobs[1]: nil -> { count = 2, name = \"a\" }; "
        + "total: 0 -> 4\""
        || prompt.type("s.total") == "2")
    #expect(prompt.type("s.total") == "2")
    #expect(prompt.type(":reload replay").contains("reloaded and played again up to #"))
    #expect(prompt.type("s.total") == "4")
    #expect(
      prompt.type(":reload reset") == "  close, set by #5, was dropped: the flow was restarted\n"
        + "reloaded; the state was reset")
    #expect(prompt.type("s.total") == "0")
    #expect(prompt.type(":reload all") == "error: :reload takes keep, replay or reset, not \"all\"")
  }

  @Test("a text with errors, or one that does not fit the state, changes nothing")
  func reloadFaulty() throws {
    let prompt = try Prompt.played()
    prompt.type("x = 5")
    try prompt.folder.write("state { n = 0 }\nfunction reduce.x() end", to: "flow.lua")
    #expect(prompt.type(":reload") == "error: flow.lua:2: reduce.x: there is no action x")
    try prompt.folder.write(workshop.replacing("opened", with: "ajar"), to: "flow.lua")
    #expect(
      prompt.type(":reload")
        == "error: the state does not fit the new source: machine door is in opened, a state that was removed; "
        + "the old one keeps running (:reload replay plays the session again with the new one, "
        + ":reload reset resets the state)")
    #expect(prompt.type("s.total, x") == "2\t5")
    #expect(prompt.type("close()").contains("door: \"opened\" -> \"closed\""))
  }

  @Test("after a field is renamed, both ways to reload are named and work")
  func reloadRenamed() throws {
    let prompt = try Prompt(workshop)
    prompt.type("log_in { id = \"u\" }")
    try prompt.folder.write(workshop.replacing("user", with: "person"), to: "flow.lua")
    #expect(
      prompt.type(":reload")
        == "error: the state does not fit the new source: state has no field user; the old one keeps "
        + "running (:reload replay plays the session again with the new one, :reload reset "
        + "resets the state)")
    #expect(prompt.type("s.user") == "\"u\"")
    #expect(prompt.type(":reload replay").contains("reloaded and played again up to #1"))
    #expect(prompt.type("s.person") == "\"u\"")
    try prompt.folder.write(workshop, to: "flow.lua")
    #expect(prompt.type(":reload").hasPrefix("error: the state does not fit the new source: "))
    #expect(prompt.type(":reload reset") == "reloaded; the state was reset")
  }

  @Test("stubs survive a reload")
  func stubsStay() throws {
    let prompt = try Prompt(workshop)
    prompt.type(":stub root.fetch \"text\"")
    prompt.type(":reload reset")
    #expect(prompt.type("load { url = \"x\" }").contains("| got text"))
    #expect(prompt.type(":stub") == "root.fetch = \"text\"")
    #expect(prompt.type(":stub rot.fetch 1") == "error: there is no scope rot; did you mean root?")
    #expect(prompt.type(":stub fetch").hasPrefix("error: :stub takes a capability and a value"))
    #expect(prompt.type(":stub root.fetch (").hasPrefix("error: "))
  }

  // MARK: Settings, scenarios

  @Test("the amount of output can be set")
  func set() throws {
    let prompt = try Prompt(workshop)
    #expect(prompt.type(":set") == "depth 6\nitems 40\nwidth 90\nviews on\nwrites off\ncolor off")
    prompt.type(":set items 2")
    #expect(prompt.type("{ 1, 2, 3 }") == "{ 1, 2, --[[ and 1 more ]] }")
    prompt.type(":set depth 1")
    #expect(prompt.type("{ { 1 } }") == "{ { --[[ deeper ]] } }")
    prompt.type(":set views off")
    prompt.type("log_in { id = \"u\" }")
    #expect(!prompt.type("add { name = \"a\" }").contains("view total"))
    prompt.type(":set views on")
    #expect(prompt.type("add { name = \"a\" }").hasSuffix("  view total: 2 -> 4"))
    #expect(
      prompt.type(":set depth many") == "error: depth takes a number of at least 1, not \"many\"")
    #expect(prompt.type(":set colour on").hasPrefix("error: there is no setting"))
    #expect(prompt.type(":set color maybe") == "error: color is on or off, not \"maybe\"")
  }

  @Test("scenario files can be run from the prompt, and a failed one is an error")
  func run() throws {
    let prompt = try Prompt(workshop)
    try prompt.folder.write(
      "flow \"flow.lua\"\nscenario(\"a\", function() refuse.add { name = \"x\" } end)\n",
      to: "a.scenario.lua")
    #expect(
      prompt.type(":run ~/a.scenario.lua") == """
        ok    a.scenario.lua:2  a
        1 passed, 0 failed
        :look goes to the final state of a.scenario.lua:2
        """)
    #expect(prompt.type(":run ~/b.scenario.lua").hasPrefix("error: "))
    #expect(prompt.type(":run").hasPrefix("error: :run takes a file"))
  }

  @Test("edit opens the flow in the user's editor and reloads it after it was saved")
  func edit() throws {
    let folder = try TemporaryFolder()
    try folder.write(turnstile, to: "turnstile.lua")
    let terminal = try PseudoTerminal(
      "repl", "turnstile.lua", in: folder,
      environment: ["NO_COLOR": "1", "EDITOR": "sed -i 's/s.coins + a.amount/s.coins + 5/'"])
    try terminal.wait(for: "turnstile#0> ")
    try terminal.enter(":edit", until: "turnstile#0> ")
    try terminal.enter("coin { amount = 1 }", until: "turnstile#1> ")
    #expect(try terminal.leave(typing: PseudoTerminal.Key.control("D")) == 0)
    #expect(terminal.screen.contains("  coins: 0 -> 5\n"))
  }
}
