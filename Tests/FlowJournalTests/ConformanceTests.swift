import FlowHosting
import FlowKernel
import JournalRows
import Platform
import Testing

@testable import FlowJournal

/// Guarantees of every journal.
@Suite struct ConformanceTests {
  @Test("entries are read in order and as they were written", arguments: Trial.Kind.allCases)
  func entries(kind: Trial.Kind) throws {
    let trial = try Trial(kind)
    #expect(trial.append([.trial(1), .trial(2), .trial(3)], to: "a") == nil)
    #expect(
      trial.append(
        [.trial(4, due: 5, answers: [.init(key: "k", request: [1], revision: 2)])], to: "a") == nil)
    let wanted = (1...4).map { JournalEntry.trial($0).asRead }
    #expect(try trial.journal.entries(of: "a", from: 1, limit: 9) == wanted)
    try trial.restart()
    #expect(try trial.journal.entries(of: "a", from: 1, limit: 9) == wanted)
  }

  @Test("entries are read from a given number, up to a limit", arguments: Trial.Kind.allCases)
  func paging(kind: Trial.Kind) throws {
    let trial = try Trial(kind)
    trial.begin("a", entries: 7)
    func read(_ seq: Int, _ limit: Int) throws -> [Int] {
      try trial.journal.entries(of: "a", from: seq, limit: limit).map(\.seq)
    }
    #expect(try read(3, 2) == [3, 4] && read(6, 9) == [6, 7] && read(7, 1) == [7])
    #expect(try read(8, 9) == [] && read(1, 0) == [] && read(1, -1) == [])
    #expect(try read(0, 2) == [1, 2] && read(-5, 1) == [1] && read(.max, .max) == [])
    #expect(try trial.journal.entries(of: "nobody", from: 1, limit: 9) == [])
  }

  @Test(
    "a case is unknown until it is created, and is created once", arguments: Trial.Kind.allCases)
  func births(kind: Trial.Kind) throws {
    let trial = try Trial(kind)
    #expect(try trial.journal.activate("a") == nil)
    #expect(try trial.journal.summary(of: "a") == nil)
    #expect(trial.append([.trial(2)], to: "a") == .unknownCase)
    #expect(trial.append([.trial(1)], to: "a") == nil)
    #expect(trial.append([.trial(1)], to: "a") == .knownCase)
    #expect(trial.append([.trial(1)], to: "a", fence: 2) == .knownCase)
    #expect(trial.append([.trial(2)], to: "a") == nil)
    let stored = try #require(try trial.journal.activate("a"))
    #expect(stored.birth == .init(time: 1_000_000, seed: .max - 3))
    #expect(stored.entries.map(\.seq) == [1, 2] && stored.snapshot == nil && stored.ended == nil)
    try trial.restart()
    #expect(trial.append([.trial(1)], to: "a") == .knownCase)
    #expect(try trial.journal.activate("a")?.birth == stored.birth)
  }

  @Test(
    "a writer that creates an existing case is refused and fenced", arguments: Trial.Kind.allCases
  )
  func refusedBirth(kind: Trial.Kind) throws {
    let trial = try Trial(kind)
    trial.begin("a", entries: 1)
    try trial.restart()
    let journal = trial.journal
    let outcomes = Monitor<[JournalError.Kind?]>([])
    for entry in [JournalEntry.trial(1), .trial(2)] {
      journal.append([entry], to: "a", fence: 1) { error in
        outcomes.with(waking: true) { $0.append(error?.kind) }
      }
    }
    #expect(outcomes.wait { $0.count == 2 ? $0 : nil } == [.knownCase, .fenced])
    #expect(try journal.summary(of: "a")?.seq == 1)
  }

  @Test(
    "an entry that is not the next one is refused, and nothing of its append is stored",
    arguments: Trial.Kind.allCases)
  func gaps(kind: Trial.Kind) throws {
    let trial = try Trial(kind)
    trial.begin("a", entries: 2)
    let unborn = JournalEntry(seq: 1, flow: 1, wall: 1, body: [1], revision: 1)
    let reborn = JournalEntry(
      seq: 3, flow: 1, wall: 1, body: [1], revision: 1, birth: .init(time: 1, seed: 1))
    for wrong in [[.trial(4)], [.trial(2)], [.trial(3), .trial(5)], [.trial(0)], [reborn]] {
      #expect(trial.append(wrong, to: "a") == .failed)
    }
    #expect(trial.append([unborn], to: "b") == .failed)
    #expect(try trial.journal.summary(of: "a")?.seq == 2)
    #expect(trial.append([.trial(3)], to: "a") == nil)
    #expect(trial.append([], to: "a") == nil)
  }

  @Test("each activation fences the previous writer", arguments: Trial.Kind.allCases)
  func fences(kind: Trial.Kind) throws {
    let trial = try Trial(kind)
    trial.begin("a", entries: 1)
    let first = try #require(try trial.journal.activate("a")).fence
    #expect(trial.append([.trial(2)], to: "a") == .fenced)
    #expect(trial.append([.trial(2)], to: "a", fence: first) == nil)
    let second = try #require(try trial.journal.activate("a")).fence
    #expect(second > first && first > 1)
    #expect(trial.append([.trial(3)], to: "a", fence: first) == .fenced)
    #expect(trial.append([.trial(3)], to: "a", fence: second + 1) == .fenced)
    #expect(trial.append([.trial(3)], to: "a", fence: second) == nil)
    try trial.restart()
    #expect(trial.append([.trial(4)], to: "a", fence: second) == .fenced)
    let third = try #require(try trial.journal.activate("a"))
    #expect(third.fence > second && third.entries.map(\.seq) == [1, 2, 3])
  }

  @Test(
    "appends of a case are answered in order, including refused ones",
    arguments: Trial.Kind.allCases
  )
  func order(kind: Trial.Kind) throws {
    let trial = try Trial(kind)
    let journal = trial.journal
    let outcomes = Monitor<[String]>([])
    for seq in 1...60 {
      let fence = seq % 7 == 0 ? 9 : 1
      let entry = JournalEntry.trial(seq % 7 == 0 ? seq : seq - seq / 7)
      journal.append([entry], to: "a", fence: fence) { error in
        outcomes.with(waking: true) { $0.append("\(seq) \(error == nil)") }
      }
    }
    let told = outcomes.wait { $0.count == 60 ? $0 : nil }
    #expect(told == (1...60).map { "\($0) \($0 % 7 != 0)" })
    #expect(try journal.summary(of: "a")?.seq == 52)
  }

  @Test("an activation sees all entries that were added before it", arguments: Trial.Kind.allCases)
  func activationWaits(kind: Trial.Kind) throws {
    let trial = try Trial(kind)
    let journal = trial.journal
    for seq in 1...40 { journal.append([.trial(seq)], to: "a", fence: 1) { _ in } }
    #expect(try journal.activate("a")?.entries.count == 40)
  }

  @Test("a key has one answer, and belongs to its case", arguments: Trial.Kind.allCases)
  func keys(kind: Trial.Kind) throws {
    let trial = try Trial(kind)
    let answer = KeyedAnswer(key: "req-81", request: Array(0...255), revision: 7)
    #expect(trial.append([.trial(1, answers: [answer])], to: "a") == nil)
    #expect(try trial.journal.answer(to: "req-81", of: "a") == answer)
    #expect(try trial.journal.answer(to: "req-8", of: "a") == nil)
    #expect(try trial.journal.answer(to: "req-81", of: "b") == nil)
    #expect(trial.append([.trial(2, answers: [answer])], to: "a") == .keyReused)
    let twice = KeyedAnswer(key: "new", request: [1], revision: 1)
    #expect(trial.append([.trial(2, answers: [twice, twice])], to: "a") == .keyReused)
    #expect(try trial.journal.answer(to: "new", of: "a") == nil)
    #expect(trial.append([.trial(1, answers: [answer])], to: "b") == nil)
    try trial.restart()
    #expect(try trial.journal.answer(to: "req-81", of: "a") == answer)
  }

  @Test(
    "a key is kept for a week and can then be used for another request",
    arguments: Trial.Kind.allCases)
  func oldKeys(kind: Trial.Kind) throws {
    let now = Monitor(1_000_000)
    let trial = try Trial(kind) { now.with { $0 } }
    func entry(_ seq: Int, at wall: Int, _ revision: Int) -> JournalEntry {
      JournalEntry(
        seq: seq, flow: 1, wall: wall, body: [1], revision: revision,
        answers: [
          KeyedAnswer(key: "k", request: [UInt8(truncatingIfNeeded: revision)], revision: revision)
        ],
        birth: seq == 1 ? .init(time: 1, seed: 1) : nil)
    }
    let week = 7 * 24 * 3_600 * 1_000_000
    #expect(trial.append([entry(1, at: 1_000_000, 3)], to: "a") == nil)
    #expect(trial.append([entry(2, at: 1_000_000 + week, 4)], to: "a") == .keyReused)
    for _ in 1...2 {
      now.with { $0 = 1_000_000 + week }
      #expect(try trial.journal.answer(to: "k", of: "a")?.revision == 3)
      now.with { $0 += 1 }
      #expect(try trial.journal.answer(to: "k", of: "a") == nil)
      try trial.restart()
    }
    let fence = try #require(try trial.journal.activate("a")).fence
    #expect(trial.append([entry(2, at: 1_000_001 + week, 4)], to: "a", fence: fence) == nil)
    #expect(try trial.journal.answer(to: "k", of: "a")?.revision == 4)
  }

  @Test("a case that has ended is known, and accepts no entries", arguments: Trial.Kind.allCases)
  func ended(kind: Trial.Kind) throws {
    let trial = try Trial(kind)
    trial.begin("a", entries: 1)
    #expect(trial.append([.trial(2, ends: true), .trial(3)], to: "a") == .endedCase)
    #expect(trial.append([.trial(2, due: 5, ends: true)], to: "a") == nil)
    #expect(trial.append([.trial(3)], to: "a") == .endedCase)
    #expect(trial.append([.trial(1)], to: "a") == .knownCase)
    let summary = try #require(try trial.journal.summary(of: "a"))
    #expect(summary.ended == 1_000_002 && summary.due == nil && summary.seq == 2)
    try trial.restart()
    let stored = try #require(try trial.journal.activate("a"))
    #expect(stored.ended == 1_000_002)
    #expect(trial.append([.trial(3)], to: "a", fence: stored.fence) == .endedCase)
    #expect(try trial.journal.entries(of: "a", from: 1, limit: 9).map(\.seq) == [1, 2])
  }

  @Test("the texts of a flow are stored once, under one number", arguments: Trial.Kind.allCases)
  func flows(kind: Trial.Kind) throws {
    let trial = try Trial(kind)
    let later = JournaledFlow(name: "order.lua", hash: "beef", version: 3, texts: [])
    #expect(try trial.journal.keep(JournaledFlow.trial) == 1)
    #expect(try trial.journal.keep(later) == 2)
    #expect(try trial.journal.keep(JournaledFlow.trial) == 1)
    #expect(try trial.journal.flow(1) == JournaledFlow.trial)
    for unknown in [0, 3, -1, .max] { #expect(try trial.journal.flow(unknown) == nil) }
    #expect(trial.append([.trial(1, flow: 3)], to: "a") == .failed)
    #expect(trial.append([.trial(1, flow: 2)], to: "a") == nil)
    try trial.restart()
    #expect(try trial.journal.flow(2) == later && trial.journal.keep(later) == 2)
    #expect(try trial.journal.summary(of: "a")?.flow == 2)
  }

  @Test(
    "a closed journal refuses all calls, and can be closed again",
    arguments: Trial.Kind.allCases)
  func closes(kind wanted: Trial.Kind) throws {
    let trial = try Trial(wanted)
    let journal = trial.journal
    trial.begin("a", entries: 1)
    try journal.close()
    try journal.close()
    #expect(trial.append([.trial(2)], to: "a") == .closed)
    journal.keep(StoredSnapshot(seq: 1, flow: 1, body: []), of: "a", fence: 1)
    #expect(kind { () throws(JournalError) in _ = try journal.activate("a") } == .closed)
    #expect(
      kind { () throws(JournalError) in _ = try journal.entries(of: "a", from: 1, limit: 1) }
        == .closed)
    let other = JournaledFlow(name: "other.lua", hash: "1", version: 1, texts: [])
    #expect(kind { () throws(JournalError) in _ = try journal.keep(other) } == .closed)
    #expect(kind { () throws(JournalError) in _ = try journal.nextDue(after: 0) } == .closed)
  }
}
