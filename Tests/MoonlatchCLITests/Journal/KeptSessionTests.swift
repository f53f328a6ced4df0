import Foundation
import Testing

/// `moonlatch repl --journal`: a session on a case in a journal.
@Suite struct KeptSessionTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.write(
      """
      state { coins = 0, ticks = 0 }
      action.coin { amount = integer { min = 1 } }
      action.tick {}
      function reduce.coin(s, a) s.coins = s.coins + a.amount end
      function reduce.tick(s) s.ticks = s.ticks + 1 end
      function effect.coin() print("clink") after(0.001, "tick") end
      """, to: "till.lua")
  }

  private func repl(_ input: String, _ options: String...) throws -> Ran {
    try moonlatch(
      ["repl", "till.lua", "--journal", "j.journal"] + options, in: folder, input: Data(input.utf8))
  }

  @Test(
    "a session creates the case, and the next one resumes it, with timers that came due meanwhile")
  func goesOn() throws {
    let first = try repl("coin { amount = 2 }\n")
    #expect(first.code == 0)
    #expect(
      first.output.hasPrefix(
        "case main of j.journal is created; results survive a power cut\n#1 coin\n"))
    let second = try repl("s.coins\ns.ticks\n")
    #expect(second.code == 0)
    let lines = second.output.split(separator: "\n").map(String.init)
    #expect(lines[0].hasPrefix("case main of j.journal resumes at #1, last written "))
    #expect(
      lines[1].hasPrefix("(:undo, :goto, :history and :diff reach back to #1, not into the journal")
    )
    #expect(lines[2] == "#2 tick (by #1)")
    #expect(lines.suffix(2) == ["2", "1"])
    #expect(second.output.contains("clink") == false)
  }

  @Test("--case selects another case with its own history")
  func cases() throws {
    _ = try repl("coin { amount = 2 }\n")
    let other = try repl("coin { amount = 5 }\ns.coins\n", "--case", "o-2")
    #expect(other.output.hasPrefix("case o-2 of j.journal is created"))
    #expect(other.output.contains("\n5\n"))
    #expect(try repl("s.coins\n").output.hasSuffix("\n2\n"))
  }

  @Test("undo and a reload are stored in the journal")
  func undo() throws {
    _ = try repl(":clock virtual\ncoin { amount = 2 }\ncoin { amount = 3 }\n:undo\n")
    #expect(try repl("s.coins\n").output.hasSuffix("\n2\n"))
    let text = try folder.text(of: "till.lua")
    try folder.write(text.replacing("ticks = 0", with: "ticks = 0, notes = 7"), to: "till.lua")
    #expect(
      try repl("s.notes + s.coins\n:reload\n").output.contains(
        "\n9\nreloaded; the state was kept\n"))
    #expect(try repl("s.notes\n").output.hasSuffix("\n7\n"))
    #expect(try repl(":reload reset\n").code == 0)
    #expect(try repl("s.coins\n").output.hasSuffix("\n0\n"))
  }

  @Test("the answer of a stub to a durable effect is recorded for the next session")
  func stubs() throws {
    try folder.write(
      """
      state { receipt = none, problem = none }
      action.pay {} action.paid { receipt = string } action.failed { error = string }
      function reduce.paid(s, a) s.receipt = a.receipt end
      function reduce.failed(s, a) s.problem = a.error end
      effect.pay = { durable = true, on_error = "failed", run = function(self)
        local fine, problem = pcall(function() return self:lookup() end)
        local receipt = self:charge(5)
        sleep(0.2)
        dispatch.paid { receipt = receipt .. (fine and "" or " " .. problem) }
      end }
      """, to: "till.lua")
    let first = try repl(":stub root.charge function(cents) return \"r\" .. cents end\npay()\n")
    #expect(first.code == 0, "\(first.errors)")
    let second = try repl(
      ":stub root.lookup 7\n:clock virtual\n:advance 1s\ns.problem\ns.receipt\n")
    #expect(second.output.contains("scope root has no lookup"), "\(second.output)")
    #expect(second.output.contains("r5"))
    #expect(!second.output.contains("was changed while under way"))
  }

  private func answering(_ body: String) throws {
    try folder.write(
      """
      state { log = list_of(string), problem = none }
      action.go {} action.tick {} internal.step { s = string } internal.failed { error = string }
      function reduce.tick(s) table.insert(s.log, "tick") end
      function reduce.step(s, a) table.insert(s.log, a.s) end
      function reduce.failed(s, a) s.problem = a.error end
      effect.go = { durable = true, on_error = "failed", run = function(self)
        \(body)
      end }
      """, to: "till.lua")
  }

  @Test(
    "effects and draws of a stub itself are not replayed as calls of its effect",
    arguments: [
      "sleep(1) return \"C\"", "now() return \"C\"", "return math.random(9) > 0 and \"C\"",
      "sleep(0) print(\"asked\") sleep(0) return \"C\"", "may.tick() return \"C\"",
      "sleep(1) tick() sleep(1) return \"C\"", "return #s.log == 0 and \"C\"",
    ])
  func stubsThatDo(stub: String) throws {
    try answering("local y = self:c(1) sleep(100) dispatch.step { s = \"end\" .. y .. random(1) }")
    let first = try repl(
      ":clock virtual\n:stub root.c function(x) \(stub) end\ngo()\n:advance 5s\n")
    #expect(first.code == 0, "\(first.errors)")
    for _ in 0..<2 { #expect(try repl("s.problem\n").output.hasSuffix("\nnil\n")) }
    let second = try repl(":clock virtual\n:advance 200s\ns.log\ns.problem\n")
    #expect(second.output.contains("endC1"), "\(second.output)")
    #expect(second.output.hasSuffix("\nnil\n"), "\(second.output)")
  }

  @Test("after :reload reset, a restarted case keeps the remaining time of its timers")
  func resetAndRestart() throws {
    try folder.write(
      """
      state { rings = 0 }
      action.start {} action.ring {}
      machine.m { initial = "idle", idle = { start = "armed" }, armed = { after = { ring = 20 }, ring = "idle" } }
      function reduce.ring(s) s.rings = s.rings + 1 end
      """, to: "till.lua")
    let first = try repl(
      ":clock virtual\n:advance 100s\n:reload reset\nstart()\n:advance 5s\n:timers\n")
    #expect(first.output.contains("at 20 s (in 15 s): ring"), "\(first.output)")
    let second = try repl(":clock virtual\n:advance 5s\ns.rings\n:advance 20s\ns.rings\n")
    #expect(second.output.contains("\n0\n") && second.output.hasSuffix("\n1\n"), "\(second.output)")
  }

  @Test("a stub's error is replayed in the next session")
  func stubsError() throws {
    try answering(
      """
      local _, problem = pcall(function() return self:c(1) end)
      dispatch.step { s = problem } sleep(100) dispatch.step { s = problem }
      """)
    _ = try repl(
      ":clock virtual\n:stub root.c function(x) sleep(1) error(\"bad\", 0) end\ngo()\n:advance 5s\n"
    )
    let second = try repl(":clock virtual\n:advance 200s\ns.log\n")
    #expect(second.output.hasSuffix("{ \"bad\", \"bad\" }\n"), "\(second.output)")
  }

  @Test("a stub's pending call fails in the next session as unanswered")
  func unansweredStub() throws {
    try answering(
      """
      local both = all {
        one = function() return pcall(function() return self:c(1) end) end,
        two = function() for i = 1, 3 do sleep(1) dispatch.step { s = "two" } end return self:d() end,
      }
      sleep(10)
      dispatch.step { s = tostring(both.one) .. both.two }
      """)
    let first = try repl(
      ":clock virtual\n:stub root.c function(x) sleep(60) return \"C\" end\n:stub root.d \"D\"\n"
        + "go()\n:advance 5s\n")
    #expect(first.code == 0, "\(first.errors)")
    let second = try repl(":clock virtual\n:advance 200s\ns.log\ns.problem\n")
    #expect(
      second.output.contains("{ \"two\", \"two\", \"two\", \"falseD\" }"), "\(second.output)")
  }

  @Test(":why #N answers from the journal, and refers to the journal beyond the history")
  func why() throws {
    _ = try repl(":clock virtual\ncoin { amount = 2 }\n:advance 1s\ncoin { amount = 3 }\n")
    let told = try repl(":why #2\n:why #1\n")
    #expect(told.code == 0, "\(told.errors)")
    #expect(
      told.output.contains(
        "#2 tick\n  ticks: 0 -> 1\nsince #1 coin { amount = 2 }\nfrom outside, entry 2 of the journal, "
      ))
    for input in [":goto 1", ":undo 3", ":diff 0 1"] {
      let ran = try repl(input + "\n")
      #expect(ran.code == 3)
      #expect(ran.errors.contains("\"moonlatch journal show\" with --case main"), "\(ran.errors)")
    }
    #expect(try repl(":why #99\n").errors.contains("there is no commit #99"))
  }

  @Test("a case in a journal cannot be saved or replayed from the session's start")
  func refuses() throws {
    for input in [":save x.scenario.lua", ":save x.jsonl", ":reload replay"] {
      let ran = try repl(input + "\n")
      #expect(ran.code == 3)
      #expect(ran.errors.contains("case main resumes where it was"))
    }
  }

  @Test("a journal that is in use, invalid or of a faulty flow exits with 2 and a message")
  func cannot() throws {
    #expect(try moonlatch("repl", "--journal", "j.journal", in: folder).code == 64)
    let database = try moonlatch("repl", "till.lua", "--journal", "postgresql://a/b", in: folder)
    #expect(database.code == 64 && database.errors.contains("--journal must be a file here"))
    #expect(try moonlatch("repl", "till.lua", "--case", "x", in: folder).code == 64)
    try folder.write(
      "this is no journal, but a text that is long enough to be looked at", to: "j.journal")
    let none = try repl("s\n")
    #expect(none.code == 2)
    #expect(none.errors.hasPrefix("moonlatch: "))
    try folder.write("state {", to: "bad.lua")
    let bad = try moonlatch("repl", "bad.lua", "--journal", "new.journal", in: folder)
    #expect(bad.code == 2)
    #expect(bad.errors.contains("bad.lua:1:"))
    #expect(!FileManager.default.fileExists(atPath: folder.url.appending(path: "new.journal").path))
  }

  @Test("a flow that does not fit the case exits with 2, and the case is unchanged")
  func unfit() throws {
    try folder.write(
      "machine.door { initial = \"a\", a = { go = \"b\" }, b = {} } action.go {} state {}",
      to: "till.lua")
    _ = try repl("go()\n")
    try folder.write(
      "machine.door { initial = \"a\", a = { go = \"c\" }, c = {} } action.go {} state {}",
      to: "till.lua")
    let ran = try repl("s\n")
    #expect(ran.code == 2)
    #expect(ran.errors.contains("machine door is in b, a state that was removed"))
  }
}
