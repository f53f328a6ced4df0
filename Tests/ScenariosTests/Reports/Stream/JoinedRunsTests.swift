import LuaRuntime
import Testing

@testable import Scenarios

@Suite struct JoinedRunsTests {
  private func part(
    _ name: String, _ index: Int, of total: Int, planned: [String], ran: [String]? = nil,
    selected: Int = 3, selection: String = "abc"
  ) -> JoinedRuns.Part {
    var header = RunHeader()
    header.shard = Sample.shard(index, of: total, planned: planned, selected: selected)
    header.shard?.selection = selection
    let records = (ran ?? planned).map { id -> RunEvent in
      let parts = id.split(separator: ":", maxSplits: 1).map(String.init)
      return .ended(ScenarioRecord(file: parts[0], line: 1, name: parts[1], status: .passed))
    }
    return JoinedRuns.Part(name: name, events: [.began(header)] + records + [Sample.end()])
  }

  @Test("complete shards are joined into one run in the order of its files")
  func whole() {
    let joined = JoinedRuns([
      part("2", 2, of: 2, planned: ["b:x"]), part("1", 1, of: 2, planned: ["a:x", "c:x"]),
    ])
    #expect(joined.faults.isEmpty)
    let files = joined.events.compactMap { event -> String? in
      guard case .ended(let record) = event else { return nil }
      return record.file
    }
    #expect(files == ["a", "b", "c"])
    guard case .finished(let end)? = joined.events.last else {
      Issue.record("the run does not end")
      return
    }
    #expect(end.summary.passed == 3)
  }

  @Test("a missing and a duplicate shard are reported")
  func missing() {
    #expect(
      JoinedRuns([part("1", 1, of: 2, planned: ["a:x", "c:x"])]).faults
        == ["shard 2 of 2 is missing"])
    let one = part("1", 1, of: 2, planned: ["a:x", "c:x"])
    var twin = one
    twin.name = "twin"
    #expect(
      JoinedRuns([one, twin, part("2", 2, of: 2, planned: ["b:x"])]).faults
        == ["shard 1 occurs 2 times: 1, twin"])
  }

  @Test("of many missing shards the first are named, and the others counted")
  func manyMissing() {
    let most = OutsideNumber.counts.upperBound
    let faults = JoinedRuns([part("1", 1, of: most, planned: ["a:x"])]).faults
    #expect(faults.count == 21)
    #expect(faults.first == "shard 2 of \(most) is missing")
    #expect(faults.last == "\(most - 21) more of the \(most) shards are missing")
    #expect(
      JoinedRuns([part("1", 3, of: 2, planned: [], selected: 0)]).faults.contains(
        "1 is shard 3, and there are 2"))
  }

  @Test("a scenario in two shards, and one in none, are reported")
  func partition() {
    #expect(
      JoinedRuns([
        part("1", 1, of: 2, planned: ["a:x", "b:x"]), part("2", 2, of: 2, planned: ["b:x", "c:x"]),
      ]).faults == ["b:x is in two shards: 1 and 2"])
    #expect(
      JoinedRuns([
        part("1", 1, of: 2, planned: ["a:x"]), part("2", 2, of: 2, planned: ["b:x"]),
      ]).faults == ["the shards have 2 of the 3 scenarios selected"])
  }

  @Test("shards of different selections are reported")
  func selections() {
    let faults = JoinedRuns([
      part("1", 1, of: 2, planned: ["a:x", "c:x"]),
      part("2", 2, of: 2, planned: ["b:x"], selected: 4, selection: "xyz"),
    ]).faults
    #expect(faults.count == 1)
    #expect(faults.first?.hasPrefix("2 and 1 split different selections (4 and 3") == true)
  }

  @Test("a planned scenario without a result, and the reverse, are reported")
  func unreported() {
    let faults = JoinedRuns([
      part("1", 1, of: 1, planned: ["a:x", "b:x", "c:x"], ran: ["a:x", "d:x"])
    ]).faults
    #expect(
      faults == [
        "1 should have run b:x and 1 more, but does not report it",
        "1 reports d:x, which was not planned for it",
      ])
  }

  @Test("a truncated or stopped stream is incomplete")
  func brokenOff() {
    var part = part("1", 1, of: 1, planned: ["a:x", "b:x", "c:x"])
    part.events.removeLast()
    #expect(JoinedRuns([part]).faults == ["1 is incomplete: its run did not finish"])
    part.events.append(Sample.end { $0.stopped = .interrupted })
    #expect(JoinedRuns([part]).faults == ["1 is not complete: interrupted"])
  }

  @Test("a file that could not be loaded accounts for its scenarios")
  func unloadable() {
    var header = RunHeader()
    header.shard = Sample.shard(1, of: 1, planned: ["a:x", "a:y"], selected: 2)
    let events: [RunEvent] = [
      .began(header), .unloadable(file: "a", message: "no"), Sample.end(),
    ]
    #expect(JoinedRuns([JoinedRuns.Part(name: "1", events: events)]).faults.isEmpty)
  }

  @Test("a single run is joined unchanged")
  func one() {
    let events: [RunEvent] = [.began(RunHeader()), .ended(Sample.record), Sample.end()]
    let joined = JoinedRuns([JoinedRuns.Part(name: "1", events: events)])
    #expect(joined.events == events)
    #expect(joined.faults.isEmpty)
  }
}
