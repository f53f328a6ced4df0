import Foundation
import Testing

@testable import FlowHosting
@testable import FlowKernel

@Suite struct CommitTests {
  private let flow = """
    state { n = 0 }
    action.add { by = integer { default = 1 }, note = optional(string) }
    action.later {}
    action.tick { text = string }
    function reduce.add(s, a) s.n = s.n + a.by end
    effect("ask", "add", function(self, a) may.tick { text = "asked" } end)
    function effect.later(self) after(60, "tick", { text = "late" }) end
    """

  @Test("a commit has its payload: checked, with defaults, dispatched or queued")
  func payload() throws {
    let host = try FlowHost(source: flow, options: HostOptions(clock: .virtual))
    #expect(try host.passing("add")?.payload == ["by": 1])
    #expect(
      try host.passing("add", ["by": 2.0, "note": "two"])?.payload == ["by": 2, "note": "two"])
    #expect(try host.passing("later")?.payload == [:])
    try host.advance(60)
    #expect(try host.commits.map(\.payload).last == ["text": "late"])
    try host.passing("later")
    #expect(try host.commits.map(\.payload).suffix(2) == [["text": "late"], [:]])
  }

  @Test("a commit's wall time is the host's start time plus the time that its clock has advanced")
  func wallTime() throws {
    let began = Date(timeIntervalSince1970: 1_700_000_000)
    let host = try FlowHost(source: flow, options: HostOptions(clock: .virtual, began: began))
    #expect(try host.passing("add")?.wallTime == began)
    try host.advance(.milliseconds(2_500))
    let second = try #require(try host.passing("add"))
    #expect(second.wallTime == began.addingTimeInterval(2.5))
    #expect(second.time == 2.5)
    #expect(second.elapsed == .milliseconds(2_500))
    try host.reload()
    try host.advance(1)
    #expect(try host.passing("add")?.wallTime == began.addingTimeInterval(3.5))
  }

  @Test("a host without a start time uses the wall clock")
  func now() throws {
    let before = Date()
    let host = try FlowHost(source: flow)
    let wallTime = try #require(try host.passing("add")?.wallTime)
    // Whole microseconds, and a clock that may be set meanwhile: a minute is enough to tell them apart.
    #expect(abs(wallTime.timeIntervalSince(before)) < 60)
  }
}
