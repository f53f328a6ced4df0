import FlowKernel
import Synchronization
import Testing

@testable import FlowExplore

/// Searches that end before they have seen all states.
@Suite("End of a search")
struct SearchEndTests {
  /// It counts up without end.
  private static let endless = """
    state { n = 0 }
    action.up {}
    function reduce.up(s) s.n = s.n + 1 end
    """

  private func exploration() throws -> Exploration {
    try Exploration(try LoadedFlow(source: SearchEndTests.endless))
  }

  @Test("a search that runs out of time is bounded, and never reported as complete")
  func time() throws {
    var exploration = try exploration()
    exploration.bounds.time = .zero
    let report = try exploration.run()
    #expect(report.ending == .bounded)
    #expect(report.text("it").contains("not all explored: the time limit was reached"))
    #expect(!report.text("it").contains(", all explored"))
  }

  @Test("a stopped search reports that it was stopped")
  func stopped() throws {
    let asked = Atomic<Int>(0)
    var exploration = try exploration()
    exploration.isStopped = { asked.add(1, ordering: .relaxed).newValue > 100 }
    let report = try exploration.run()
    #expect(report.ending == .stopped)
    #expect(report.text("it").contains("not all explored: it was stopped"))
    #expect(report.states < 1_000)
  }

  @Test("the search end records its reason once it is due")
  func first() {
    let end = SearchEnd(after: .zero)
    #expect(end.reason == nil)
    #expect(end.isDue)
    #expect(end.reason == .time)
    #expect(!SearchEnd().isDue)
    #expect(SearchEnd { true }.isDue)
  }
}
