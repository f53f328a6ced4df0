import FlowHosting
import FlowKernel
import FlowLanguage
import LuaRuntime

/// A row of the timeline: an action that was dispatched, and its outcome.
package struct InspectedRow: Sendable {
  /// The outcome of a row.
  package enum Outcome: String, Sendable {
    case passed, refused, failed
    /// The entry has the complete case: after its creation, a reload, undo, redo or going to a revision.
    case snapshot
    /// There were more rejected dispatches than an entry has space for.
    case dropped
  }

  /// The number of the entry; `place` is the index of the row in the entry, from 0 on.
  package var seq: Int
  package var place = 0
  package var revision: Int
  package var action: String
  package var payload: Value = [:]
  package var by: String?
  package var cause: Int?
  /// The time since the beginning of the case, in microseconds.
  package var time: Int
  /// The time by the wall clock, in microseconds since 1970.
  package var wall: Int
  package var outcome: Outcome
  /// The declaration that rejected the action; `why` is the sentence.
  package var who: String?
  package var why: String?
  package var source: String?
  /// The full outcome, if more than a sentence is known.
  package var result: FlowKernel.Outcome?

  /// The net changes of the commit; computed at each access.
  package var changes: [Patch.Change] { result?.commit?.changes.changes ?? [] }
  /// Every write of the commit; computed at each access.
  package var writes: [Patch.Change] { result?.commit?.writes.changes ?? [] }
}

extension InspectedRow {
  init(_ commit: Commit, seq: Int, wall: Int) {
    self.init(
      seq: seq, revision: commit.revision, action: commit.action,
      payload: commit.payload, by: commit.dispatchedBy, cause: commit.cause,
      time: commit.microseconds, wall: wall, outcome: .passed, result: .passed(commit))
  }

  init(_ dispatch: RejectedDispatch, seq: Int, wall: Int) {
    self.init(
      seq: seq, revision: dispatch.revision, action: dispatch.action, payload: dispatch.payload,
      by: dispatch.by, cause: dispatch.cause, time: dispatch.microseconds, wall: wall,
      outcome: .refused)
    take(dispatch.outcome)
  }

  init(_ refused: JournalEntry.Contents.Refused, seq: Int, revision: Int, wall: Int) {
    self.init(
      seq: seq, revision: revision, action: refused.action, payload: refused.payload ?? [:],
      by: refused.by, cause: nil, time: refused.time, wall: wall,
      outcome: refused.hasFailed ? .failed : .refused, why: refused.reason)
    // The journal only has the sentence: `refused by gate push: insert a coin first`.
    guard !refused.hasFailed else { return }
    if refused.reason.hasPrefix("refused by "), let colon = refused.reason.firstRange(of: ": ") {
      let begin = refused.reason.index(refused.reason.startIndex, offsetBy: 11)
      who = String(refused.reason[begin..<colon.lowerBound])
      why = String(refused.reason[colon.upperBound...])
    } else if let end = refused.reason.firstRange(of: " gave no reason") {
      who = String(refused.reason[..<end.lowerBound])
    }
  }

  mutating func take(_ result: FlowKernel.Outcome) {
    self.result = result
    switch result {
    case .passed: outcome = .passed
    case .refused(let refusal):
      (outcome, who, why) = (
        .refused, "\(refusal.rejectedBy)", refusal.reason ?? refusal.description
      )
      source = "\(refusal.place)"
    case .failed(let failure):
      (outcome, who, why) = (.failed, failure.kind.rawValue, failure.message)
      source = failure.script.flatMap { $0.place.isEmpty ? nil : $0.place }
    }
  }

  /// Returns the rows of an entry of a journal: first the dispatches that were rejected before it, then the commits.
  static func rows(of entry: JournalEntry) throws(JournalError) -> [InspectedRow] {
    let contents = try entry.contents()
    var rows = contents.refused.map {
      InspectedRow(
        $0, seq: entry.seq, revision: entry.revision - contents.commits.count,
        wall: entry.wall)
    }
    if contents.refusedDropped > 0 {
      rows.append(
        InspectedRow(
          seq: entry.seq, revision: entry.revision - contents.commits.count,
          action: "\(contents.refusedDropped) more rejected", time: contents.time ?? 0,
          wall: entry.wall, outcome: .dropped,
          why: "an entry of the journal has no space for them"))
    }
    rows += contents.commits.map { InspectedRow($0, seq: entry.seq, wall: entry.wall) }
    if contents.kind != .turn {
      rows.append(
        InspectedRow(
          seq: entry.seq, revision: entry.revision,
          action: entry.seq == 1 ? "begins" : contents.kind == .erased ? "erased" : "rewritten",
          time: contents.time ?? 0, wall: entry.wall, outcome: .snapshot))
    }
    for index in rows.indices { rows[index].place = index }
    return rows
  }
}
