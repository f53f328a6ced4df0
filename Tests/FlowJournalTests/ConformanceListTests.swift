import FlowHosting
import JournalRows
import Testing

@testable import FlowJournal

/// Listings, summaries and arguments that every journal supports.
@Suite struct ConformanceListTests {
  private func ids(
    _ trial: Trial, _ machine: (name: String, state: String)? = nil, after: String? = nil,
    limit: Int = 99
  ) throws -> [String] {
    try trial.journal.cases(whose: machine, after: after, limit: limit).map(\.id)
  }

  @Test("cases are listed by id, from a given one, up to a limit", arguments: Trial.Kind.allCases)
  func pages(kind: Trial.Kind) throws {
    let trial = try Trial(kind)
    for id in ["b", "a", "c", "Z", "ä", "a\u{308}"] { trial.begin(id, entries: 1) }
    #expect(try ids(trial) == ["Z", "a", "a\u{308}", "b", "c", "ä"])
    #expect(try ids(trial).map { $0.utf8.count } == [1, 1, 3, 1, 1, 2])
    #expect(try ids(trial, after: "a", limit: 2).last == "b")
    #expect(try ids(trial, after: "ä") == [] && ids(trial, limit: 0) == [])
    #expect(try ids(trial, limit: -1) == [] && ids(trial, after: "") == ids(trial))
  }

  @Test(
    "cases are found by the current state of a machine", arguments: Trial.Kind.allCases
  )
  func states(kind: Trial.Kind) throws {
    let trial = try Trial(kind)
    let open = ["order": ["open"], "door": ["closed", "closed.locked"]]
    for id in ["a", "b", "c"] {
      #expect(trial.append([.trial(1, machines: open)], to: id) == nil)
    }
    let paid = ["order": ["paid"], "door": ["closed"]]
    #expect(trial.append([.trial(2, machines: paid)], to: "b") == nil)
    #expect(trial.append([.trial(2)], to: "c") == nil)
    for _ in 1...2 {
      #expect(try ids(trial, ("order", "open")) == ["a", "c"])
      #expect(try ids(trial, ("order", "open"), after: "a") == ["c"])
      #expect(try ids(trial, ("order", "open"), limit: 1) == ["a"])
      #expect(try ids(trial, ("order", "paid")) == ["b"])
      #expect(try ids(trial, ("door", "closed")) == ["a", "b", "c"])
      #expect(try ids(trial, ("door", "closed.locked")) == ["a", "c"])
      #expect(try ids(trial, ("door", "open")) == [] && ids(trial, ("lift", "open")) == [])
      #expect(try trial.journal.summary(of: "b")?.machines == paid)
      try trial.restart()
    }
  }

  @Test("due cases are listed by time, up to a given time", arguments: Trial.Kind.allCases)
  func due(kind: Trial.Kind) throws {
    let trial = try Trial(kind)
    #expect(try trial.journal.nextDue(after: .min) == nil)
    for (id, due) in [("a", 30), ("b", 10), ("c", 20), ("d", 10), ("e", nil), ("f", -5)] {
      #expect(trial.append([.trial(1, due: due)], to: id) == nil)
    }
    #expect(try trial.journal.nextDue(after: .min) == -5)
    #expect(try trial.journal.nextDue(after: -5) == 10)
    #expect(try trial.journal.nextDue(after: 30) == nil)
    #expect(try trial.journal.due(until: 20, limit: 9) == ["f", "b", "d", "c"])
    #expect(try trial.journal.due(until: 20, limit: 2) == ["f", "b"])
    #expect(try trial.journal.due(until: -6, limit: 9) == [])
    #expect(try trial.journal.due(until: .max, limit: -1) == [])
    #expect(trial.append([.trial(2, due: 40)], to: "b") == nil)
    #expect(trial.append([.trial(2)], to: "f") == nil)
    try trial.restart()
    #expect(try trial.journal.due(until: .max, limit: 9) == ["d", "c", "a", "b"])
    #expect(try trial.journal.nextDue(after: .min) == 10)
  }

  @Test("a summary has the last entry and the creation time", arguments: Trial.Kind.allCases)
  func summary(kind: Trial.Kind) throws {
    let trial = try Trial(kind)
    trial.begin("a", entries: 3)
    let wanted = CaseSummary(
      id: "a", seq: 3, revision: 30, flow: 1, born: 1_000_000, wall: 1_000_003, due: nil,
      machines: [:], ended: nil)
    #expect(try trial.journal.summary(of: "a") == wanted)
    #expect(try trial.journal.cases(whose: nil, after: nil, limit: 1) == [wanted])
  }

  @Test(
    "a case is restored from its newest snapshot and the entries after it",
    arguments: Trial.Kind.allCases)
  func snapshots(kind: Trial.Kind) throws {
    let trial = try Trial(kind)
    trial.begin("a", entries: 9)
    for seq in [2, 5, 7] {
      trial.journal.keep(StoredSnapshot(seq: seq, flow: 1, body: [UInt8(seq)]), of: "a", fence: 1)
    }
    try trial.restart()
    let stored = try #require(try trial.journal.activate("a"))
    #expect(stored.snapshot == StoredSnapshot(seq: 7, flow: 1, body: [7]))
    #expect(stored.entries.map(\.seq) == [8, 9])
    #expect(try trial.journal.entries(of: "a", from: 1, limit: 3).map(\.seq) == [1, 2, 3])
  }

  @Test(
    "a snapshot with an old or wrong fence, or of an unknown case, is not stored",
    arguments: Trial.Kind.allCases)
  func strangeSnapshots(kind: Trial.Kind) throws {
    let trial = try Trial(kind)
    trial.begin("a", entries: 3)
    let fence = try #require(try trial.journal.activate("a")).fence
    let journal = trial.journal
    journal.keep(StoredSnapshot(seq: 3, flow: 1, body: [1]), of: "a", fence: 1)
    journal.keep(StoredSnapshot(seq: 3, flow: 1, body: [1]), of: "nobody", fence: 1)
    try trial.restart()
    #expect(try trial.journal.activate("a")?.snapshot == nil)
    trial.journal.keep(StoredSnapshot(seq: 4, flow: 1, body: [1]), of: "a", fence: fence + 1)
    try trial.restart()
    #expect(try trial.journal.activate("a")?.snapshot == nil)
  }

  @Test(
    "ids and keys are any text of 1 to 1,024 bytes, and bodies are any bytes",
    arguments: Trial.Kind.allCases)
  func names(kind: Trial.Kind) throws {
    let trial = try Trial(kind)
    let ids = ["'; DROP TABLE life; --", "a\0b", "\n", "🚪", String(repeating: "x", count: 1_024)]
    for (id, size) in zip(ids, [0, 1, 4_097, 300_000, 8]) {
      let body = (0..<size).map { UInt8(truncatingIfNeeded: $0) }
      let answer = KeyedAnswer(key: id, request: [], revision: .min)
      #expect(
        trial.append([.trial(1, machines: [id: [id]], answers: [answer], body: body)], to: id)
          == nil)
      #expect(try trial.journal.entries(of: id, from: 1, limit: 1).first?.body == body)
      #expect(try trial.journal.answer(to: id, of: id) == answer)
      #expect(try trial.journal.summary(of: id)?.machines == [id: [id]])
      #expect(try self.ids(trial, (id, id)) == [id])
    }
    #expect(trial.append([.trial(1)], to: "") == .failed)
    #expect(trial.append([.trial(1)], to: String(repeating: "x", count: 1_025)) == .failed)
    let unnamed = KeyedAnswer(key: "", request: [], revision: 0)
    #expect(trial.append([.trial(1, answers: [unnamed])], to: "b") == .failed)
  }

  @Test(
    "numbers are stored exactly, the largest and the smallest too", arguments: Trial.Kind.allCases
  )
  func numbers(kind: Trial.Kind) throws {
    let trial = try Trial(kind)
    let birth = JournalEntry.Birth(time: .min, seed: .max)
    let entry = JournalEntry(
      seq: 1, flow: 1, wall: .max, body: [0], revision: .min, due: .max, birth: birth)
    #expect(trial.append([entry], to: "a", fence: 41) == nil)
    try trial.restart()
    #expect(try trial.journal.entries(of: "a", from: 1, limit: 1) == [entry.asRead])
    #expect(try trial.journal.nextDue(after: 0) == .max)
    let stored = try #require(try trial.journal.activate("a"))
    #expect(stored.birth == birth && stored.fence > 41)
  }

  @Test("all kinds of journals give the same results for the same random calls")
  func alike() throws {
    var random = Seeded(4)
    let trials = try Trial.Kind.allCases.map { try Trial($0) }
    // Numbers of fences are a journal's own.
    var fences: [String: [Int]] = [:]
    func activate(_ id: String) throws {
      let found = try trials.map { try $0.journal.activate(id) }
      for other in found.dropFirst() {
        #expect(found[0]?.entries == other?.entries && found[0]?.ended == other?.ended)
      }
      fences[id] = found.map { $0?.fence ?? 1 }
    }
    for step in 0..<300 {
      let id = ["a", "b", "c"][random.next(below: 3)]
      switch random.next(below: 10) {
      case 0: try activate(id)
      case 1 where step % 3 == 0:
        for trial in trials { try trial.restart() }
        if step % 2 == 0 { try activate(id) }
      default:
        let last = try trials[0].journal.summary(of: id)?.seq ?? 0
        let entry = JournalEntry.trial(
          max(1, last + [1, 1, 1, 1, 1, 0, 2][random.next(below: 7)]), due: random.next(below: 9),
          machines: ["m": ["s\(random.next(below: 4))"]], ends: step % 61 == 60,
          answers: [.init(key: "k\(random.next(below: 99))", request: [1], revision: step)])
        let told = zip(trials, fences[id] ?? trials.map { _ in 1 }).map { trial, fence in
          trial.append([entry], to: id, fence: fence - (step % 19 == 0 ? 1 : 0))
        }
        #expect(told.allSatisfy { $0 == told[0] })
      }
      for state in ["s0", "s3"] {
        let found = try trials.map {
          try $0.journal.cases(whose: ("m", state), after: nil, limit: 9)
        }
        #expect(found.allSatisfy { $0 == found[0] })
      }
      let due = try trials.map { try $0.journal.due(until: 5, limit: 9) }
      #expect(due.allSatisfy { $0 == due[0] })
    }
  }
}

extension ConformanceListTests {
  /// The same numbers each time. (SplitMix64)
  private struct Seeded {
    private var state: UInt64
    init(_ seed: UInt64) { state = seed }
    mutating func next(below count: UInt64) -> Int { Int(next() % count) }
    private mutating func next() -> UInt64 {
      state &+= 0x9e37_79b9_7f4a_7c15
      var mixed = (state ^ (state >> 30)) &* 0xbf58_476d_1ce4_e5b9
      mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
      return mixed ^ (mixed >> 31)
    }
  }
}
