import Foundation
import LuaRuntime
import Testing

/// `moonlatch explore --random`.
@Suite struct ExploreWalkingTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.write(
      """
      state { n = 0 }
      action.up { by = integer }
      action.again { times = list_of(integer) }
      function reduce.up(s, a) s.n = s.n + a.by end
      function reduce.again(s, a) for _, by in ipairs(a.times) do s.n = s.n + by end end
      function gate.up(s, a) return a.by < 9, "too much" end
      function invariant.near(s) return s.n < 17 end
      """, to: "count.lua")
  }

  @Test("a finding of a random walk exits with 1, and its scenario fails")
  func found() throws {
    let ran = try moonlatch(
      "explore", "count.lua", "--random", "--seed", "4", "--walks", "50", in: folder)
    #expect(ran.code == 1)
    #expect(ran.output.hasPrefix("count.lua: 50 walks of up to 100 steps, "))
    #expect(ran.output.contains("  written count.near.scenario.lua\n"))
    let again = try moonlatch(
      "explore", "count.lua", "--random", "--seed", "4", "--walks", "50", "--jobs", "2", in: folder)
    #expect(again == ran)
    let played = try moonlatch("run", ".", in: folder)
    #expect(played.code == 1)
    #expect(played.output.contains("invariant.near does not hold"))
  }

  @Test("a random walk without findings exits with 6 and names its seed")
  func nothing() throws {
    try folder.write(
      "flow \"count.lua\"\nexplore(\"small\", { actions = { up = { by = { 1 } }, again = false }, given = { { n = -500 } } })",
      to: "count.explore.lua")
    let ran = try moonlatch("explore", "count.explore.lua", "--random", "--walks", "5", in: folder)
    #expect(ran.code == 6)
    let seed = try #require(
      ran.output.firstMatch(of: #/seed ([0-9]+), not all explored: walked/#)?.1)
    let again = try moonlatch(
      "explore", "count.explore.lua", "--random", "--walks", "5", "--seed", String(seed),
      "--report", "jsonl=walks.jsonl", in: folder)
    #expect(again == ran)
    let lines = try String(contentsOf: folder.url.appending(path: "walks.jsonl"), encoding: .utf8)
      .split(separator: "\n").map { try JSONText.value(of: String($0)) }
    #expect(lines[1]["event"] == "walks")
    #expect(lines[1]["seed"]?.stringValue == String(seed))
    #expect(lines[1]["steps"] == 500)
  }

  @Test("options that need stored states are rejected with --random")
  func options() throws {
    for options in [
      ["--max-states", "5"], ["--hash"], ["--verify"], ["--graph", "a.dot"], ["--suite", "."],
      ["--cover", "."], ["--against", "count.lua"], ["--checkpoint", "a"], ["--memory", "1M"],
      ["--align", "a.csv"],
    ] {
      let ran = try moonlatch(
        ["explore", "count.lua", "--random"] + options, in: folder, input: Data())
      #expect(ran.code == 64)
      #expect(ran.errors.contains("--random stores no states, so it excludes \(options[0])"))
    }
    let alone = try moonlatch("explore", "count.lua", "--seed", "5", in: folder)
    #expect(alone.code == 64)
    #expect(alone.errors.contains("--seed is only for --random"))
  }

  @Test("random walks end after their time limit")
  func time() throws {
    let ran = try moonlatch(
      "explore", "count.lua", "--random", "--walks", "1000000000", "--time", "200ms", in: folder)
    #expect(ran.output.contains("not all explored: the time limit was reached"))
    #expect(ran.code == 1)
  }
}
