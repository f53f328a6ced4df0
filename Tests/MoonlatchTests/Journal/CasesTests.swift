import Foundation
import Platform
import Testing

@testable import FlowCases
@testable import FlowHosting
@testable import FlowKernel

/// Many cases of one flow in a journal.
@Suite struct CasesTests {
  private let flow = """
    state { cents = 0, expired = none }
    action.pay { cents = integer { min = 1 } }
    action.expire {}
    action.wait { seconds = number }
    machine.order {
      initial = "open",
      open = { pay = "paid", wait = true, expire = "gone", after = { expire = 3600 } },
      paid = { final = true }, gone = { final = true },
    }
    function reduce.pay(s, a) s.cents = s.cents + a.cents end
    function reduce.expire(s) s.expired = now() end
    function effect.wait(self, a) sleep(a.seconds) end
    function view.cents(s) return s.cents end
    """

  private func cases(
    _ journal: MemoryJournal = MemoryJournal(), most: Int = 1_000, clock: HostClock = .virtual,
    began: Date? = nil
  ) async throws -> Cases {
    try await Cases(
      of: LoadedFlow(source: flow, name: "order.lua"), in: journal,
      options: HostOptions(clock: clock, began: began, report: { _ in }), maximumActive: most)
  }

  @Test("each case has its own state, and reading an unknown one does not create it")
  func apart() async throws {
    let orders = try await cases()
    try await orders.create("a")
    try await orders.create("b", given: ["cents": 5])
    try await orders["a"].dispatch("pay", ["cents": 2])
    #expect(try await orders["a"].view("cents") == 2)
    #expect(try await orders["b"].view("cents", as: Int.self) == 5)
    let error = await #expect(throws: JournalError.self) { try await orders["c"].view("cents") }
    #expect(error?.kind == .unknownCase)
    #expect(error?.description == "there is no case c: create it first")
  }

  @Test("an id can be created once, also after its case has ended")
  func known() async throws {
    let orders = try await cases()
    try await orders.create("a")
    try await orders["a"].dispatch("pay", ["cents": 2])
    let error = await #expect(throws: JournalError.self) { try await orders.create("a") }
    #expect(error?.kind == .knownCase)
    #expect(try await orders["a"].summary()?.ended != nil)
  }

  @Test("a given state must fit")
  func misfit() async throws {
    let orders = try await cases()
    await #expect(throws: DispatchFailure.self) {
      try await orders.create("a", given: ["cants": 5])
    }
    #expect(try await orders["a"].summary() == nil)
    try await orders.create("a")
  }

  @Test("the least recently used cases are unloaded beyond the limit, and loaded again on demand")
  func sleeping() async throws {
    let orders = try await cases(most: 10)
    for number in 0..<100 { try await orders.create("o-\(number)") }
    #expect(orders.active <= 10)
    for number in 0..<100 {
      try await orders["o-\(number)"].dispatch("pay", ["cents": .integer(number + 1)])
    }
    for number in 0..<100 {
      #expect(try await orders["o-\(number)"].view("cents") == .integer(number + 1))
    }
    #expect(orders.active <= 10)
  }

  @Test("a case with a running plain effect is not unloaded")
  func awake() async throws {
    let orders = try await cases(most: 1)
    for number in 0..<5 {
      try await orders.create("o-\(number)")
      try await orders["o-\(number)"].dispatch("wait", ["seconds": 50])
    }
    #expect(orders.active == 5)
  }

  @Test("cases are listed by the state of a machine")
  func listed() async throws {
    let orders = try await cases()
    for id in ["a", "b", "c"] { try await orders.create(id) }
    try await orders["b"].dispatch("pay", ["cents": 2])
    #expect(try await orders.list(machine: "order", in: "open").map(\.id) == ["a", "c"])
    #expect(try await orders.list(machine: "order", in: "paid").map(\.id) == ["b"])
    #expect(try await orders.list(limit: 2).map(\.id) == ["a", "b"])
    #expect(try await orders.list(after: "b").map(\.id) == ["c"])
  }

  @Test("each case has its own virtual time, also one that was unloaded meanwhile")
  func virtualClock() async throws {
    let orders = try await cases(most: 1)
    for id in ["a", "b"] { try await orders.create(id) }
    try await orders["a"].advance(.seconds(3_599))
    _ = try await orders["b"].view("cents")
    #expect(try await orders["a"].state()["expired"] == nil)
    try await orders["a"].advance(.seconds(1))
    #expect(try await orders["a"].state()["expired"] == 3_600.0)
    #expect(try await orders["b"].state()["expired"] == nil)
    await #expect(throws: HostError.self) { try await orders["b"].advance(.seconds(-1)) }
    let real = try await cases(clock: .real)
    try await real.create("a")
    let error = await #expect(throws: HostError.self) { try await real["a"].advance(.seconds(1)) }
    #expect(error?.kind == .realClock)
    try await orders.close()
    try await real.close()
  }

  @Test("timers of unloaded cases fire, each once and at its own time")
  func due() async throws {
    let journal = MemoryJournal()
    let born = Date(timeIntervalSinceNow: -4_000)
    let first = try await cases(journal, began: born)
    for number in 0..<50 { try await first.create("o-\(number)") }
    try await first.close()
    let second = try await cases(journal.restarted(), most: 5, clock: .real)
    while try await second.list(machine: "order", in: "gone").count < 50 {
      try await Task.sleep(for: .milliseconds(5))
    }
    #expect(try await second["o-7"].state()["expired"] == 3_600.0)
    #expect(try await second.list(limit: 1_000).allSatisfy { $0.revision == 1 })
  }

  @Test("many tasks that want one case share one activation")
  func together() async throws {
    let journal = MemoryJournal()
    try await cases(journal).create("a", given: ["cents": 0])
    let orders = try await cases(journal)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<50 { group.addTask { _ = try await orders["a"].view("cents") } }
      try await group.waitForAll()
    }
    #expect(orders.active == 1)
  }

  @Test("a request with a key is executed once, by whichever process")
  func keys() async throws {
    let journal = MemoryJournal()
    let first = try await cases(journal)
    try await first.create("a")
    try await first["a"].dispatch("pay", ["cents": 4], key: "k")
    try await first.close()
    let second = try await cases(journal.restarted())
    #expect(try await second["a"].dispatch("pay", ["cents": 4], key: "k").commit?.revision == 1)
    #expect(try await second["a"].view("cents") == 4)
  }

  @Test("an ended case accepts no action, in any process, and can still be read")
  func ended() async throws {
    let journal = MemoryJournal()
    let orders = try await cases(journal)
    for id in ["a", "b"] { try await orders.create(id) }
    try await orders["a"].dispatch("wait", ["seconds": 5])
    try await orders["a"].end()
    try await orders["b"].dispatch("pay", ["cents": 2], key: "k")
    for orders in await [orders, try cases(journal.restarted())] {
      for id in ["a", "b"] {
        let error = await #expect(throws: JournalError.self) {
          try await orders[id].dispatch("wait", ["seconds": 1])
        }
        #expect(error?.kind == .endedCase)
        let settling = await #expect(throws: JournalError.self) { try await orders[id].settle() }
        #expect(settling?.kind == .endedCase)
        let advancing = await #expect(throws: JournalError.self) {
          try await orders[id].advance(.seconds(1))
        }
        #expect(advancing?.kind == .endedCase)
        #expect(try await orders[id].summary()?.ended != nil)
      }
      #expect(try await orders["b"].view("cents") == 2)
      #expect(try await orders["b"].dispatch("pay", ["cents": 2], key: "k").isPassed)
    }
    await #expect(throws: JournalError.self) { try await orders.create("a") }
  }

  @Test("a summary has the times of birth, last entry, due work and end as dates")
  func dates() async throws {
    let began = Date(timeIntervalSince1970: 1_700_000_000)
    let orders = try await cases(began: began)
    try await orders.create("a")
    let summary = try await orders["a"].summary()
    let open = try #require(summary)
    #expect(open.bornAt == began)
    #expect(open.dueAt == began.addingTimeInterval(3_600))
    #expect(open.endedAt == nil && open.writtenAt > began)
    try await orders["a"].dispatch("pay", ["cents": 2])
    #expect(try await orders["a"].summary()?.endedAt != nil)
  }

  @Test("the values of a view are delivered as they change")
  func values() async throws {
    let orders = try await cases()
    try await orders.create("a")
    let values = orders["a"].values(of: "cents")
    var iterator = values.makeAsyncIterator()
    #expect(try await iterator.next() == 0)
    try await orders["a"].dispatch("pay", ["cents": 3])
    #expect(try await iterator.next() == 3)
  }

  @Test("nothing runs before a case is created, not even an initial state's effect")
  func nothingBegins() async throws {
    let calls = Mutex(0)
    let source = """
      state {} action.go {}
      machine.m { initial = "on", on = { go = true, effect = function(self) self:connect() end } }
      """
    let cases = try await Cases(
      of: LoadedFlow(source: source), in: MemoryJournal(),
      options: HostOptions(clock: .real, report: { _ in })
    ) { scopes in
      scopes.root.provide("connect") { calls.withLock { $0 += 1 } }
    }
    #expect(calls.withLock { $0 } == 0)
    try await cases.create("a")
    try await cases["a"].dispatch("go")
    #expect(calls.withLock { $0 } == 1)
  }

  @Test(
    "closing can wait for running effects: their dispatches are stored, and new calls are refused"
  )
  func draining() async throws {
    let source = """
      state { n = 0 } action.go {} internal.done {}
      function reduce.done(s) s.n = s.n + 1 end
      function effect.go(self) self:work() dispatch.done() end
      """
    let (ends, end) = AsyncStream.makeStream(of: Void.self)
    let (begins, begin) = AsyncStream.makeStream(of: Void.self)
    let journal = MemoryJournal()
    let cases = try await Cases(
      of: LoadedFlow(source: source), in: journal,
      options: HostOptions(clock: .real, report: { _ in })
    ) { scopes in
      scopes.root.provide("work") { () async throws in
        begin.yield()
        for await _ in ends { return }
      }
    }
    try await cases.create("a")
    try await cases["a"].dispatch("go")
    for await _ in begins { break }
    async let closing: Void = cases.close(draining: .seconds(30))
    while !cases.isClosed { try await Task.sleep(for: .milliseconds(1)) }
    let error = await #expect(throws: JournalError.self) { try await cases["a"].dispatch("go") }
    #expect(error?.kind == .closed)
    #expect(try journal.summary(of: "a")?.revision == 1)
    end.yield()
    try await closing
    #expect(try journal.summary(of: "a")?.revision == 2)
  }

  @Test("closing waits for running effects no longer than its limit")
  func drainingEnds() async throws {
    let orders = try await cases()
    try await orders.create("a")
    try await orders["a"].dispatch("wait", ["seconds": 50])
    try await orders.close(draining: .milliseconds(30))
    #expect(orders.active == 0)
  }

  @Test("closed cases refuse all calls")
  func closed() async throws {
    let orders = try await cases()
    try await orders.create("a")
    try await orders.close()
    let error = await #expect(throws: JournalError.self) { try await orders["a"].view("cents") }
    #expect(error?.kind == .closed)
  }
}
