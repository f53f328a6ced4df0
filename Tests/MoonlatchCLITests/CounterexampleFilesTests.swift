import Foundation
import Testing

/// The scenarios that `moonlatch explore` writes, as a person sees them.
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

  @Test("what goes wrong in one line again and again is told once, by the shortest way")
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
                   the same place, in 11 more steps
        """))
    #expect(ran.output.ranges(of: "  fails   ").count == 1)
    // What fails is no action that never passes.
    #expect(!ran.output.contains("  dead "))
  }

  @Test("the folder of --write is made, and its scenarios run from where that is said")
  func elsewhere() throws {
    let ran = try moonlatch("explore", "flows/sums.lua", "--write", "found/today", in: folder)
    #expect(ran.code == 1)
    #expect(ran.output.contains("  written found/today/sums.add.scenario.lua\n"))
    #expect(!ran.output.contains("to run what is written"))
    // From here the words of a file there do not reach the flow.
    let other = try TemporaryFolder()
    let far = try moonlatch(
      "explore", "flows/sums.lua", "--write", other.url.appending(path: "today").path, in: folder)
    let base = folder.url.deletingLastPathComponent().path
    #expect(
      far.output.hasSuffix(
        "  to run what is written: cd \(base) && moonlatch run \(other.url.lastPathComponent)/today\n"
      ))
  }

  @Test("of findings with the same name each has a file of its own")
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
