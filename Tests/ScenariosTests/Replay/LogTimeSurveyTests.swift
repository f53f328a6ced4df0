import Testing

@testable import Scenarios

@Suite struct LogTimeSurveyTests {
  private func format(_ times: [String]) throws -> LogTime.Format? {
    let log = "at,x\n" + times.map { "\"\($0)\",1\n" }.joined()
    return try LogTimeSurvey(.text(source(log.utf8)), column: "at").format
  }

  @Test(
    "one time that fits a single order of day and month decides for its column",
    arguments: [
      (["01/02/2011", "", "soon", "13/02/2011"], LogTime.Format.dayFirst),
      (["01/02/2011", "01/13/2011 1:00 PM"], .monthFirst), (["13/02/2011"], .dayFirst),
      (["-", "1-2-2011", "2-1-2011:10.00", "31-1-2011"], .dashedDayFirst),
      (["1-2-2011", "1-31-2011"], .dashedMonthFirst),
    ])
  func decided(times: [String], format: LogTime.Format) throws {
    #expect(try self.format(times) == format)
  }

  @Test(
    "unambiguous times need no further reading of the log",
    arguments: [["2011-10-11", "01/02/2011"], ["01.02.2011"], ["5"], ["soon"], []])
  func undecided(times: [String]) throws { #expect(try format(times) == nil) }

  @Test(
    "a column that fits two formats is rejected with the first time as the example",
    arguments: [
      (
        ["", "01/02/2011", "03/03/2011"],
        #"the times in "at" can be dd/mm/yyyy or mm/dd/yyyy, as "01/02/2011" in line 3: "#
          + "say with --time-format which"
      ),
      (
        ["40827.5", "0"],
        #"the times in "at" can be seconds or days, as "40827.5" in line 2: "#
          + "say with --time-format which"
      ),
      (
        ["01/02/2011", "13/02/2011", "02/13/2011"],
        #"the times in "at" contradict each other: "13/02/2011" in line 3 is dd/mm/yyyy, "#
          + #""02/13/2011" in line 4 is mm/dd/yyyy; say with --time-format how they are written"#
      ),
    ])
  func refused(times: [String], message: String) {
    let error = #expect(throws: LogError.self) { try format(times) }
    #expect(error?.description == message)
  }

  @Test("rows that the survey has read are read again, of text and of events")
  func again() throws {
    let log = "at\n01/02/2011\n01/13/2011\n02/02/2011\n"
    var reader = try LogReader(LogTimeSurvey(.text(source(log.utf8)), column: "at").log)
    var lines: [Int] = []
    while let (line, _) = try reader.next() { lines.append(line) }
    #expect(lines == [2, 3, 4])
    var rest = ["x", "01/13/2011", "2"].enumerated().makeIterator()
    let events = LogInput.events {
      rest.next().map { LogEvent(line: $0, .fields(["at": .string($1)])) }
    }
    let survey = try LogTimeSurvey(events, column: "at")
    #expect(survey.format == .monthFirst)
    reader = try LogReader(survey.log)
    lines = []
    while let (line, _) = try reader.next() { lines.append(line) }
    #expect(lines == [0, 1, 2])
  }
}
