import Moonlatch
import Testing

@Suite("undo and redo of lists that begin empty") struct EmptiedListTests {
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
}
