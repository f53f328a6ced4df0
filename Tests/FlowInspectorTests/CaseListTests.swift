import FlowCases
import FlowHosting
import FlowKernel
import LuaRuntime
import Testing

@testable import FlowInspector

@Suite struct CaseListTests {
  private func listed(
    _ inspection: Inspection, now: Int, in place: String? = nil, limit: Int = 100,
    after id: String? = nil, _ filter: CaseFilter = CaseFilter()
  ) async throws -> Value {
    try await inspection.cases(in: place, after: id, limit: limit, filter, now: now)
  }

  private func ids(_ listed: Value) -> [String] {
    (listed["cases"]?.listValue ?? []).compactMap { $0["id"]?.stringValue }
  }

  private func filter(
    search: String? = nil, outcome: String? = nil, time: String? = nil, since: Int? = nil,
    until: Int? = nil, state: String? = nil
  ) throws -> CaseFilter {
    try CaseFilter(
      search: search, outcome: outcome, time: time, since: since, until: until, state: state)
  }

  @Test("cases that are overdue or unchanged for a day are listed as stuck")
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

  @Test("cases are found by a part of their id, and by the state of a machine")
  func search() async throws {
    let cases = try await Shop.cases()
    for id in ["o-1", "o-2", "p-1"] { try await cases.create(id) }
    try await cases["o-2"].dispatch("place", ["cents": 1])
    let inspection = Inspection(InspectedCases(cases))
    let found = try await listed(inspection, now: cases.wall, filter(search: "O-"))
    #expect(ids(found) == ["o-1", "o-2"])
    let open = try await listed(inspection, now: cases.wall, in: "order.open")
    #expect(open["cases"]?.listValue?.compactMap { $0["id"]?.stringValue } == ["o-2"])
    await #expect(throws: InspectorMistake.self) {
      try await listed(inspection, now: 0, in: "order")
    }
  }

  @Test("cases are found by a field of their state")
  func byState() async throws {
    let cases = try await Shop.cases()
    for (id, cents) in [("a", 5), ("b", 50), ("c", 500)] {
      try await cases.create(id).dispatch("place", ["cents": .integer(cents), "note": "onions"])
    }
    try await cases.create("d")
    let inspection = Inspection(InspectedCases(cases))
    for (state, expected) in [
      ("cents = 50", ["b"]), ("cents>=50", ["b", "c"]), ("cents < 50", ["a"]),
      ("cents <= 5", ["a"]),
      ("cents != 50", ["a", "c", "d"]), ("cents = nothing", ["d"]),
      ("note ~ THANK", ["a", "b", "c"]),
      ("order = empty", ["d"]), ("lines[1].dish = soup", []),
    ] {
      let found = try await listed(inspection, now: cases.wall, filter(state: state))
      #expect(ids(found) == expected, "\(state)")
    }
    for wrong in ["cents", "= 3", "a b = 3", "[ = 3", "=", ""] where !wrong.isEmpty {
      #expect(throws: InspectorMistake.self, "\(wrong)") { try filter(state: wrong) }
    }
  }

  @Test("a filter never matches the value of a secret")
  func secrets() async throws {
    let cases = try await Shop.cases()
    try await cases.create("a").dispatch("tell", ["pin": "geheim"])
    let inspection = Inspection(InspectedCases(cases))
    for state in ["pin = geheim", "pin ~ g", "pin >= g"] {
      #expect(
        ids(try await listed(inspection, now: cases.wall, filter(state: state))) == [], "\(state)")
    }
  }

  @Test("cases are found by creation time, time of the last entry, and status")
  func byTimeAndOutcome() async throws {
    let cases = try await Shop.cases()
    for id in ["a", "b", "c"] { try await cases.create(id) }
    try await cases["b"].end()
    try await cases["c"].dispatch("place", ["cents": 1])
    let inspection = Inspection(InspectedCases(cases))
    let (one, now) = await (try #require(try cases["a"].summary()), cases.wall)
    func found(_ filter: CaseFilter, now: Int) async throws -> [String] {
      await ids(try listed(inspection, now: now, filter))
    }
    #expect(try await found(filter(outcome: "ended"), now: now) == ["b"])
    #expect(try await found(filter(outcome: "running"), now: now) == ["a", "c"])
    #expect(try await found(filter(outcome: "overdue"), now: now) == [])
    #expect(try await found(filter(outcome: "overdue"), now: now + 200_000_000) == ["c"])
    #expect(try await found(filter(until: one.wall - 1), now: now) == [])
    #expect(try await found(filter(since: now + 1), now: now) == [])
    #expect(
      try await found(filter(time: "born", since: one.born, until: one.born), now: now).first == "a"
    )
    for wrong in [("gone", nil), (nil, "died")] as [(String?, String?)] {
      #expect(throws: InspectorMistake.self) { try filter(outcome: wrong.0, time: wrong.1) }
    }
  }

  @Test("matching cases are paged without duplicates or gaps")
  func pages() async throws {
    let cases = try await Shop.cases()
    for number in 10...40 {
      let one = try await cases.create("o-\(number)")
      if number % 3 == 0 { try await one.dispatch("place", ["cents": 7]) }
    }
    let inspection = Inspection(InspectedCases(cases))
    var (found, after): ([String], String?) = ([], nil)
    while true {
      let page = try await listed(
        inspection, now: cases.wall, limit: 3, after: after, filter(state: "cents = 7"))
      found += ids(page)
      after = page["after"]?.stringValue
      if page["more"] != true { break }
    }
    #expect(found == (10...40).filter { $0 % 3 == 0 }.map { "o-\($0)" })
  }

  @Test("cases are counted by machine state and by status")
  func counts() async throws {
    let cases = try await Shop.cases()
    for id in ["a", "b", "c"] { try await cases.create(id) }
    try await cases["b"].dispatch("place", ["cents": 1])
    try await cases["c"].end()
    let counts = try await Inspection(InspectedCases(cases)).counts(now: cases.wall)
    #expect(counts["total"] == 3)
    #expect(counts["ended"] == 1)
    #expect(counts["running"] == 2)
    #expect(counts["more"] == false)
    #expect(counts["machines"]?[0]?["name"] == "order")
    #expect(counts["machines"]?[0]?["states"] == [["empty", 2], ["open", 1]])
  }
}
