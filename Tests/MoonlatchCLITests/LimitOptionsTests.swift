import Foundation
import Testing

/// `--limit` of the commands that load flows.
@Suite struct LimitOptionsTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    // Its first state leads on 20 times by itself.
    try folder.write(
      """
      state { n = 0 }
      action.go {}
      machine.m {
        initial = "a",
        a = { go = true, always = { when = function(s) return s.n < 20 end, reduce = function(s) s.n = s.n + 1 end } },
      }
      function reduce.go(s) s.n = 0 end
      """, to: "flow.lua")
    try folder.write(
      "flow \"flow.lua\"\nscenario(\"s\", function() pass.go() end)\n", to: "a.scenario.lua")
    try folder.write("case,action,time\n1,go,2026-01-01T00:00:00Z\n", to: "log.csv")
  }

  @Test(
    "a command loads and runs flows under its limit options",
    arguments: [
      ["repl", "flow.lua"], ["check", "flow.lua"], ["graph", "flow.lua"],
      ["types", "flow.lua", "--output", "types"], ["explore", "flow.lua"],
      ["run", "a.scenario.lua"], ["run", "a.scenario.lua", "--jobs", "1"],
      ["replay", "flow.lua", "log.csv", "--case", "case", "--action", "action", "--time", "time"],
    ])
  func commands(arguments: [String]) throws {
    func play(_ microsteps: Int) throws -> (code: Int32, all: String) {
      let ran = try moonlatch(
        arguments + ["--limit", "microsteps=\(microsteps)"], in: folder,
        input: Data("pass.go()\n".utf8))
      return (ran.code, ran.output + ran.errors)
    }
    let few = try play(10)
    let draws = arguments[0] == "graph"
    #expect((few.code != 0) == !draws, "\(few)")
    #expect(few.all.contains("(always, on_done; 10 microsteps)") == !draws, "\(few.all)")
    #expect(try !play(20).all.contains("endless eventless transitions"))
    #expect(
      try play(20).code == moonlatch(arguments, in: folder, input: Data("pass.go()\n".utf8)).code)
  }

  @Test("journal subcommands run their flows under their limit options")
  func journals() throws {
    _ = try moonlatch(
      ["repl", "flow.lua", "--journal", "j.sqlite", "--case", "c"], in: folder,
      input: Data("go()\n".utf8))
    for arguments in [
      ["journal", "scenario", "j.sqlite", "--case", "c"],
      ["journal", "migrate", "--check", "j.sqlite", "flow.lua"],
    ] {
      func told(_ more: String...) throws -> String {
        let ran = try moonlatch(arguments + more, in: folder, input: Data())
        return ran.output + ran.errors
      }
      let few = try told("--limit", "microsteps=10")
      #expect(few.contains("(always, on_done; 10 microsteps)"), "\(few)")
      #expect(try !told().contains("endless eventless transitions"))
    }
  }

  @Test(
    "an unknown limit, or one that is no number, is a usage error",
    arguments: [
      ("instructions=1", "there is no limit instructions"),
      ("timer=1", "there is no limit timer; did you mean timers?; the limits are chain, "),
      ("memory", "the limit memory must be a whole number: --limit memory=1000"),
      ("memory=x", "the limit memory must be a whole number"),
      ("memory=-1", "the limit memory must be a whole number"), ("=1", "there is no limit ;"),
    ])
  func wrong(limit: String, message: String) throws {
    let ran = try moonlatch("check", "flow.lua", "--limit", limit, in: folder)
    #expect(
      ran.code == 64 && ran.errors.contains("--limit") && ran.errors.contains(message), "\(ran)")
  }
}
