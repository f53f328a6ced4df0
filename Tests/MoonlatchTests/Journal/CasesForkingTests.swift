import Testing

@testable import FlowCases
@testable import FlowHosting
@testable import FlowKernel

/// Forks of cases.
@Suite(.timeLimit(.minutes(5))) struct CasesForkingTests {
  private let flow = """
    state { cents = 0, problem = none, expired = none }
    action.place { cents = integer }
    action.pay {}
    internal.paid {}
    internal.failed { error = string }
    internal.expire {}
    machine.order {
      initial = "empty",
      empty = { place = "open" },
      open = { pay = "paying", expire = "gone", after = { expire = 60 } },
      paying = { paid = "done", failed = "open" },
      done = { final = true }, gone = {},
    }
    function reduce.place(s, a) s.cents = a.cents end
    function reduce.failed(s, a) s.problem = a.error end
    function reduce.expire(s) s.expired = now() end
    effect.pay = { durable = true, on_error = "failed", run = function(self) self:charge() dispatch.paid() end }
    """

  private func cases(_ journal: MemoryJournal = MemoryJournal()) async throws -> Cases {
    try await Cases(
      of: LoadedFlow(source: flow, name: "order.lua"), in: journal,
      options: HostOptions(clock: .virtual, report: { _ in })
    ) { scopes in
      scopes.root.provide("charge") { () async throws in
        try await Task.sleep(for: .seconds(3_600))
      }
    }
  }

  @Test("a fork has the state and timers of the case, and is independent of it")
  func forks() async throws {
    let orders = try await cases()
    try await orders.create("a")
    try await orders["a"].dispatch("place", ["cents": 5])
    try await orders["a"].dispatch("pay")
    let fork = try await orders.fork("a", at: 2, as: "b")
    #expect(fork.id == "b")
    #expect(try await fork.state()["cents"] == 5)
    #expect(try await orders.list(machine: "order", in: "open").map(\.id) == ["b"])
    #expect(try await orders.list(machine: "order", in: "paying").map(\.id) == ["a"])
    #expect(try await fork.summary()?.due != nil)
    #expect(try await fork.dispatch("pay").commit?.revision == 2)
    #expect(try await orders["a"].summary()?.seq == 3)
  }

  @Test("a fork does not continue effects: each ends as on_error says, durable ones too")
  func effects() async throws {
    let orders = try await cases()
    try await orders.create("a")
    try await orders["a"].dispatch("place", ["cents": 5])
    try await orders["a"].dispatch("pay")
    let fork = try await orders.fork("a", at: 3, as: "b")
    #expect(try await fork.state()["problem"] == "effect.pay was cut off by a restart")
    #expect(try await orders.list(machine: "order", in: "open").map(\.id) == ["b"])
    #expect(try await orders["a"].state()["problem"] == nil)
  }

  @Test("a fork can be forked, at its first entry, and by another process")
  func again() async throws {
    let journal = MemoryJournal()
    let orders = try await cases(journal)
    try await orders.create("a", given: ["cents": 3])
    try await orders.fork("a", at: 1, as: "b")
    try await orders["b"].dispatch("place", ["cents": 9])
    try await orders.fork("b", at: 2, as: "c")
    try await orders.close()
    let later = try await cases(journal.restarted())
    #expect(try await later["a"].state()["cents"] == 3)
    #expect(try await later["c"].state()["cents"] == 9)
    #expect(try await later.fork("c", at: 1, as: "d").state()["cents"] == 9)
  }

  @Test("an unknown case or entry cannot be forked, and an id is used once")
  func refused() async throws {
    let orders = try await cases()
    for id in ["a", "b"] { try await orders.create(id) }
    for (id, seq, new, kind) in [
      ("x", 1, "n", JournalError.Kind.unknownCase), ("a", 2, "n", .unknownCase),
      ("a", 0, "n", .unknownCase), ("a", 1, "b", .knownCase),
    ] {
      let error = await #expect(throws: JournalError.self) {
        try await orders.fork(id, at: seq, as: new)
      }
      #expect(error?.kind == kind)
    }
    #expect(try await orders.list().map(\.id) == ["a", "b"])
  }
}
