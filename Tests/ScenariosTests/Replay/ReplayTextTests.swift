import Testing

@testable import Scenarios

@Suite struct ReplayTextTests {
  @Test("the most frequent groups come first, refusals before failures")
  func order() throws {
    var summary = ReplaySummary()
    (summary.cases, summary.whole, summary.rows) = (3, 1, 9)
    (summary.passed, summary.refused, summary.failed, summary.malformed) = (4, 3, 1, 1)
    summary.add(try .failed("push", "bad", "a", line: 2))
    summary.add(try .refused("late", "two", "a", line: 4))
    summary.add(try .refused("push", "one", "a", line: 3))
    summary.add(try .refused("push", nil, "b", line: 5))
    summary.add(try .refused("push", nil, "b", line: 6))
    #expect(
      ReplayText(summary).text == """
        3 cases, 1 of them fit whole
        9 rows: 4 passed, 3 refused, 1 failed, 1 malformed

        refused:
          2  push  refused by gate push: no reason given (f.lua:1)  (first: case b, line 5)
          1  push  refused by gate push: one  (first: case a, line 3)
          1  late  refused by gate late: two  (first: case a, line 4)

        failed:
          1  push  failed (payload): bad  (first: case a, line 2)

        """)
  }

  @Test("without a refusal there are only counts, including rows that a map left out")
  func counts() {
    var summary = ReplaySummary()
    (summary.rows, summary.skipped) = (2, 2)
    #expect(
      ReplayText(summary).text == """
        0 cases, 0 of them fit whole
        2 rows: 0 passed, 0 refused, 0 failed, 0 malformed, 2 skipped by the map

        """)
  }

  @Test("reasons beyond the limit are summed up after refusals and after failures")
  func rest() throws {
    for isRefusal in [true, false] {
      var summary = ReplaySummary()
      for number in 0..<ReplaySummary.mostGroups + 3 {
        summary.add(
          isRefusal
            ? try .refused("push", "\(number)", "a", line: number)
            : try .failed("push", String(repeating: "a", count: number), "a", line: number))
      }
      #expect(
        ReplayText(summary).text.contains("\n3 more rejected events, for reasons not listed\n"))
    }
  }
}
