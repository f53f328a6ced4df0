import Testing

@testable import Scenarios

@Suite struct TAPReportTests {
  @Test("a run is a version, one line per scenario, blocks for failures, and the plan")
  func run() {
    var skipped = ScenarioRecord(file: "s", line: 2, name: "later", status: .skipped)
    skipped.reason = "no #gate"
    let text = Sample.report(
      .tap,
      [
        .began(RunHeader()),
        .ended(ScenarioRecord(file: "s", line: 1, name: "a # b", status: .passed)),
        .ended(skipped), .ended(Sample.record), .unloadable(file: "u", message: "x\ny"),
        Sample.end(),
      ])
    #expect(
      text == """
        TAP version 14
        ok 1 - s:1 a \\# b
        ok 2 - s:2 later # SKIP no #gate
        not ok 3 - a/b.scenario.lua:7 it
          ---
          message: "no good"
          severity: "fail"
          at: "a/b.scenario.lua:9"
          differences:
            - "n: expected 2, found 1"
          ...
        # one
        # two
        not ok 4 - u
          ---
          message: "x\\ny"
          at: "u"
          ...
        1..4

        """)
  }

  @Test("a run with restarts says so")
  func restarts() {
    var header = RunHeader()
    header.hasRestarts = true
    #expect(
      Sample.report(.tap, [.began(header), Sample.end()])
        == "TAP version 14\n# with a restart after every turn\n1..0\n")
    #expect(
      Sample.report(.html, [.began(header), Sample.end()]).contains(
        "facts.push(\"with a restart after every turn\")"))
  }

  @Test("a run that was stopped bails out")
  func stopped() {
    #expect(
      Sample.report(.tap, [.began(RunHeader()), Sample.end { $0.stopped = .interrupted }])
        == "TAP version 14\nBail out! interrupted\n1..0\n")
  }
}
