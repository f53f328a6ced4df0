import CExplore
import FlowKernel
import Foundation
import Testing

@testable import FlowExplore

/// Verification of learned decisions, which are executed again.
@Suite("Self-check")
struct CheckingTests {
  private func report(_ source: String) throws -> ExplorationReport {
    var exploration = try Exploration(try LoadedFlow(source: source))
    exploration.verifies = true
    return try exploration.run()
  }

  @Test("every use of a decision is verified, whatever the number of threads")
  func verified() throws {
    for source in [EnginePairTests.busy, EnginePairTests.wide] {
      var exploration = try Exploration(try LoadedFlow(source: source))
      exploration.verifies = true
      exploration.jobs = 1
      let alone = try exploration.run()
      exploration.jobs = 3
      let together = try exploration.run()
      let verified = try #require(alone.verified)
      // Each state is asked of each action, and whether each invariant holds.
      #expect(verified > alone.states * 8)
      #expect(alone.text("it") == together.text("it"))
      #expect(alone.text("it").hasSuffix(" decisions verified\n"))
    }
  }

  @Test("verification of some decisions is the default, and the report does not count them")
  func usual() throws {
    let report = try Exploration(try LoadedFlow(source: Explored.counter)).run()
    #expect(report.verified == nil)
    #expect(!report.text("it").contains("verified"))
  }

  @Test("the properties, bounds and end states of a file are verified too")
  func properties() throws {
    let explored = try Explored(
      Explored.counter,
      """
      explore("all", {
        within = function(s) return s.n < 3, "full" end, ends = function(s) return s.n == 2 end,
      }, function()
        never("three", function(s) return s.n == 3 end)
        step("up", function(before, after, action) return after.n > before.n or action.name == "reset" end)
        leads_to("seen", function(s) return s.n == 2 end, function(s) return s.seen end)
      end)
      """)
    var exploration = try #require(try explored.explorations().first)
    exploration.verifies = true
    #expect(try #require(try exploration.run().verified) > 10)
  }

  /// A session in which something is said of an action, whatever the state, before anything was played.
  private func difference(
    _ source: String, _ action: String, _ learn: (StateSearch, UInt32) -> Void
  ) throws -> String {
    let flow = try LoadedFlow(source: source)
    let session = try StateSearch(
      flow, try ExplorationSetup(flow), ExplorationBounds(), jobs: 1, checks: .all)
    let trie = session.asked.firstIndex {
      if case .move(.action(action, _)) = $0 { true } else { false }
    }
    learn(session, UInt32(try #require(trie)))
    let error = #expect(throws: ExplorationError.self) { try session.run() }
    #expect(error?.kind == .impure)
    return error?.description ?? ""
  }

  private static let flow = """
    state { n = 0 }
    action.up {}
    function reduce.up(s) s.n = 1 end
    """

  @Test("a wrong decision is reported with the state, the learned result and the executed result")
  func refused() throws {
    let told = try difference(CheckingTests.flow, "up") { session, trie in
      let reason = session.number(of: .init(text: "no", place: nil, isIdle: false))
      explore_learn(
        session.search, trie, nil, 0,
        explore_leaf(kind: EXPLORE_REFUSED, reason: reason, writes: nil, write_count: 0))
    }
    #expect(told.contains("up"))
    #expect(told.contains("{ n = 0 }"))
    #expect(told.contains("is refused (no), as learned, but when played it comes to passed"))
  }

  @Test("a decision that leads to another state is reported with both states")
  func elsewhere() throws {
    let told = try difference(CheckingTests.flow, "up") { session, trie in
      explore_learn(
        session.search, trie, nil, 0,
        explore_leaf(kind: EXPLORE_PASSES, reason: 0, writes: nil, write_count: 0))
    }
    #expect(told.contains("leads to { n = 0 }"))
    #expect(told.contains("but when played it leads to { n = 1 }"))
  }
}
