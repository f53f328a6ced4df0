import FlowHosting
import FlowKernel
import Testing

@Suite("undo and redo of lists that start empty") struct EmptiedListTests {
  @Test("a list that a transition fills and then replaces by a map is a list again after undo")
  func filledAndReplaced() throws {
    let host = try FlowHost(
      source: """
        state { box = map { it = list {} } }
        action.turn {}
        function reduce.turn(s)
          table.insert(s.box.it, { n = 1 })
          s.box.it = map {}
        end
        """, options: HostOptions(clock: .virtual))
    let before = try host.state()
    #expect(try host.dispatch("turn").isPassed)
    let after = try host.state()
    try host.undo()
    #expect(try host.state() == before)
    try host.redo()
    #expect(try host.state() == after)
  }

  @Test(
    "a list that one transition adds and another empties stays a list through undo and redo",
    arguments: [
      "table.remove(s.box.it.inner)", "s.box.it.inner[1] = nil", "s.box.it.inner = list {}",
    ])
  func putAndEmptied(emptying: String) throws {
    let host = try FlowHost(
      source: """
        state { box = map {} }
        action.put {} action.take {}
        function reduce.put(s) s.box.it = { inner = { 1 } } end
        function reduce.take(s) \(emptying) end
        """, options: HostOptions(clock: .virtual))
    #expect(try host.dispatch("put").isPassed)
    #expect(try host.dispatch("take").isPassed)
    let after = try host.state()
    #expect(after["box"]?["it"]?["inner"] == .list([]))
    try host.go(to: 0)
    try host.go(to: 2)
    #expect(try host.state() == after)
    try host.undo()
    #expect(try host.state()["box"]?["it"]?["inner"] == [1])
  }
}
