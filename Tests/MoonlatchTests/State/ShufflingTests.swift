import FlowHosting
import FlowKernel
import LuaRuntime
import Testing

/// `table.shuffle` and `table.choice` in flows.
@Suite struct ShufflingTests {
  private static let source = """
    state { deck = list_of { integer, default = { 1, 2, 3, 4, 5, 6, 7, 8 } }, picked = optional(integer) }
    action.shuffle {}
    action.pick {}
    action.peek {}
    function reduce.shuffle(s) table.shuffle(s.deck) end
    function reduce.pick(s) s.picked = table.choice(s.deck) end
    function gate.peek(s) return table.choice(s.deck) == 1, "no" end
    function view.sorted(s)
      local copy = table.copy(s.deck)
      table.sort(copy)
      return copy
    end
    function invariant.same(s) return table.sum(s.deck) == 36 and #s.deck == 8 end
    """

  private func host(seed: UInt64) throws -> FlowHost {
    var options = HostOptions(report: { _ in })
    options.seed = seed
    return try FlowHost(LoadedFlow(source: Self.source), options: options)
  }

  @Test("a shuffled list has the same elements, and the same order for the same seed")
  func seeds() throws {
    let (one, same, other) = (try host(seed: 1), try host(seed: 1), try host(seed: 2))
    for host in [one, same, other] { _ = try host.dispatch("shuffle") }
    #expect(try one.state()["deck"] == same.state()["deck"])
    #expect(try one.state()["deck"] != other.state()["deck"])
    #expect(try one.view("sorted") == [1, 2, 3, 4, 5, 6, 7, 8])
  }

  @Test("a shuffle is undone and redone as one change")
  func undone() throws {
    let host = try host(seed: 1)
    let before = try host.state()["deck"]
    _ = try host.dispatch("shuffle")
    let after = try host.state()["deck"]
    try host.undo()
    #expect(try host.state()["deck"] == before)
    try host.redo()
    #expect(try host.state()["deck"] == after)
  }

  @Test("choice gives an element, and is refused where random is")
  func choice() throws {
    let host = try host(seed: 3)
    _ = try host.dispatch("pick")
    #expect((1...8).contains(try host.state()["picked"]?.integerValue ?? 0))
    guard case .failed(let failure) = try host.dispatch("peek") else {
      Issue.record("a gate rule has drawn")
      return
    }
    #expect(failure.message.contains("has no random()"))
  }
}
