import Testing

@testable import Scenarios

@Suite struct ReplayTests {
  private static let flow = """
    state { n = 0 }
    action.add { amount = optional(integer) }
    action.take {}
    function gate.take(s) return s.n > 0, "nothing is there" end
    function reduce.add(s, a) s.n = s.n + (a.amount or 1) end
    function reduce.take(s) s.n = s.n - 1 end
    """

  private func replay(
    _ log: String, block: Int = 1 << 16, _ change: (inout Replay.Options) -> Void = { _ in }
  ) throws -> Replayed {
    try Replayed(log, flow: ReplayTests.flow, block: block, change)
  }

  private let log = """
    case,do,at,amount,note
    a,add,2020-01-01,2,x
    a,take,2020-01-02,,
    b,take,2020-01-01,,
    b,add,2020-01-02,x,
    b,add,2020-01-03,"1",
    ,add,2020-01-03,1,
    b,,2020-01-03,1,
    b,add,never,1,
    b,add,2020-01-03,1
    a,add,2020-01-04,1,
    """

  @Test("every row is counted as passed, refused, failed or malformed")
  func counts() throws {
    let replayed = try replay(log)
    #expect(
      replayed.report == """
        2 cases, 1 of them fit whole
        10 rows: 3 passed, 1 refused, 1 failed, 5 malformed

        refused:
          1  take  refused by gate take: nothing is there  (first: case b, line 4)

        failed:
          1  add  failed (payload): action add: amount must be an integer, got "x"  \
        (first: case b, line 5)

        """)
    let reasons = replayed.lines.filter { $0.contains("malformed") }.map {
      $0.split(separator: "\"reason\":\"").last?.prefix { $0 != "," && $0 != ";" } ?? ""
    }
    #expect(
      reasons == [
        "no case in \\\"case\\\"\"", "no action in \\\"do\\\"\"",
        "no time in \\\"at\\\": \\\"never\\\"\"", "4 cells",
        "case \\\"a\\\" had ended: its rows are not together",
      ])
  }

  @Test("a replay does not depend on the size of the blocks", arguments: [1, 2, 3, 7, 64])
  func blocks(size: Int) throws {
    #expect(try replay(log, block: size) == (try replay(log)))
    let windows = "\u{feff}" + log.split(separator: "\n").joined(separator: "\r\n")
    #expect(try replay(windows, block: size) == (try replay(log)))
  }

  @Test("strict ends the replay at the first malformed row, which is counted")
  func strict() throws {
    let replayed = try replay(log) { $0.isStrict = true }
    #expect(replayed.summary.rows == 6)
    #expect(replayed.summary.malformed == 1)
  }

  @Test("interleaved cases stay open to the end")
  func interleaved() throws {
    let replayed = try replay(log) { $0.isInterleaved = true }
    #expect(replayed.summary.malformed == 4)
    #expect(replayed.summary.passed == 4)
    #expect(replayed.counts.hasPrefix("2 cases, 1 of them fit whole"))
  }

  @Test(
    "a missing column is an error with the nearest name",
    arguments: [
      ("cases", "do", "at", #"no column "cases"; did you mean "case"?; name it with --case"#),
      ("case", "doo", "at", #"no column "doo"; did you mean "do"?; name it with --action"#),
      ("case", "do", "time:timestamp", #"no column "time:timestamp"; name it with --time"#),
    ])
  func column(name: String, action: String, time: String, message: String) {
    #expect {
      try replay(log) {
        ($0.caseColumn, $0.actionColumn, $0.timeColumn) = (name, action, time)
      }
    } throws: { error in
      "\(error)"
        == "the log has \(message) (its columns: \"case\", \"do\", \"at\", \"amount\", \"note\")"
    }
  }

  @Test("a JSON line with a field of the wrong type is malformed, or fails if the field is payload")
  func jsonTypes() throws {
    let replayed = try replay(
      """
      {"case":"a","do":"add","at":0,"amount":"2"}
      {"case":1,"do":"add","at":0.5,"amount":2}
      {"case":1,"do":"add","at":"1970-01-01T00:00:02Z"}
      {"case":true,"do":"add","at":0}
      {"case":"a","do":["add"],"at":0}
      {"case":"b","do":"add","at":false}
      {"case":"b","do":"add"}
      {"case":"b","do":"add","at":1e999}
      """)
    #expect(
      replayed.counts == """
        2 cases, 1 of them fit whole
        8 rows: 2 passed, 0 refused, 1 failed, 5 malformed
        """)
  }

  @Test("a cell at the length limit of rows is a value, and a longer one is malformed")
  func huge() throws {
    let long = String(repeating: "x", count: CSVRows.longest - 20)
    let replayed = try replay("case,do,at\na\(long),add,0\nb\(long)\(long),add,0\nc,add,0\n")
    #expect(replayed.counts.hasSuffix("3 rows: 2 passed, 0 refused, 0 failed, 1 malformed"))
  }

  @Test("passed events are reported only on request, and others always")
  func tells() throws {
    let told = try replay(log) { $0.tellsPassed = false }.lines.filter { $0.contains("\"event\"") }
    #expect(told.count == 2)
    #expect(try replay(log).lines.filter { $0.contains("\"event\"") }.count == 5)
  }

  @Test("a flow whose initial state violates an invariant cannot be replayed")
  func broken() {
    #expect(throws: (any Error).self) {
      try Replayed(
        "case,do,at\na,add,0\n",
        flow: "state { n = 0 } action.add {} function invariant.some(s) return s.n > 0 end")
    }
  }
}
