import Testing

@testable import FlowHosting
@testable import FlowKernel

/// Contents of journal entries, as values.
@Suite struct JournalEntryContentsTests {
  private func entries(_ flow: String, _ play: (FlowHost) throws -> Void) throws -> [JournalEntry
    .Contents]
  {
    let journal = MemoryJournal()
    let host = try FlowHost(
      LoadedFlow(source: flow), journal: journal,
      options: HostOptions(clock: .virtual, print: { _ in }, report: { _ in }))
    try play(host)
    return try journal.entries(of: "main", from: 1, limit: 100).map { try $0.contents() }
  }

  private let door = """
    state { coins = 0 }
    action.coin { amount = integer } action.push { text = optional(string) } action.free {}
    gatekeeper.seat { coin = { attempt = "x" }, push = { reset = "x" } }
    gatekeeper.lock { coin = { attempt = "yes" }, push = { reset = "yes" } }
    function reduce.coin(s, a) s.coins = s.coins + a.amount end
    function effect.coin() after(10, "push", { text = "late" }) sleep(20) end
    """

  @Test("the first entry is a snapshot, with a description of its contents")
  func birth() throws {
    let all = try entries(door) { _ in }
    #expect(all.count == 1)
    #expect(all[0].kind == .image)
    #expect(all[0].commits.isEmpty)
    #expect(all[0].time == 0)
  }

  @Test("the entry of a turn has its transitions, timers, passages and effects")
  func turn() throws {
    let all = try entries(door) { host in
      try host.dispatch("coin", ["amount": 2])
      try host.advance(10)
      try host.advance(10)
    }
    let coin = all[1]
    #expect(coin.kind == .turn)
    #expect(coin.commits.map(\.action) == ["coin"])
    #expect(coin.commits[0].payload == ["amount": 2])
    #expect(coin.commits[0].writes.changes.map(\.description) == ["coins: 0 -> 2"])
    #expect(coin.timersSet.map(\.action) == ["push"])
    #expect(coin.timersSet[0].due == 10_000_000)
    #expect(coin.timersSet[0].payload == ["text": "late"])
    #expect(coin.timersSet[0].cause == 1)
    #expect(Set(coin.passagesTaken.map(\.gatekeeper)) == ["seat", "lock"])
    #expect(coin.effectsBegan.map(\.title) == ["effect.coin"])
    #expect(coin.effectsBegan[0].isDurable == false)
    let push = all[2]
    #expect(push.commits.map(\.cause) == [1])
    #expect(push.timersGone.map(\.number) == coin.timersSet.map(\.number))
    #expect(push.passagesFreed.map(\.number).sorted() == coin.passagesTaken.map(\.number).sorted())
    #expect(push.time == 10_000_000)
    #expect(all[3].effectsEnded == [coin.effectsBegan[0].number])
  }

  @Test("undo is stored as a snapshot, and erased and unreadable entries are described")
  func others() throws {
    let all = try entries(door) { host in
      try host.dispatch("coin", ["amount": 2])
      try host.undo()
    }
    #expect(all.last?.kind == .image)
    let erased = JournalEntry(seq: 4, flow: 1, wall: 0, body: [], revision: 3)
    #expect(try erased.contents().kind == .erased)
    for body in [[9, 9], [1], [1, 2, 77, 0], [1, 2, 1]] as [[UInt8]] {
      #expect {
        try JournalEntry(seq: 4, flow: 1, wall: 0, body: body, revision: 3).contents()
      } throws: { ($0 as? JournalError)?.kind == .unreadable }
    }
  }
}
