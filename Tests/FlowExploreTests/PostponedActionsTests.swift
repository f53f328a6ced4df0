import FlowKernel
import LuaRuntime
import Testing

@testable import FlowExplore

/// Explorations of flows that postpone actions, compared with a search that runs each transition in
/// each state.
@Suite("Explored postponed actions") struct ExploredPostponedActionsTests {
  @Test("the number of postponed actions is part of a state", arguments: 1...3)
  func limited(most: Int) throws {
    let flow = try LoadedFlow(
      source: """
        state { paid = 0, light = false }
        action.pay { amount = integer { min = 1, max = 2 } }
        action.switch {}
        action.start {}
        action.ready {}
        machine.till {
          initial  = "open",
          open     = { pay = true, start = "counting", switch = true },
          counting = { postpone = { "pay" }, ready = "open", switch = true },
        }
        function reduce.pay(s, a) s.paid = (s.paid + a.amount) % 3 end
        function reduce.switch(s) s.light = not s.light end
        """, name: "till.lua", limits: Limits(postponed: most))
    var exploration = try Exploration(flow)
    exploration.jobs = 1
    let report = try exploration.run()
    let plain = try ReferenceSearch(exploration, most: .max)
    #expect(report.ending == .whole)
    #expect(report.states == plain.states && report.transitions == plain.transitions)
    // Open, and counting with each row of so many amounts at most; each with three sums and two lights.
    let rows = (0...most).reduce(0) { $0 + (1 << $1) }
    #expect(report.states == 6 * (1 + rows))
  }
}
