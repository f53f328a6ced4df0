import FlowExplore
import Foundation
import Testing

@testable import Scenarios

/// An event log, aligned with a flow.
struct Aligned {
  let alignment: LogAlignment
  var text: String { alignment.text }

  init(
    _ log: String, of flow: String, _ exploration: String = "explore(\"it\")",
    steps: Int = LogAlignment.usualSteps, _ change: (inout Exploration) -> Void = { _ in }
  ) throws {
    let explored = try Explored(flow, exploration)
    var found = try #require(try explored.explorations().first)
    change(&found)
    var options = Replay.Options()
    (options.caseColumn, options.actionColumn, options.timeColumn) = ("case", "do", "")
    var rest = Array(log.utf8)[...]
    let events = try RecordedEvents(
      found.flow.flow, options: options,
      log: .text { buffer in
        let next = rest.prefix(buffer.count)
        buffer.copyBytes(from: next)
        rest = rest.dropFirst(next.count)
        return next.count
      })
    alignment = try found.align(
      RecordedVariants(events) { _, _ in }, named: "log.csv", steps: steps)
  }
}

/// Reports about the alignment of a whole log.
@Suite("Aligned logs")
struct LogAlignmentTests {
  private static let order = """
    state { step = 0 }
    action.order {}
    action.pay {}
    action.send {}
    function gate.order(s) return s.step == 0, "it is ordered" end
    function reduce.order(s) s.step = 1 end
    function gate.pay(s) return s.step == 1, "nothing is to be paid" end
    function reduce.pay(s) s.step = 2 end
    function gate.send(s) return s.step == 2, "it is not paid" end
    function reduce.send(s) s.step = 3 end
    """

  private func log(_ cases: String...) -> String {
    "case,do\n"
      + cases.enumerated().flatMap { number, events in
        events.split(separator: " ").map { "c\(number + 1),\($0)\n" }
      }.joined()
  }

  @Test("deviations are grouped by kind, the most frequent first, each with its first case")
  func text() throws {
    let aligned = try Aligned(
      log(
        "order pay send", "order pay pay send", "order send", "order", "order send",
        "order pay send",
        "dance order pay pay pay"), of: LogAlignmentTests.order)
    #expect(
      aligned.text == """
          aligned 7 cases in 5 variants: 3 fit, 4 deviate, cost 6 of 20 events, fitness 0.700
          too many pay, 3 times in 2 cases, first c2 (log.csv:7): refused by gate pay: nothing is to be paid
          missing  pay before send, in 2 cases, first c3 (log.csv:10)
          too many dance, in 1 case, first c7 (log.csv:17): there is no action dance

        """)
  }

  @Test("the alignment keeps the longest fitting part of a case")
  func longest() throws {
    let aligned = try Aligned(log("send order pay send"), of: LogAlignmentTests.order)
    #expect(
      aligned.alignment.deviations.map(\.kind) == [
        .tooMany("send", reason: "refused by gate send: it is not paid")
      ])
    let early = try Aligned(log("order pay pay send"), of: LogAlignmentTests.order)
    #expect(early.alignment.deviations.first?.firstLine == 4)
  }

  @Test("a fitting log is reported as such, and an unfinished case fits")
  func fits() throws {
    let aligned = try Aligned(log("order pay send", "order"), of: LogAlignmentTests.order)
    #expect(
      aligned.text
        == "  aligned 2 cases in 2 variants: 2 fit, 0 deviate, cost 0 of 4 events, fitness 1\n")
    #expect(aligned.alignment.isWhole)
    #expect(!aligned.alignment.deviates)
  }

  @Test("a case that needs more steps than the bound is given up and not counted as fitting")
  func givenUp() throws {
    let aligned = try Aligned(log("order", "send", "send"), of: LogAlignmentTests.order, steps: 1)
    #expect(
      aligned.text == """
          aligned 3 cases in 2 variants: 1 fits, 0 deviate, cost 0 of 1 event, fitness 1
          gave up  2 cases, not aligned within 1 step, first c2 (log.csv:3)

        """)
    #expect(!aligned.alignment.isWhole)
  }

  @Test("cases that were not aligned before the end are counted as given up")
  func stopped() throws {
    let aligned = try Aligned(log("order", "send"), of: LogAlignmentTests.order) {
      $0.isStopped = { true }
    }
    #expect(aligned.alignment.isStopped)
    #expect(
      aligned.text.contains("  gave up  2 cases, because it was stopped, first c1 (log.csv:2)\n"))
    let late = try Aligned(log("order", "send"), of: LogAlignmentTests.order) {
      $0.bounds.time = .zero
    }
    #expect(late.text.contains("  gave up  2 cases, because the time limit was reached"))
  }

  @Test("a case with hundreds of deviations is aligned at the right cost")
  func many() throws {
    let events = Array(repeating: "pay", count: 300).joined(separator: " ")
    let aligned = try Aligned(log("order " + events + " send"), of: LogAlignmentTests.order)
    #expect(aligned.alignment.cost == 299)
  }

  @Test("a flow that cannot be explored is an error")
  func clock() throws {
    let flow = """
      state { at = 0.0 }
      action.tick {}
      function reduce.tick(s) s.at = now() end
      """
    let error = #expect(throws: ExplorationError.self) { try Aligned(log("tick"), of: flow) }
    #expect(error?.description.contains("action tick asks what time it is") == true)
  }
}
