import Moonlatch
import Testing

@testable import FlowInspector

@Suite struct CaseListTests {
  private func listed(_ inspection: Inspection, now: Int, in place: String? = nil) async throws -> Value {
    try await inspection.cases(in: place, after: nil, limit: 100, search: nil, now: now)
  }

  @Test("cases that are overdue or have stood still for a day stand first")
  func stuck() async throws {
    var options = HostOptions()
    options.clock = .virtual
    options.report = { _ in }
    let cases = try await Cases(of: Shop.flow(), in: MemoryJournal(), options: options)
    for id in ["calm", "late", "over"] { try await cases.create(id) }
    try await cases["late"].dispatch("place", ["cents": 1])
    try await cases["over"].dispatch("place", ["cents": 1])
    try await cases["over"].end()
    let inspection = Inspection(InspectedCases(cases))
    let now = try #require(try await cases["calm"].summary()).wall
    #expect(try await listed(inspection, now: now)["stuck"] == [])
    let later = try await listed(inspection, now: now + 200_000_000)
    #expect(later["stuck"]?.listValue?.count == 1)
    #expect(later["stuck"]?[0]?["id"] == "late")
    #expect(later["stuck"]?[0]?["why"] == "overdue for 2 min")
    let nextDay = try await listed(inspection, now: now + 90_000_000_000)
    #expect(nextDay["stuck"]?.listValue?.compactMap { $0["id"]?.stringValue } == ["late", "calm"])
  }

  @Test("cases are found by a part of their id, and by where a machine stands")
  func search() async throws {
    let cases = try await Shop.cases()
    for id in ["o-1", "o-2", "p-1"] { try await cases.create(id) }
    try await cases["o-2"].dispatch("place", ["cents": 1])
    let inspection = Inspection(InspectedCases(cases))
    let found = try await inspection.cases(in: nil, after: nil, limit: 10, search: "O-", now: cases.wall)
    #expect(found["cases"]?.listValue?.compactMap { $0["id"]?.stringValue } == ["o-1", "o-2"])
    let open = try await listed(inspection, now: cases.wall, in: "order.open")
    #expect(open["cases"]?.listValue?.compactMap { $0["id"]?.stringValue } == ["o-2"])
    await #expect(throws: InspectorMistake.self) {
      try await listed(inspection, now: 0, in: "order")
    }
  }
}
