import Foundation
import Testing

/// `moonlatch explore NAME.explore.lua`.
@Suite struct ExplorationFilesTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.write(
      """
      state { n = 0 }
      action.up { by = integer { min = 1, max = 2 } }
      action.back {}
      function gate.up(s, a) return s.n + a.by <= 3 end
      function reduce.up(s, a) s.n = s.n + a.by end
      function reduce.back(s) s.n = 0 end
      """, to: "count.lua")
  }

  @Test("each exploration of a file is reported with the properties that hold and fail")
  func report() throws {
    try folder.write(
      """
      flow "count.lua"
      explore("by one", { actions = { up = { by = { 1 } } } }, function()
        always("small", function(s) return s.n < 4 end)
      end)
      explore("by any", function()
        never("three", function(s) return s.n == 3 end)
      end)
      """, to: "count.explore.lua")
    let ran = try moonlatch("explore", "count.explore.lua", in: folder)
    #expect(ran.code == 1)
    #expect(
      ran.output.contains(
        "count.lua: by one: 4 states, 8 transitions, depth 4, all explored\n  holds   always small\n"
      ))
    #expect(ran.output.contains("count.lua: by any: 4 states,"))
    #expect(ran.output.contains("  fails   never three\n"))
    let played = try moonlatch("run", "count.three.scenario.lua", in: folder)
    #expect(played.code == 1)
    #expect(played.output.contains("never three does not hold here"))
  }

  @Test("a report is complete if an option cannot be satisfied")
  func impossible() throws {
    try folder.write(
      "flow \"count.lua\" explore(\"a\", {}) explore(\"b\", {})", to: "count.explore.lua")
    let ran = try moonlatch(
      "explore", "count.explore.lua", "--graph", "count.dot", "--report", "jsonl=r.jsonl",
      in: folder)
    #expect(ran.code == 64 && ran.errors.contains("--graph is for one exploration"))
    #expect(try folder.text(of: "r.jsonl").hasSuffix("{\"event\":\"end\",\"exit_code\":64}\n"))
  }

  @Test("a report is complete if the reader of the output is gone")
  func unread() throws {
    // The command begins when the reader of its output has gone.
    let explore = "exec \(ChildProcess.command) explore count.lua --report jsonl=r.jsonl"
    let child = try ChildProcess(
      ["-c", "{ (while (echo) 2>/dev/null; do :; done; \(explore)); echo $? >code; } | true"],
      in: folder.url,
      streams: [.reading("/dev/null"), .writing("/dev/null"), .writing("/dev/null")],
      command: "/bin/sh")
    #expect(child.wait() == 0)
    // The shell may be told of the end before the other one has written the code.
    while (try? folder.text(of: "code"))?.hasSuffix("\n") != true { usleep(1_000) }
    #expect(try folder.text(of: "code") == "141\n")
    #expect(try folder.text(of: "r.jsonl").hasSuffix("{\"event\":\"end\",\"exit_code\":141}\n"))
  }

  @Test("errors in a file are reported with their lines, and nothing is explored")
  func faults() throws {
    try folder.write(
      "flow \"count.lua\"\nexplore(\"it\", {\n  actions = { uo = {} },\n  withn = 1,\n})",
      to: "count.explore.lua")
    #expect(
      try moonlatch("explore", "count.explore.lua", in: folder)
        == Ran(
          code: 2, output: "",
          errors: """
            count.explore.lua:3: explore "it": there is no action uo
            count.explore.lua:4: explore "it": there is no option withn; did you mean within? (it takes \
            actions, given, within, ends, alike, effects, random, time)

            """))
  }

  @Test("--graph overwrites only its own files, and takes one exploration")
  func graph() throws {
    let all = try moonlatch("explore", "count.lua", "--graph", "count.aut", in: folder)
    #expect(all.code == 0)
    #expect(all.output.hasSuffix("  written count.aut\n"))
    #expect(try folder.text(of: "count.aut").hasPrefix("des (0,9,4)\n(0,\"up(by = 1)\",1)\n"))
    #expect(try moonlatch("explore", "count.lua", "--graph", "count.aut", in: folder).code == 0)
    try folder.write("mine", to: "mine.dot")
    let refused = try moonlatch("explore", "count.lua", "--graph", "mine.dot", in: folder)
    #expect(refused.code == 3)
    #expect(try folder.text(of: "mine.dot") == "mine")
    let unknown = try moonlatch("explore", "count.lua", "--graph", "count.txt", in: folder)
    #expect(unknown.code == 64)
    #expect(
      unknown.errors.contains(
        "the name count.txt does not determine the format: it must end in .dot"))
    try folder.write(
      "flow \"count.lua\"\nexplore(\"a\")\nexplore(\"b\")", to: "count.explore.lua")
    let two = try moonlatch("explore", "count.explore.lua", "--graph", "count.dot", in: folder)
    #expect(two.code == 64)
    #expect(two.errors.contains("--graph is for one exploration, and count.explore.lua has 2"))
  }
}
