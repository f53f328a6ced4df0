import FlowHosting
import FlowKernel
import Synchronization

/// The entries of a case as an asynchronous sequence: the stored ones, and then each new one once it is stored.
///
/// ```swift
/// for try await entry in orders["o-17"].entries(from: 40) { print(entry.seq, try entry.contents().kind) }
/// ```
///
/// Entries are read from the journal as fast as they are consumed; those that compaction has dropped are
/// skipped. The sequence ends behind the last entry of a case that has ended, and when the cases, or the
/// host, are closed.
public struct CaseEntries: AsyncSequence, Sendable {
  package let calls: JournalCalls
  package let id: String
  package let first: Int
  package let watch: EntryNotifier

  /// An iterator over the entries of a case.
  public struct AsyncIterator: AsyncIteratorProtocol {
    private let calls: JournalCalls
    private let id: String
    private var next: Int
    private var page: ArraySlice<JournalEntry> = []
    private var news: AsyncStream<Void>.AsyncIterator
    private var isOver = false
    /// The greatest number of entries that are read at once, and the number of bytes of them that are buffered.
    private static let most = (entries: 100, bytes: 1 << 20)
    private var pageSize = 4

    package init(_ entries: CaseEntries) {
      (calls, id, next) = (entries.calls, entries.id, Swift.max(1, entries.first))
      // Subscribes before anything is read, so that no entry is missed.
      news = entries.watch.news(of: id).makeAsyncIterator()
    }

    /// Returns the next entry, once it is stored; nil if none will follow.
    ///
    /// - Throws: `JournalError` if there is no such case or it cannot be read.
    public mutating func next() async throws -> JournalEntry? {
      while page.isEmpty {
        if isOver || Task.isCancelled { return nil }
        let (id, next, pageSize) = (id, next, pageSize)
        let (summary, found) = try await calls.call {
          (
            try await $0.summary(of: id),
            try await $0.entries(of: id, from: next, limit: pageSize)
          )
        }
        page = fitting(found)
        guard page.isEmpty else { break }
        guard let summary else { throw AppendPosition.unknown(id) }
        if summary.ended != nil { return nil }
        if await news.next() == nil { isOver = true }
      }
      guard let entry = page.popFirst() else { return nil }
      next = entry.seq + 1
      return entry
    }

    /// Returns the first entries up to the limit of bytes, at least one, and sets the number to read the next time.
    private mutating func fitting(_ found: [JournalEntry]) -> ArraySlice<JournalEntry> {
      var bytes = found.first?.body.count ?? 0
      let end = found.dropFirst().firstIndex { entry in
        bytes += entry.body.count
        return bytes > Self.most.bytes
      }
      let page = found[..<(end ?? found.endIndex)]
      pageSize = end == nil ? Swift.min(Self.most.entries, pageSize * 2) : Swift.max(1, page.count)
      return page
    }
  }

  /// Returns an iterator that begins with the first entry.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(self) }
}
