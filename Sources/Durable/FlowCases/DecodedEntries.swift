import FlowHosting
import FlowKernel
import Platform

/// The commits of the entries that were decoded last.
///
/// Each notification of a case reads its entries by itself, at its own time; so each entry is decoded once for all of
/// them.
final class DecodedEntries: Sendable {
  private struct Key: Hashable {
    let caseID: ExactText
    let seq: Int
  }

  private struct Decoded {
    /// The bytes that were decoded: an entry may be erased.
    let body: [UInt8]
    let commits: [Commit]
  }

  private struct State {
    var decoded: [Key: Decoded] = [:]
    /// The keys, the oldest one first.
    var order: [Key] = []
  }

  /// The greatest size of an entry that is kept, in bytes.
  private static let largest = 64 << 10

  private let most: Int
  private let decode: @Sendable (JournalEntry) throws(JournalError) -> [Commit]
  private let state = Mutex(State())

  /// - Parameters:
  ///   - most: the most entries that are kept.
  ///   - decode: decodes an entry.
  init(
    most: Int = 64,
    decode: @escaping @Sendable (JournalEntry) throws(JournalError) -> [Commit] = {
      (entry) throws(JournalError) in try entry.contents().commits
    }
  ) {
    (self.most, self.decode) = (most, decode)
  }

  /// Returns the commits of an entry.
  func commits(of entry: JournalEntry, in caseID: String) throws(JournalError) -> [Commit] {
    let key = Key(caseID: ExactText(caseID), seq: entry.seq)
    let known = state.withLock { $0.decoded[key] }
    if let known, known.body == entry.body { return known.commits }
    let commits = try decode(entry)
    if entry.body.count <= DecodedEntries.largest {
      store(Decoded(body: entry.body, commits: commits), as: key)
    }
    return commits
  }

  private func store(_ decoded: Decoded, as key: Key) {
    state.withLock { state in
      if state.decoded.updateValue(decoded, forKey: key) == nil { state.order.append(key) }
      if state.order.count > most { state.decoded[state.order.removeFirst()] = nil }
    }
  }
}
