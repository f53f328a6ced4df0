import Testing

@testable import Scenarios

@Suite struct ReplayStreamTests {
  private func line(_ event: Replay.Event) -> String { ReplayStream.line(for: event) }

  @Test("an event is one line with its position, payload, time and outcome")
  func event() throws {
    let passed = Replay.Played(
      name: "a", line: 2, action: "push", payload: ["n": 1, "x": 1.0, "t": "a\nb"],
      time: 1_500_000, deviation: nil)
    #expect(
      line(.played(passed)) == """
        {"action":"push","case":"a","line":2,"outcome":"passed",\
        "payload":{"n":1,"t":"a\\nb","x":1.0},"time":1.5,"type":"event"}

        """)
    let refused = Replay.Played(
      name: "a", line: 3, action: "push", payload: [:], time: 0,
      deviation: try .refused("push", "no", "a", line: 3))
    #expect(
      line(.played(refused)) == """
        {"action":"push","by":"gate push","case":"a","line":3,"outcome":"refused","payload":{},\
        "reason":"no","time":0.0,"type":"event"}

        """)
    let failed = Replay.Played(
      name: "a", line: 3, action: "push", payload: [:], time: 0,
      deviation: try .failed("push", "bad", "a", line: 3))
    #expect(line(.played(failed)).contains("\"by\":\"payload\""))
    #expect(line(.played(failed)).contains("\"outcome\":\"failed\""))
  }

  @Test("a row that is no event has its line and the reason")
  func others() {
    #expect(
      line(.malformed(line: 7, reason: "x"))
        == "{\"line\":7,\"reason\":\"x\",\"type\":\"malformed\"}\n")
    #expect(
      line(.skipped(line: 8, reason: "y")) == "{\"line\":8,\"reason\":\"y\",\"type\":\"skipped\"}\n"
    )
  }

  @Test("the stream begins with a header and ends with the counts")
  func ends() {
    #expect(
      ReplayStream.begin(flow: "f.lua")
        == "{\"flow\":\"f.lua\",\"type\":\"replay-begin\",\"version\":1}\n")
    var summary = ReplaySummary()
    (summary.cases, summary.whole, summary.rows, summary.skipped) = (2, 1, 15, 5)
    (summary.passed, summary.refused, summary.failed, summary.malformed) = (1, 2, 3, 4)
    #expect(
      ReplayStream.end(summary) == """
        {"cases":2,"failed":3,"fit":1,"malformed":4,"passed":1,"refused":2,"rows":15,"skipped":5,\
        "type":"replay-end"}

        """)
  }
}
