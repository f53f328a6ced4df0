import FlowExplore
import FlowKernel
import Testing

@testable import Scenarios

/// Cheapest alignments of recorded cases, compared with those that an exhaustive search of all runs
/// finds.
@Suite("Alignments")
struct AlignmentTests {
  /// A counter up to four, which is emptied where it is full.
  private static let counter = """
    state { n = 0 }
    action.up { by = integer { min = 1, max = 3 } }
    action.reset {}
    function gate.up(s, a) return s.n + a.by <= 4, "that is too much" end
    function reduce.up(s, a) s.n = s.n + a.by end
    function gate.reset(s) return s.n == 4, "it is not full" end
    function reduce.reset(s) s.n = 0 end
    """

  /// A model of the counter, which returns nil for a refusal: 1, 2 and 3 are added, 0 empties it.
  private func counted(_ n: Int, _ event: Int) -> Int? {
    if event == 0 { return n == 4 ? 0 : nil }
    return event <= 3 && n + event <= 4 ? n + event : nil
  }

  /// The least distance of some events to a run that has so many moves at most; 3 is never put in.
  private func distance(_ events: [Int], _ n: Int, moves: Int) -> Int {
    guard let first = events.first else { return 0 }
    let rest = Array(events.dropFirst())
    var least = 1 + distance(rest, n, moves: moves)
    if moves == 0 { return least }
    if let next = counted(n, first) { least = min(least, distance(rest, next, moves: moves - 1)) }
    for move in 0...2 {
      guard let next = counted(n, move) else { continue }
      least = min(least, 1 + distance(events, next, moves: moves - 1))
    }
    return least
  }

  @Test("the cost of a case is the minimum over all runs", arguments: 1...4)
  func bruteForce(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    var rows: [String] = []
    var expected = 0
    // 4 is no payload, and 5 no action.
    for number in 0..<40 {
      let events = (0..<Int.random(in: 1...5, using: &random)).map { _ in
        Int.random(in: 0...5, using: &random)
      }
      expected += distance(events, 0, moves: 2 * events.count)
      rows += events.map { event in
        "\(number),\(event == 0 ? "reset" : event == 5 ? "down" : "up"),\((1...4).contains(event) ? "\(event)" : "")"
      }
    }
    let aligned = try Aligned(
      "case,do,by\n" + rows.joined(separator: "\n"), of: AlignmentTests.counter,
      "explore(\"it\", { actions = { up = { by = { 1, 2 } } } })")
    #expect(aligned.alignment.cost == expected)
    #expect(aligned.alignment.givenUp == nil)
  }

  /// A door that shuts by itself.
  private static let door = """
    action.open {}
    action.shut {}
    machine.door {
      initial = "shut", shut = { open = "opened" }, opened = { shut = "shut", after = { shut = 5 } },
    }
    """

  @Test(
    "a timer's action costs nothing, whether the log shows it or not",
    arguments: [
      ("open open open", 0), ("open shut open shut", 0), ("shut", 1), ("open shut shut", 1),
    ])
  func timers(events: String, cost: Int) throws {
    let rows = events.split(separator: " ").map { "a,\($0)" }.joined(separator: "\n")
    #expect(
      try Aligned("case,do\n" + rows, of: AlignmentTests.door).alignment.cost == cost)
  }

  /// A page that is loaded by an effect, and read.
  private static let page = """
    state { page = "blank" }
    action.load {}
    action.read {}
    internal.loaded { page = string { samples = { "one" } } }
    function gate.load(s) return s.page ~= "loading", "it loads" end
    function reduce.load(s) s.page = "loading" end
    function reduce.loaded(s, a) s.page = a.page end
    function gate.read(s) return s.page == "one" or s.page == "other", "nothing is there" end
    effect.load = function(self) self:wait(1) dispatch.loaded { page = "one" } end
    """

  @Test(
    "the result of an effect costs nothing, whether the log shows it, with any payload, or not",
    arguments: [
      ("load, loaded,one read,", 0), ("load, loaded,other read,", 0), ("load, read,", 0),
      ("load, loaded,one loaded,one read,", 1), ("loaded,one", 1), ("read,", 1),
      ("load, loaded,", 0),
    ])
  func effects(events: String, cost: Int) throws {
    let rows = events.split(separator: " ").map { "a,\($0)" }.joined(separator: "\n")
    let aligned = try Aligned("case,do,page\n" + rows, of: AlignmentTests.page)
    #expect(aligned.alignment.cost == cost)
  }

  @Test("a random draw may have any outcome")
  func chance() throws {
    let flow = """
      state { n = 0 }
      action.roll {}
      action.six {}
      function reduce.roll(s) s.n = random(1, 6) end
      function gate.six(s) return s.n == 6, "it is none" end
      """
    #expect(try Aligned("case,do\na,roll\na,six", of: flow).alignment.cost == 0)
  }

  @Test("an event that would break an invariant is rejected with the reason")
  func invariants() throws {
    let flow = """
      state { n = 0 }
      action.up {}
      function reduce.up(s) s.n = s.n + 1 end
      function invariant.low(s) return s.n < 2 end
      """
    let aligned = try Aligned("case,do\na,up\na,up", of: flow)
    #expect(
      aligned.text.contains(
        "  too many up, in 1 case, first a (log.csv:3): flow.lua:4: invariant.low does not hold\n"))
  }

  @Test("a case starts in any initial state that the file declares")
  func given() throws {
    let aligned = try Aligned(
      "case,do,by\na,reset,", of: AlignmentTests.counter,
      "explore(\"it\", { given = { {}, { n = 4 } } })")
    #expect(aligned.alignment.cost == 0)
  }
}
