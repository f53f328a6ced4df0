import Testing

@testable import Scenarios

@Suite struct ReplayCaseTests {
  private static let flow = """
    state { n = 0 }
    action.add {}
    action.wait {}
    function reduce.add(s) s.n = s.n + 1 end
    function gate.wait(s) return false, s.n .. " at " .. now() end
    """

  @Test("the clock is the log's, from the case's first event, and never goes back")
  func clock() throws {
    let replayed = try Replayed(
      """
      case,do,at
      a,add,1000
      a,wait,1000.5
      a,wait,990
      a,wait,1002
      b,wait,5
      """, flow: ReplayCaseTests.flow)
    let reasons = replayed.summary.groups.keys.map(\.reason).sorted()
    #expect(reasons == ["0 at 0.0", "1 at 0.5", "1 at 2.0"])
  }

  @Test("times too far apart for the clock do not move it")
  func overflow() throws {
    let replayed = try Replayed(
      "case,do,at\na,add,-999999999999\na,wait,999999999999\n", flow: ReplayCaseTests.flow
    ) { $0.timeFormat = .seconds }
    #expect(replayed.summary.refused == 1)
    #expect(replayed.summary.groups.keys.first?.reason.hasPrefix("1 at 1999999999998") == true)
  }

  @Test("a case fits if all of its events passed, known or not")
  func whole() throws {
    let log = "case,do,at\na,add,0\nb,add,0\nb,wait,0\nc,add,0\nc,wait,0\nd,add,0\n"
    #expect(
      try Replayed(log, flow: ReplayCaseTests.flow).counts.hasPrefix("4 cases, 2 of them"))
    let still = "action.add {} action.wait {} function gate.wait() return false, \"no\" end"
    #expect(try Replayed(log, flow: still).counts.hasPrefix("4 cases, 2 of them"))
  }

  @Test("a case that diverges from the known ones continues from their last common event")
  func leaves() throws {
    let rows = ["a,add", "a,add", "a,wait", "b,add", "b,add", "b,add", "b,wait"]
    let log = "case,do,at\n" + rows.map { "\($0),7\n" }.joined()
    let replayed = try Replayed(log, flow: ReplayCaseTests.flow)
    #expect(replayed.summary.groups.keys.map(\.reason).sorted() == ["2 at 0.0", "3 at 0.0"])
  }
}
