import Platform
import Testing

@testable import FlowCases
@testable import FlowHosting
@testable import FlowKernel

/// The entries of cases that are decoded for notifications.
@Suite struct DecodedEntriesTests {
  /// The numbers of the entries that were decoded.
  private final class Numbers: Sendable {
    private let numbers = Mutex<[Int]>([])
    var all: [Int] { numbers.withLock { $0 } }
    func add(_ number: Int) { numbers.withLock { $0.append(number) } }
  }

  private func entry(_ seq: Int, _ text: String = "x") -> JournalEntry {
    JournalEntry(seq: seq, flow: 1, wall: 1, body: Array(text.utf8), revision: seq)
  }

  @Test("an entry is decoded once for all that read it, and again if it was erased")
  func once() throws {
    let numbers = Numbers()
    let entries = DecodedEntries { (entry) throws(JournalError) in
      numbers.add(entry.seq)
      return []
    }
    for _ in 0..<3 {
      for seq in [1, 2] { _ = try entries.commits(of: entry(seq), in: "a") }
    }
    #expect(numbers.all == [1, 2])
    _ = try entries.commits(of: entry(1), in: "b")
    _ = try entries.commits(of: entry(2, ""), in: "a")
    #expect(numbers.all == [1, 2, 1, 2])
  }

  @Test("the oldest entries are forgotten, and large ones are not kept")
  func bounds() throws {
    let numbers = Numbers()
    let entries = DecodedEntries(most: 2) { (entry) throws(JournalError) in
      numbers.add(entry.seq)
      return []
    }
    for seq in [1, 2, 3, 3, 2, 1] { _ = try entries.commits(of: entry(seq), in: "a") }
    #expect(numbers.all == [1, 2, 3, 1])
    let large = entry(9, String(repeating: "x", count: 100_000))
    for _ in 0..<2 { _ = try entries.commits(of: large, in: "a") }
    #expect(numbers.all.suffix(2) == [9, 9])
  }

  @Test("an entry that cannot be decoded is an error each time")
  func unreadable() {
    let entries = DecodedEntries()
    for _ in 0..<2 {
      #expect(throws: JournalError.self) { try entries.commits(of: entry(1), in: "a") }
    }
  }
}
