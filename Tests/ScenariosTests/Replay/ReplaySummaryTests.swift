@testable import FlowKernel
@testable import FlowLanguage
import Testing

@testable import Scenarios

@Suite struct ReplaySummaryTests {
  @Test("rejections with the same reason are one group, with its first location")
  func groups() throws {
    var summary = ReplaySummary()
    for (line, name) in ["a", "b"].enumerated() {
      summary.add(try .refused("push", "no", name, line: line + 2))
    }
    summary.add(try .refused("push", "other", "c", line: 9))
    #expect(summary.groups.count == 2)
    let group = try #require(summary.groups.first { $0.key.reason == "no" })
    #expect(group.key.isRefusal)
    #expect(group.value.events == 2)
    #expect(group.value.firstCase == "a")
    #expect(group.value.firstLine == 2)
  }

  @Test("failures of one rule are one group, whatever values they contain")
  func values() throws {
    var summary = ReplaySummary()
    for (line, value) in ["12", "\"x\"", "{ a = true }"].enumerated() {
      summary.add(try .failed("add", "amount must be an integer, got \(value)", "a", line: line))
    }
    let group = try #require(summary.groups.first?.value)
    #expect(summary.groups.count == 1)
    #expect((group.events, group.isVaried) == (3, true))
    #expect(group.example == "amount must be an integer, got 12")
  }

  @Test("reasons beyond the limit are counted together")
  func most() throws {
    var summary = ReplaySummary()
    for number in 0..<ReplaySummary.mostGroups + 5 {
      summary.add(try .refused("push", "reason \(number)", "a", line: number))
    }
    summary.add(try .refused("push", "reason 0", "a", line: 0))
    #expect(summary.groups.count == ReplaySummary.mostGroups)
    #expect(summary.ungrouped == 5)
  }
}

extension ReplayDeviation {
  /// A refusal for a test.
  static func refused(_ action: String, _ reason: String?, _ name: String, line: Int) throws
    -> ReplayDeviation
  {
    let refusal = Refusal(
      action: action, rejectedBy: .gate(action), reason: reason,
      place: SourcePlace(file: "f.lua", line: 1))
    return ReplayDeviation(
      try #require(RejectionReason(.refused(refusal))), action, of: name, line: line)
  }

  /// A failure for a test.
  static func failed(_ action: String, _ message: String, _ name: String, line: Int) throws
    -> ReplayDeviation
  {
    let failure = DispatchFailure(kind: .payload, action: action, message: message)
    return ReplayDeviation(
      try #require(RejectionReason(.failed(failure))), action, of: name, line: line)
  }
}
