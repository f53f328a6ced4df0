import Foundation
import Testing

/// Scenarios that `moonlatch explore` writes.
@Suite struct CounterexampleFilesTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.write(
      """
      state { n = 0 }
      action.up {}
      action.add { by = integer { min = 1, max = 3 } }
      function reduce.up(s) s.n = s.n + 1 end
      function reduce.add(s, a)
        if s.n > 0 then error("cannot add " .. a.by .. " to " .. s.n) end
        s.n = 4
      end
      function gate.up(s) return s.n < 3 end
      """, to: "flows/sums.lua")
  }

  @Test("a violation in a given initial state is written as a scenario")
  func beginnings() throws {
    try folder.write(
      "state { n = 0 } action.up {} function invariant.low(s) return s.n < 9, \"it is high\" end",
      to: "low.lua")
    try folder.write(
      """
      flow "low.lua"
      explore("it", { given = { {}, { n = 9 }, { n = 8 } }, within = function(s) return s.n < 7 end }, function()
        never("eight", function(s) return s.n == 8 end)
      end)
      """, to: "low.explore.lua")
    #expect(try moonlatch("explore", "low.explore.lua", "--write", "low", in: folder).code == 1)
    let ran = try moonlatch("run", "low", in: folder)
    #expect(ran.output.contains("given: invariant.low does not hold: it is high"))
    #expect(ran.output.contains("never eight does not hold here"))
    #expect(ran.output.contains("0 passed, 2 failed"))
  }

  @Test(
    "a counterexample pauses the effects that its last step starts, and fixes its random draws",
    arguments: [[], ["--random", "--seed", "1"]])
  func lastSteps(options: [String]) throws {
    try folder.write(
      """
      state { loads = 0, n = 0, m = 0, t = 0 }
      action.load {}
      action.loaded {}
      action.roll {}
      action.toss {}
      action.turn {}
      function gate.load(s) return s.loads == 0, "it has begun" end
      function reduce.load(s) s.loads = 1 end
      function effect.load(self) self:get() dispatch.loaded() end
      function reduce.roll(s) s.n = random(6) end
      function reduce.toss(s) if random(2, 9) == 7 then error("seven") end end
      function reduce.turn(s) s.t = random(0, 5) end
      function invariant.low(s) return s.t ~= 4, "it is four" end
      """, to: "rolls.lua")
    try folder.write(
      """
      flow "rolls.lua"
      explore("it", { within = function(s) return s.n < 5 and s.loads == 0 or s.n == 1 end }, function()
        never("loading", function(s) return s.loads == 1 and s.n == 1 end)
        never("loading outside", function(s) return s.loads == 1 and s.n == 0 end)
        never("six", function(s) return s.n == 6 end)
        step("not by three", function(before, after) return after.n ~= 3 end)
        step("nothing loads", function(before, after) return after.loads == before.loads end)
      end)
      """, to: "rolls.explore.lua")
    let explored = try moonlatch(
      ["explore", "rolls.explore.lua", "--write", "rolls"] + options, in: folder, input: Data())
    #expect(explored.code == 1)
    let ran = try moonlatch("run", "rolls", in: folder)
    #expect(ran.output.contains("0 passed, 7 failed"))
    for place in [
      "never loading does not hold here", "never \"loading outside\" does not hold here",
      "never six does not hold here", "step \"not by three\" does not hold here",
      "step \"nothing loads\" does not hold here", "rolls.lua:11: seven", "it is four",
    ] { #expect(ran.output.contains("\(place)\n"), "\(place)") }
    // The steps before a failed expectation run as they did in the exploration.
    #expect(!ran.output.contains("it has no stub"))
    for (name, line) in [("six", "n: 0 -> 6"), ("not-by-three", "n: 0 -> 3")] {
      let one = try moonlatch("run", "rolls/rolls.\(name).scenario.lua", in: folder)
      #expect(one.output.contains(line))
    }
  }

  @Test("repeated failures at one line are reported once, with the shortest path")
  func places() throws {
    let ran = try moonlatch("explore", "flows/sums.lua", "--write", "found", in: folder)
    #expect(ran.code == 1)
    #expect(
      ran.output.contains(
        """
          fails   flows/sums.lua:6: cannot add 1 to 1
            flows/sums.lua:6: in function 'reduce.add'
                   1  up
                   2  add { by = 1 }
                   the same error, in 11 more steps
        """))
    #expect(ran.output.ranges(of: "  fails   ").count == 1)
    // An action that fails is not reported as one that never passes.
    #expect(!ran.output.contains("  dead "))
  }

  @Test("--write creates its folder, and says from where its scenarios can be run")
  func elsewhere() throws {
    let ran = try moonlatch("explore", "flows/sums.lua", "--write", "found/today", in: folder)
    #expect(ran.code == 1)
    #expect(ran.output.contains("  written found/today/sums.add.scenario.lua\n"))
    #expect(!ran.output.contains("to run these files"))
    // From here the words of a file there do not reach the flow.
    let other = try TemporaryFolder()
    let far = try moonlatch(
      "explore", "flows/sums.lua", "--write", other.url.appending(path: "today").path, in: folder)
    let base = folder.url.deletingLastPathComponent().path
    #expect(
      far.output.hasSuffix(
        "  to run these files: cd \(base) && moonlatch run \(other.url.lastPathComponent)/today\n"
      ))
  }

  @Test("findings with the same name are written to separate files")
  func names() throws {
    try folder.write(
      """
      flow "sums.lua"
      explore("one", function() never("it is three", function(s) return s.n == 3 end) end)
      explore("two", { actions = { add = false } }, function()
        never("it is three", function(s) return s.n == 3 end)
      end)
      """, to: "flows/sums.explore.lua")
    let ran = try moonlatch("explore", "flows/sums.explore.lua", in: folder)
    #expect(ran.code == 1)
    #expect(ran.output.contains("  written flows/sums.it-is-three.scenario.lua\n"))
    #expect(ran.output.contains("  written flows/sums.it-is-three-2.scenario.lua\n"))
  }
}
