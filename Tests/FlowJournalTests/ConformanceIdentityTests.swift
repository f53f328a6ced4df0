import FlowHosting
import FlowKernel
import JournalRows
import Testing

@testable import FlowJournal

/// Every journal has an identity.
@Suite struct ConformanceIdentityTests {
  @Test("a journal has one permanent id of its own", arguments: Trial.Kind.allCases)
  func ids(kind: Trial.Kind) throws {
    let (trial, other) = (try Trial(kind), try Trial(kind))
    let identity = try trial.journal.identify(as: "order", adopting: false)
    #expect(identity.id.utf8.count == 16 && identity.flow == "order" && identity.formerNames == [])
    #expect(try other.journal.identify(as: "order", adopting: false).id != identity.id)
    #expect(try trial.journal.identify(as: "order", adopting: true) == identity)
    try trial.restart()
    #expect(try trial.journal.identify(as: "order", adopting: false) == identity)
  }

  @Test(
    "the first flow owns a journal, and another flow must adopt it", arguments: Trial.Kind.allCases
  )
  func owners(kind: Trial.Kind) throws {
    let trial = try Trial(kind)
    let id = try trial.journal.identify(as: "é", adopting: false).id
    for _ in 1...2 {
      #expect(
        FlowJournalTests.kind { () throws(JournalError) in
          _ = try trial.journal.identify(as: "e", adopting: false)
        } == .otherFlow)
      try trial.restart()
    }
    #expect(
      try trial.journal.identify(as: "e", adopting: true)
        == JournalIdentity(id: id, flow: "e", formerNames: ["é"]))
    try trial.restart()
    #expect(
      try trial.journal.identify(as: "é", adopting: true)
        == JournalIdentity(id: id, flow: "é", formerNames: ["e"]))
  }

  @Test(
    "cases that have not ended are counted by flow, with the first of each",
    arguments: Trial.Kind.allCases)
  func living(kind: Trial.Kind) throws {
    let trial = try Trial(kind)
    let journal = try #require(trial.journal.journal as? any SnapshotReading)
    #expect(try journal.livingCases() == [])
    let other = try trial.journal.keep(
      JournaledFlow(name: "b.lua", hash: "2", version: 3, texts: []))
    for id in ["c", "b", "d"] { trial.begin(id, entries: 1) }
    #expect(trial.append([.trial(2, ends: true)], to: "b") == nil)
    #expect(trial.append([.trial(2, flow: other)], to: "d") == nil)
    #expect(
      try journal.livingCases() == [
        LivingCases(flow: 1, count: 1, first: "c"), LivingCases(flow: other, count: 1, first: "d"),
      ])
  }
}
