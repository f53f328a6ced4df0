import FlowCases
import FlowHosting
import FlowKernel
import Testing

/// Lists by state after a new version of the flow, in every journal.
@Suite struct MigratedListTests {
  private static let actions = """
    state { n = 0, note = optional(string) }
    action.pay {} action.close {} action.go {}
    """

  private static let first =
    actions + """

      version(2)
      machine.order {
        initial = "open",
        open = { pay = "paid", close = "closed" }, paid = { close = "closed" }, closed = { final = true },
      }
      machine.work {
        parallel = { "hand", "eye" },
        hand = { initial = "idle", idle = { go = "busy" }, busy = {} },
        eye = { initial = "shut", shut = { pay = "wide" }, wide = {} },
      }
      machine.door {
        initial = "off", off = { go = "on" },
        on = {
          parallel = { "left", "right" },
          left = { initial = "l", l = {} }, right = { initial = "r", r = {} },
        },
      }
      """

  /// `open` is another state by now, `closed` has others inside it; no case that has just begun would do as paid.
  private static func second(_ version: Int = 3) -> String {
    """
    \(actions)
    version(\(version))
    machine.order {
      initial = "waiting",
      waiting = { pay = "open" },
      open = { close = "closed" },
      closed = { initial = "kept", kept = {}, thrown = {} },
    }
    machine.work {
      parallel = { "hand", "eye" },
      hand = { initial = "idle", idle = { go = "active" }, active = {} },
      eye = { initial = "shut", shut = { pay = "wide" }, wide = {} },
    }
    machine.door {
      initial = "off", off = { go = "on" },
      on = {
        parallel = { "left", "right" },
        left = { initial = "new", new = {} }, right = { initial = "r", r = {} },
      },
    }
    function reduce.pay(s) s.n = 1 end
    function invariant.paid(s) return s.order ~= "open" or s.n > 0 end
    function migrate.to_3(s)
      s.order = ({ open = "waiting", paid = "open", closed = "closed" })[s.order]
      if s.order == "open" then s.n = 1 end
      if s.hand == "busy" then s.hand = "active" end
      if s.left == "l" then s.left = "new" end
    end
    """
  }

  private static func cases(_ source: String, _ journal: any JournalStorage) async throws -> Cases {
    try await Cases(
      of: LoadedFlow(source: source, name: "order.lua"), in: journal,
      options: HostOptions(clock: .virtual, report: { _ in }))
  }

  /// a is open, b paid, c closed, d at work and open.
  private static func live(in journal: any JournalStorage) async throws {
    let old = try await cases(first, journal)
    for id in ["a", "b", "c", "d"] { try await old.create(id) }
    try await old["b"].dispatch("pay")
    try await old["c"].dispatch("close")
    try await old["d"].dispatch("go")
    #expect(try await old.list(machine: "order", in: "open").map(\.id) == ["a", "d"])
    try await old.close()
  }

  private func ids(
    _ cases: Cases, _ state: String, of machine: String = "order", after: String? = nil,
    limit: Int = 9
  ) async throws -> [String] {
    try await cases.list(machine: machine, in: state, after: after, limit: limit).map(\.id)
  }

  @Test(
    "unloaded cases are listed in the states to which a migration moves them",
    arguments: Trial.Kind.allCases)
  func renamed(kind: Trial.Kind) async throws {
    let trial = try Trial(kind)
    try await Self.live(in: trial.journal.journal)
    let new = try await Self.cases(Self.second(), trial.journal.journal)
    try await new.create("e")
    try await new["e"].dispatch("pay")
    for _ in 1...2 {
      #expect(try await ids(new, "waiting") == ["a", "d"])
      #expect(try await ids(new, "open") == ["b", "e"])
      #expect(try await ids(new, "closed") == ["c"])
      #expect(try await ids(new, "closed.kept") == ["c"])
      #expect(try await ids(new, "paid") == [])
      #expect(try await ids(new, "closed.thrown") == [])
      #expect(try await ids(new, "hand.active", of: "work") == ["d"])
      #expect(try await ids(new, "hand.busy", of: "work") == [])
      #expect(try await ids(new, "hand.idle", of: "work") == ["a", "b", "c", "e"])
      #expect(try await ids(new, "eye.wide", of: "work") == ["b", "e"])
      #expect(try await ids(new, "on.left.new", of: "door") == ["d"])
      #expect(try await ids(new, "on.right.r", of: "door") == ["d"])
      #expect(try await ids(new, "off", of: "door") == ["a", "b", "c", "e"])
      #expect(try await ids(new, "waiting", after: "a") == ["d"])
      #expect(try await ids(new, "open", limit: 1) == ["b"])
      #expect(try await ids(new, "open", limit: 0) == [])
      #expect(try await ids(new, "nowhere") == [])
      #expect(
        try await new.list().map { $0.machines["order"]?.contains("waiting") } == [
          true, false, false, true, false,
        ])
      #expect(
        try await new.list(machine: "order", in: "waiting").first?.machines["order"]?.contains(
          "open")
          == false)
      // Woken, they are where they were said to be.
      for id in ["a", "b"] { _ = try await new[id].state() }
      try await new["a"].dispatch("nothing")
    }
    try await new.close()
    try trial.journal.close()
  }

  @Test(
    "an edit of a flow without a new version leaves the lists correct",
    arguments: Trial.Kind.allCases)
  func edited(kind: Trial.Kind) async throws {
    let trial = try Trial(kind)
    try await Self.live(in: trial.journal.journal)
    let edited = try await Self.cases(
      Self.first.replacing("paid = {", with: "paid = { pay = true,"), trial.journal.journal)
    #expect(try await ids(edited, "open") == ["a", "d"])
    #expect(try await ids(edited, "paid") == ["b"])
    #expect(try await ids(edited, "hand.busy", of: "work") == ["d"])
    try await edited.close()
    try trial.journal.close()
  }

  @Test(
    "a case whose state a migration computes from other fields is listed there once it is loaded",
    arguments: Trial.Kind.allCases)
  func otherFields(kind: Trial.Kind) async throws {
    let trial = try Trial(kind)
    let old = try await Self.cases(Self.first, trial.journal.journal)
    try await old.create("few")
    try await old.create("many", given: ["n": 5])
    try await old.close()
    let source = Self.second().replacing(
      "function migrate.to_3(s)",
      with: "function migrate.to_3(s) if s.n > 3 then s.order = \"closed\" return end")
    let new = try await Self.cases(source, trial.journal.journal)
    #expect(try await ids(new, "waiting") == ["few", "many"])
    _ = try await new["many"].state()
    #expect(try await ids(new, "waiting") == ["few"])
    #expect(try await ids(new, "closed.kept") == ["many"])
    try await new.close()
    try trial.journal.close()
  }

  @Test("a migration that fails on a new case leaves the listed state names unchanged")
  func raising() async throws {
    let journal = MemoryJournal()
    try await Self.live(in: journal)
    let source = Self.second().replacing(
      "function migrate.to_3(s)", with: "function migrate.to_3(s) s.none.at = 1")
    let new = try await Self.cases(source, journal)
    #expect(try await ids(new, "waiting") == [])
    #expect(try await ids(new, "closed") == ["c"])
    #expect(try await new.list().count == 4)
    try await new.close()
  }

  @Test("the numbers of all flows are listed in order", arguments: Trial.Kind.allCases)
  func numbers(kind: Trial.Kind) throws {
    let trial = try Trial(kind)
    let other = JournaledFlow(name: "other.lua", hash: "1", version: 1, texts: [])
    let number = try trial.journal.keep(other)
    let listing = try #require(trial.journal.journal as? any FlowListing)
    #expect(try listing.flowNumbers() == [1, number])
    try trial.restart()
    #expect(try (trial.journal.journal as? any FlowListing)?.flowNumbers() == [1, number])
  }
}
