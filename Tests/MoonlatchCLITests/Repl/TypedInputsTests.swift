import Testing

@testable import MoonlatchCLI

@Suite struct TypedInputsTests {
  @Test(
    "a text of several lines is one Lua input, or is split at its commands",
    arguments: [
      ("coin { amount = 1 }\ncoin { amount = 2 }", 1), ("for n = 1, 2 do\n  print(n)\n\nend", 1),
      ("coin { amount = 1 }\n:undo", 2), (":undo\n\n:redo\npush()", 3), ("push()\ns.coins\ns", 3),
      (":stub root.f function()\n  return 1\nend\npush()", 2), ("x = [[\n:undo\n]]\nprint(x)", 1),
      ("goto done\n::done::\nprint(1)", 1), ("local x = 1\nprint(x)", 1), ("push()\nx = )", 1),
      (":undo\nx = )\npush()", 3), ("coin {\n  amount = 1,\n}\n:why coin {\n  amount = 2 }", 2),
      ("s\n  .coins", 1), (":undo\ncoin {", 2), ("view.takings()\n:undo", 2),
    ])
  func parts(text: String, count: Int) throws {
    let session = try Prompt(turnstile).session
    #expect(session.inputs(of: text).count == count, "\(session.inputs(of: text))")
  }

  @Test(
    "Enter runs a complete input",
    arguments: [
      ("coin {", false), ("coin { amount = 1 }\n:undo", true), (":undo\ncoin {", false),
      (":stub root.f function()", false), (":stub root.f function()\nreturn 1 end", true),
      (":why coin {", false), (":why coin { amount = 1 }", true), (":why push", true),
      (":stub", true), (":stub root.f", true), (":state coins[", true), (":undo\nx = )", true),
      ("push()\nfor n = 1, 2 do", false), (":nonsense {", true),
    ])
  func complete(text: String, isComplete: Bool) throws {
    #expect(try Prompt(turnstile).session.isComplete(text) == isComplete)
  }

  @Test("inputs have the line on which they start, and an incomplete rest is known")
  func lines() throws {
    let inputs = try Prompt(turnstile).session.inputs(
      in: "\npush()\n\ncoin {\namount = 1 }\n:undo\ncoin {\n")
    #expect(inputs.complete.map(\.line) == [2, 4, 6])
    #expect(inputs.rest == .init(text: "coin {\n", line: 7))
    #expect(inputs.hasCommands)
  }

  @Test("a command of several lines can be read from a file and from a pipe")
  func stub() throws {
    let prompt = try Prompt(workshop)
    try prompt.folder.write(
      ":stub root.fetch function(url)\n  return url\nend\nload { url = \"x\" }\n", to: "in.txt")
    #expect(prompt.type(":load ~/in.txt").contains("| got x"))
    let folder = try TemporaryFolder()
    try folder.write(workshop, to: "w.lua")
    let ran = try moonlatch(
      "repl", "w.lua", in: folder,
      input: ":stub root.fetch function(url)\n  return url\nend\nload { url = \"x\" }\n")
    #expect(ran.code == 0)
    #expect(ran.output.contains("| got x"))
  }
}
