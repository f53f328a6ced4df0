import Testing

@testable import Scenarios

/// Detection of a log's format from its beginning.
@Suite struct LogFormsTests {
  private static let flow = """
    state { sum = 0, note = "" }
    action.add { amount = integer, note = optional(string) }
    function reduce.add(s, a) s.sum = s.sum + a.amount s.note = a.note or s.note end
    function invariant.small(s) return s.sum < 9, "sum " .. s.sum end
    """

  @Test(
    "the separator of cells is the most frequent in the header, and is reported",
    arguments: [(";", "semicolons"), ("\t", "tabs"), ("|", "bars")])
  func delimiters(sign: String, name: String) throws {
    let log = """
      case,do,at,amount,note
      x,add,0,3,"a, b; c| d	e"
      x,add,1,4,plain and of more than eight bytes
      """.split(separator: "\n").enumerated().map { index, line in
        index == 1
          ? "x\(sign)add\(sign)0\(sign)3\(sign)\"a, b; c| d\te\""
          : line.replacing(",", with: sign)
      }.joined(separator: "\n")
    let replayed = try Replayed(log, flow: LogFormsTests.flow)
    #expect(
      replayed.report == """
        1 cases, 1 of them fit whole
        2 rows: 2 passed, 0 refused, 0 failed, 0 malformed
        read with cells separated by \(name)

        """)
  }

  @Test("a comma takes precedence over an equally frequent separator")
  func commas() throws {
    let replayed = try Replayed("case,do,at,a;b;c;d\nx,add,0,1\n", flow: LogFormsTests.flow)
    #expect(!replayed.report.contains("read with"))
  }

  @Test("the format of times is that of the first, and is reported")
  func times() throws {
    let log = "case,do,at,amount\nx,add,11.10.2011 13:45,3\nx,add,2011-10-11,4\n"
    let replayed = try Replayed(log, flow: LogFormsTests.flow)
    #expect(replayed.counts.hasSuffix("1 passed, 0 refused, 0 failed, 1 malformed"))
    #expect(replayed.report.hasSuffix("read with times as dd.mm.yyyy\n"))
    #expect(
      replayed.lines.contains {
        $0.contains("no time in \\\"at\\\", where the times are dd.mm.yyyy: \\\"2011-10-11\\\"")
      })
  }

  @Test("a given format decides ambiguous times")
  func said() throws {
    let log = "case,do,at,amount\nx,add,02/01/2011,3\n"
    #expect(throws: LogError.self) { try Replayed(log, flow: LogFormsTests.flow) }
    let replayed = try Replayed(log, flow: LogFormsTests.flow) { $0.timeFormat = .dayFirst }
    #expect(replayed.counts.hasSuffix("1 passed, 0 refused, 0 failed, 0 malformed"))
  }

  @Test("an unused column may be unnamed or duplicated, and one of a payload may not")
  func doubled() throws {
    let log = "case,do,at,amount,,other,,other\nx,add,0,3,a,b,c,d\n"
    #expect(try Replayed(log, flow: LogFormsTests.flow).counts.contains("1 passed"))
    let error = #expect(throws: LogError.self) {
      try Replayed("case,do,at,amount,amount\nx,add,0,3,4\n", flow: LogFormsTests.flow)
    }
    #expect(error?.description == "the header names the column \"amount\" twice")
    let twice = #expect(throws: LogError.self) {
      try Replayed("case,do,at,case\nx,add,0,y\n", flow: LogFormsTests.flow)
    }
    #expect(twice?.description == "the header names the column \"case\" twice")
  }
}
