import Foundation
import LuaRuntime
import Testing

/// `moonlatch explore --suite`, `--cover`, `--against` and `--report`.
@Suite struct ExploreAskingTests {
  private let folder: TemporaryFolder

  /// Two counters, and a door that shuts by itself.
  private static let flow = """
    state { n = 0 }
    action.up {}
    action.open {}
    action.shut {}
    function gate.up(s) return s.n < 2, "it is full" end
    function reduce.up(s) s.n = s.n + 1 end
    machine.door {
      initial = "shut", shut = { open = "opened" }, opened = { shut = "shut", after = { shut = 5 } },
    }
    """

  init() throws {
    folder = try TemporaryFolder()
    try folder.write(ExploreAskingTests.flow, to: "door.lua")
  }

  private static let examples = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appending(path: "examples")

  @Test(
    "the suite of an example passes and covers every transition",
    arguments: [
      "turnstile/turnstile", "counter/counter", "crossing/crossing", "order/order", "player/player",
      "elevator/elevator", "loader/loader", "lobby/lobby",
    ])
  func examples(name: String) throws {
    let (place, stem) = (name.prefix { $0 != "/" }, name.drop { $0 != "/" }.dropFirst())
    let copy = folder.url.appending(path: String(place))
    try FileManager.default.copyItem(
      at: ExploreAskingTests.examples.appending(path: String(place)), to: copy)
    for file in try FileManager.default.contentsOfDirectory(atPath: copy.path)
    where file.hasSuffix(".scenario.lua") {
      try FileManager.default.removeItem(at: copy.appending(path: file))
    }
    let explored = try moonlatch(
      "explore", "\(place)/\(stem).explore.lua", "--suite", String(place), in: folder)
    #expect(explored.code == 0)
    #expect(explored.errors == "")
    let played = try moonlatch("run", "--coverage", String(place), in: folder)
    #expect(played.code == 0)
    #expect(played.output.contains(", 0 failed"))
    if place == "player" {
      #expect(played.output.contains("machine transitions         11 of 11\n"))
    }
    let covered = try moonlatch(
      "explore", "\(place)/\(stem).explore.lua", "--cover", String(place), in: folder)
    #expect(!covered.output.contains("\n  not "))
  }

  @Test(
    "a flow with a changed rule fails its suite",
    arguments: [
      ("s.n < 2", "s.n < 3"), ("it is full", "full"), ("s.n + 1", "s.n + 2"),
      ("shut = 5", "shut = 6"),
      ("opened = { shut = \"shut\",", "opened = { shut = \"opened\","),
      ("shut = { open", "shut = { shut = \"shut\", open"),
    ])
  func mutants(text: String, changed: String) throws {
    let written = try moonlatch("explore", "door.lua", "--suite", ".", in: folder)
    #expect(written.code == 0)
    #expect(try moonlatch("run", ".", in: folder).code == 0)
    let mutant = ExploreAskingTests.flow.replacing(text, with: changed)
    #expect(mutant != ExploreAskingTests.flow)
    try folder.write(mutant, to: "door.lua")
    #expect(try moonlatch("run", ".", in: folder).code == 1)
  }

  @Test("a suite overwrites an earlier suite, and nothing else")
  func foreign() throws {
    for _ in 0..<2 {
      #expect(try moonlatch("explore", "door.lua", "--suite", ".", in: folder).code == 0)
    }
    try folder.write("flow \"door.lua\"\n", to: "door.suite.scenario.lua")
    let ran = try moonlatch("explore", "door.lua", "--suite", ".", in: folder)
    #expect(ran.code == 3)
    #expect(ran.errors.contains("door.suite.scenario.lua"))
    let kept = try String(
      contentsOf: folder.url.appending(path: "door.suite.scenario.lua"), encoding: .utf8)
    #expect(kept == "flow \"door.lua\"\n")
  }

  @Test("a suite that needs a stub says so, and exits with 1")
  func stubs() throws {
    try folder.write(
      """
      state { inside = false }
      scope.room { key = function(s) return s.inside and "all" or nil end }
      action.enter {}
      action.leave {}
      action.greet {}
      function gate.enter(s) return not s.inside end
      function gate.leave(s) return s.inside end
      function reduce.enter(s) s.inside = true end
      function reduce.leave(s) s.inside = false end
      function effect.enter(self)
        self:unlock("room"):defer(function() self:say_goodbye() end)
        dispatch.greet()
      end
      """, to: "room.lua")
    let ran = try moonlatch("explore", "room.lua", "--suite", ".", in: folder)
    #expect(ran.code == 1)
    #expect(ran.errors.contains("a capability that they call must be stubbed"))
  }

  @Test("the coverage of scenarios is measured against the reachable behaviours")
  func cover() throws {
    try folder.write(
      "flow \"door.lua\"\nscenario(\"it\", function() pass.up() pass.open() end)",
      to: "a.scenario.lua")
    let ran = try moonlatch("explore", "door.lua", "--cover", ".", in: folder)
    #expect(ran.code == 0)
    #expect(ran.output.contains("  covered 2 of 7 behaviours that can be reached, by 1 scenario\n"))
    #expect(
      ran.output.contains(
        "  not     up is refused by gate up: it is full\n           1  up\n           2  up\n           3  up\n"
      ))
    try folder.write(
      "flow \"door.lua\"\nscenario(\"it\", function() pass.shut() end)", to: "b.scenario.lua")
    let failing = try moonlatch("explore", "door.lua", "--cover", ".", in: folder)
    #expect(failing.code == 1)
    #expect(failing.errors.contains("b.scenario.lua:2: it: it does not pass"))
  }

  @Test("a difference from the old flow exits with 1, and its scenario fails for the new flow")
  func against() throws {
    try folder.write(ExploreAskingTests.flow.replacing("s.n < 2", with: "s.n < 3"), to: "old.lua")
    let ran = try moonlatch("explore", "door.lua", "--against", "old.lua", in: folder)
    #expect(ran.code == 1)
    #expect(
      ran.output.contains(
        "  differs up does not pass, but it does in old.lua: now it is refused by gate up"))
    #expect(ran.output.contains("  written door.against.refused.up.scenario.lua\n"))
    #expect(try moonlatch("run", "door.against.refused.up.scenario.lua", in: folder).code == 1)
    let same = try moonlatch("explore", "door.lua", "--against", "door.lua", in: folder)
    #expect(same.code == 0)
    #expect(same.output.contains("  same    no difference from door.lua in 6 pairs of states\n"))
    let bounded = try moonlatch(
      "explore", "door.lua", "--against", "door.lua", "--max-states", "2", in: folder)
    #expect(bounded.code == 6)
    let missing = try moonlatch("explore", "door.lua", "--against", "none.lua", in: folder)
    #expect(missing.code == 2)
    let two = try moonlatch("explore", "door.lua", "old.lua", "--against", "old.lua", in: folder)
    #expect(two.code == 64)
  }

  @Test("the stream has a line for the exploration, for each finding, and for the exit code")
  func report() throws {
    try folder.write(
      """
      flow "door.lua"
      explore("it", { actions = { up = false } }, function()
        never("opened", function(s) return s.door == "opened" end)
      end)
      """, to: "door.explore.lua")
    let ran = try moonlatch(
      "explore", "door.explore.lua", "--report", "jsonl=found.jsonl", in: folder)
    #expect(ran.code == 1)
    let text = try String(contentsOf: folder.url.appending(path: "found.jsonl"), encoding: .utf8)
    let lines = try text.split(separator: "\n").map { try JSONText.value(of: String($0)) }
    #expect(
      lines.compactMap { $0["event"]?.stringValue } == [
        "explore", "exploration", "finding", "property", "end",
      ])
    #expect(lines[1]["states"] == 2)
    #expect(lines[1]["ending"] == "complete")
    #expect(lines[2]["steps"] == ["open"])
    #expect(lines[3]["status"] == "fails")
    #expect(lines[3]["line"] == 3)
    #expect(lines[4]["exit_code"] == 1)
    let again = try moonlatch(
      "explore", "door.explore.lua", "--report", "jsonl=found.jsonl", in: folder)
    #expect(again == ran)
    let foreign = try moonlatch("explore", "door.lua", "--report", "jsonl=door.lua", in: folder)
    #expect(foreign.code == 3)
    let wrong = try moonlatch("explore", "door.lua", "--report", "tap=found", in: folder)
    #expect(wrong.code == 64)
    #expect(wrong.errors.contains("--report must be jsonl=FILE, not tap=found"))
  }
}
