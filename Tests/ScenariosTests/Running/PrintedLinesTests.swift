import Testing

@testable import Scenarios

@Suite struct PrintedLinesTests {
  @Test("lines are kept in order, and a text of several lines is several")
  func order() {
    let printed = PrintedLines()
    printed.add("a")
    printed.add("b\nc\r\n\nd")
    #expect(printed.lines == ["a", "b", "c", "", "d"])
  }

  @Test("the first lines are kept, and the rest counted")
  func bounded() {
    let printed = PrintedLines()
    for number in 1...200 { printed.add("\(number)") }
    #expect(printed.lines.count == 200)
    printed.add("201")
    #expect(printed.lines.last == "... and 1 more line")
    for number in 202...1000 { printed.add("\(number)") }
    #expect(printed.lines.count == 201)
    #expect(printed.lines[199] == "200")
    #expect(printed.lines.last == "... and 800 more lines")
  }

  @Test("a long line is truncated")
  func longLine() {
    let printed = PrintedLines()
    printed.add(String(repeating: "x", count: 1000))
    printed.add(String(repeating: "x", count: 1001))
    #expect(printed.lines[0].count == 1000)
    #expect(printed.lines[1] == String(repeating: "x", count: 1000) + "...")
  }

  @Test("endless printing does not fill the report")
  func scenario() throws {
    let played = try Played(
      "scenario(\"a\", function() for n = 1, 5000 do print((\"x\"):rep(2000)) end end)")
    #expect(played.verdicts == ["ok a"])
    #expect(played.printed.count == 201)
    #expect(played.report.count < 250_000)
  }

  @Test("lines printed by the flow and by the file are shown for each scenario")
  func everyone() throws {
    let text = """
      print("file")
      scenario("a", function() pass.add() print("scenario", 1, nil) end)
      """
    let flow = "state { n = 0 }\naction.add {}\nfunction reduce.add(s) print(\"flow\", s.n) end"
    #expect(try Played(text, flow: flow).printed == ["file", "flow\t0", "scenario\t1\tnil"])
  }
}
