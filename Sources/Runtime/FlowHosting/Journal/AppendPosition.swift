import FlowKernel

/// The end of a case's log, with the fence of its writer: decides whether entries can be appended.
///
/// Every journal uses this one rule.
package struct AppendPosition: Sendable, Hashable {
  /// The fence of the last activation.
  package var fence: Int
  /// The number of the last entry.
  package var seq: Int
  /// True if the case has ended.
  package var hasEnded: Bool

  package init(fence: Int, seq: Int, hasEnded: Bool) {
    (self.fence, self.seq, self.hasEnded) = (fence, seq, hasEnded)
  }

  /// The greatest length of an id and of a key, in bytes.
  package static let longestName = 1_024

  /// Returns the error of appending entries to a case, apart from their flows and keys; nil if there is none.
  package static func refusal(
    of entries: [JournalEntry], to id: String, fence: Int, head: AppendPosition?
  ) -> JournalError? {
    guard let first = entries.first else { return nil }
    if let wrong = wrongName(id, entries) { return wrong }
    for (entry, next) in zip(entries, entries.dropFirst()) where next.seq != entry.seq + 1 {
      return gap(next.seq, of: id, behind: entry.seq)
    }
    if entries.contains(where: { ($0.birth != nil) != ($0.seq == 1) }) {
      return JournalError(
        .failed, "case \"\(id)\": entry 1, and no other entry, must create it.")
    }
    if entries.dropLast().contains(where: \.hasEnded) { return ended(id) }
    guard let head else {
      return first.seq == 1 ? nil : unknown(id)
    }
    if first.seq == 1 {
      return JournalError(
        .knownCase, "there is a case \"\(id)\" already: each id names one case.")
    }
    if fence != head.fence { return fenced(id) }
    if head.hasEnded { return ended(id) }
    return first.seq == head.seq + 1 ? nil : gap(first.seq, of: id, behind: head.seq)
  }

  private static func wrongName(_ id: String, _ entries: [JournalEntry]) -> JournalError? {
    if id.isEmpty || id.utf8.count > longestName {
      return JournalError(.failed, "the id of a case must have 1 to \(longestName) bytes.")
    }
    for answer in entries.lazy.flatMap(\.answers)
    where answer.key.isEmpty || answer.key.utf8.count > longestName {
      return JournalError(.failed, "case \"\(id)\": a key must have 1 to \(longestName) bytes.")
    }
    return nil
  }

  private static func gap(_ seq: Int, of id: String, behind last: Int) -> JournalError {
    JournalError(
      .failed, "case \"\(id)\": entry \(seq) cannot follow entry \(last): activate the case again.")
  }

  /// Makes the error of a writer whose case has been activated by another.
  package static func fenced(_ id: String) -> JournalError {
    JournalError(
      .fenced,
      "case \"\(id)\" has been taken over by another host: this one can no longer write to it.")
  }

  /// Makes the error of a writer whose earlier entries could not be stored.
  package static func broken(_ id: String) -> JournalError {
    JournalError(
      .fenced,
      "case \"\(id)\": earlier entries could not be stored: activate the case again.")
  }

  package static func unknown(_ id: String) -> JournalError {
    JournalError(.unknownCase, "there is no case \"\(id)\": it was never created.")
  }

  package static func ended(_ id: String) -> JournalError {
    JournalError(.endedCase, "case \"\(id)\" has ended: no more entries can be added.")
  }

  package static func unknownFlow(_ number: Int, of id: String) -> JournalError {
    JournalError(
      .failed, "case \"\(id)\": the journal has no flow \(number): store its source first.")
  }

  /// Makes the error of a key that was answered already.
  package static func answered(_ key: String, of id: String) -> JournalError {
    JournalError(
      .keyReused,
      "case \"\(id)\": the key \"\(key)\" was already answered, and the request is not repeated.")
  }

  package static func closed(_ journal: String) -> JournalError {
    JournalError(.closed, "\(journal) is closed: it can no longer be read or written.")
  }
}
