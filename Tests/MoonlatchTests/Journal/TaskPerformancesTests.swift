import FlowHosting
import FlowKernel
import LuaRuntime
import Testing

@testable import FlowCases

/// The tasks that a node performs itself, and the claims for them.
@Suite(.timeLimit(.minutes(5))) struct TaskPerformancesTests {
  private func performance(_ call: String) -> TaskPerformances.Performance {
    let task = OpenTask(
      call: call, tryNumber: 1, effect: 4, position: "2", scope: "root", scopeKey: .nil,
      name: "job", arguments: [:], kind: .http, queue: "#root.job", isOnce: false, opened: 0,
      deadline: nil)
    return TaskPerformances.Performance(
      PerformedTask(task, of: "a", attempt: 1),
      by: LocalPerformer(atOnce: 2, timeout: 1_000_000, perform: { _ in .interrupted }),
      of: "root.job", token: "t")
  }

  private func takeSlots(_ performances: TaskPerformances) -> Int {
    #expect(performances.beginClaims(of: "root.job"))
    return performances.slotsForClaim(of: "root.job", atOnce: 2)
  }

  @Test("a node is not idle while it claims tasks or performs them")
  func idle() async {
    let performances = TaskPerformances()
    performances.open()
    #expect(await performances.isIdle(within: .zero))
    let slots = takeSlots(performances)
    #expect(slots == 2)
    #expect(await !performances.isIdle(within: .milliseconds(1)))
    #expect(performances.add(performance("c1")) == .added)
    #expect(!performances.endClaim(of: "root.job", slots: slots, claimed: 1))
    #expect(await !performances.isIdle(within: .milliseconds(1)))
    async let isIdle = performances.isIdle(within: .seconds(60))
    _ = performances.finish(performance("c1").key)
    #expect(await isIdle)
  }

  @Test("a task whose claim ends after the node has ended is not performed, and takes no slot")
  func late() async {
    let performances = TaskPerformances()
    performances.open()
    let slots = takeSlots(performances)
    performances.end()
    async let isIdle = performances.isIdle(within: .seconds(60))
    for call in ["c1", "c2"] { #expect(performances.add(performance(call)) == .late) }
    #expect(performances.count == 0)
    // There may be more, for which no slot is taken any more.
    #expect(performances.endClaim(of: "root.job", slots: slots, claimed: 2))
    #expect(performances.slotsForClaim(of: "root.job", atOnce: 2) == 0)
    #expect(await isIdle)
    #expect(!performances.beginClaims(of: "root.job"))
  }

  @Test("a claim that has failed ends, too")
  func failed() async {
    let performances = TaskPerformances()
    performances.open()
    let slots = takeSlots(performances)
    performances.end()
    #expect(!performances.endClaim(of: "root.job", slots: slots, claimed: nil))
    #expect(await performances.isIdle(within: .zero))
  }
}
