import Platform
import Testing

@testable import FlowCases
@testable import FlowHosting
@testable import FlowKernel

/// Due timers of many cases, also if the clocks are set.
@Suite(.timeLimit(.minutes(5))) struct CasesDueTests {
  /// A wall clock that is set by hand, and counts how often it is looked at.
  private final class Wall: Sendable {
    private let state = Mutex((time: 1_700_000_000_000_000, looks: 0))
    var looks: Int { state.withLock { $0.looks } }

    func look() -> Int {
      state.withLock {
        $0.looks += 1
        return $0.time
      }
    }

    func move(_ seconds: Int) { state.withLock { $0.time += seconds * 1_000_000 } }
  }

  private let day = 24 * 3_600
  private let wall = Wall()
  private let clock = TestClock()
  private let flow = """
    state { fired = list {}, marks = list {} }
    action.mark {}
    internal.expire {}
    machine.order { initial = "open", open = { expire = "gone", after = { expire = 3600 } }, gone = { mark = true } }
    function reduce.expire(s) table.insert(s.fired, now()) end
    function reduce.mark(s) table.insert(s.marks, now()) end
    """

  private func cases(_ journal: MemoryJournal, most: Int = 10) async throws -> Cases {
    var options = HostOptions(clock: .driven(by: clock), report: { _ in })
    options.wall = { [wall] in wall.look() }
    return try await Cases(
      of: LoadedFlow(source: flow, name: "order.lua"), in: journal, options: options,
      maximumActive: most)
  }

  private func until(_ holds: () async throws -> Bool) async throws {
    while try await !holds() { try await Task.sleep(for: .milliseconds(2)) }
  }

  private func gone(_ cases: Cases) async throws -> [String] {
    try await cases.list(machine: "order", in: "gone").map(\.id)
  }

  @Test("timers fire exactly once though the wall clock is set a day ahead and back")
  func setWhileUp() async throws {
    let orders = try await cases(MemoryJournal(), most: 1)
    try await orders.create("asleep")
    try await orders.create("awake")
    #expect(orders.active == 1)
    wall.move(day)
    orders.scheduler.look()
    try await until { try await gone(orders).contains("asleep") }
    try await orders["asleep"].dispatch("mark")
    wall.move(-2 * day)
    try await orders["asleep"].dispatch("mark")
    orders.scheduler.look()
    // Whichever was awake went by its own clock, and the other fires when the wall clock has come to it.
    clock.advance(by: .seconds(3_600))
    wall.move(day + 3_600)
    await orders.wakeWhatIsDue()
    try await until { try await gone(orders).count == 2 }
    for id in ["asleep", "awake"] {
      try await orders[id].dispatch("mark")
      #expect(try await orders[id].state()["fired"] == [3_600.0])
      let marks =
        try await orders[id].state()["marks"]?.listValue?.compactMap { value -> Double? in
          if case .number(let seconds) = value { seconds } else { nil }
        } ?? []
      #expect(marks == marks.sorted() && marks.first ?? 0 >= 3_600)
    }
  }

  @Test(
    "timers fire exactly once though the wall clock was set a day while nothing ran",
    arguments: [1, -1])
  func setWhileDown(days: Int) async throws {
    let journal = MemoryJournal()
    let first = try await cases(journal)
    for id in ["a", "b"] { try await first.create(id) }
    try await first.close()
    wall.move(days * day)
    let second = try await cases(journal.restarted())
    if days < 0 {
      #expect(try await second["a"].state()["fired"] == [])
      #expect(try await gone(second) == [])
      wall.move(day + 3_600)
      clock.advance(by: .seconds(3_600))
      await second.wakeWhatIsDue()
    }
    try await until { try await gone(second) == ["a", "b"] }
    for id in ["a", "b"] { #expect(try await second[id].state()["fired"] == [3_600.0]) }
    wall.move(-days * day)
    await second.wakeWhatIsDue()
    #expect(try await second.list().allSatisfy { $0.revision == 1 })
  }

  @Test("a loaded case whose timer is due only by the wall clock is not polled in a loop")
  func noCircle() async throws {
    let orders = try await cases(MemoryJournal())
    try await orders.create("a")
    wall.move(day)
    orders.scheduler.look()
    try await Task.sleep(for: .milliseconds(50))
    let before = wall.looks
    try await Task.sleep(for: .milliseconds(200))
    #expect(wall.looks - before < 5)
    #expect(try await gone(orders) == [])
    clock.advance(by: .seconds(3_600))
    try await until { try await gone(orders) == ["a"] }
  }

  @Test("a case that cannot be loaded is retried after a minute, and does not delay others")
  func troubled() async throws {
    let journal = MemoryJournal()
    let first = try await cases(journal)
    for id in ["a", "b", "c"] { try await first.create(id) }
    try await first.close()
    wall.move(day)
    let later = journal.restarted()
    later.fail(append: 1, .before(JournalError(.full, "no space")))
    let second = try await cases(later)
    try await until { try await gone(second).count == 2 }
    try await until { second.troubled(after: 0).count == 1 }
    let troubled = try #require(second.troubled(after: 0).keys.first)
    clock.advance(by: .seconds(1))
    wall.move(61)
    await second.wakeWhatIsDue()
    _ = try await second[troubled].state()
    try await until { try await gone(second).count == 3 }
    #expect(try await second.list().allSatisfy { $0.revision == 1 })
  }

  @Test("many cases that are due at once are loaded together, each once")
  func together() async throws {
    let journal = MemoryJournal()
    let first = try await cases(journal)
    for number in 0..<600 { try await first.create("o-\(number)") }
    try await first.close()
    wall.move(day)
    let second = try await cases(journal.restarted(), most: 50)
    try await until {
      try await second.list(machine: "order", in: "gone", limit: 1_000).count == 600
    }
    #expect(try await second.list(limit: 1_000).allSatisfy { $0.revision == 1 })
  }
}
