import FlowJournal
import JournalRows
import Moonlatch
import Platform

/// The entries to write: each follows from its case and its number, so a reader knows the expected contents.
struct Workload {
  /// How many cases are written at once, each by a thread that waits for every entry.
  var writers = 1
  /// How many entries are written in all; none where it goes on until it is killed.
  var entries: Int?
  /// About how long a body is.
  var size = 200
  var durability = SQLiteJournal.Durability.full

  static let flow = JournaledFlow(
    name: "faults.lua", hash: "1", version: 1, texts: [.init(name: "faults.lua", text: "")])

  static func id(_ writer: Int) -> String { "case \(writer)" }

  static func entry(_ seq: Int, of id: String, size: Int) -> JournalEntry {
    let seed = id.utf8.reduce(UInt64(seq)) { $0 &* 1_099_511_628_211 ^ UInt64($1) }
    var chance = Chance(seed)
    // Now and then one that takes some pages.
    let count = chance.below(40) == 0 ? size * 30 : size / 2 + chance.below(size)
    let body = (0..<count).map { _ in UInt8(truncatingIfNeeded: chance.next()) }
    let state = ["new", "paid", "sent"][seq % 3]
    return JournalEntry(
      seq: seq, flow: 1, wall: 1_000_000 + seq, body: body, revision: seq,
      due: seq % 4 == 0 ? nil : seq * 10, machines: seq % 5 == 1 ? ["order": [state]] : nil,
      answers: seq % 2 == 0 ? [] : [key(seq)],
      birth: seq == 1 ? .init(time: 1_000_000, seed: seed) : nil)
  }

  /// The answer to the dispatch that made an odd entry.
  static func key(_ seq: Int) -> KeyedAnswer {
    KeyedAnswer(
      key: "request \(seq)", request: SHA256.digest(of: Array("\(seq)".utf8)), revision: seq)
  }

  /// Writes, and notes each acknowledged entry in the file of acknowledgements.
  ///
  /// - Returns: the first error that came.
  func write(to store: SQLiteJournal, acknowledgements: Int32) throws(JournalError) -> JournalError?
  {
    _ = try store.keep(Self.flow)
    var writing: [Writing] = []
    for writer in 0..<writers {
      let id = Self.id(writer)
      let stored = try store.activate(id)
      let last = (stored?.entries.last?.seq ?? stored?.snapshot?.seq) ?? 0
      let next = Writing(
        store: store, id: id, fence: stored?.fence ?? 1, size: size, file: acknowledgements,
        next: last + 1, end: entries.map { last + $0 / writers } ?? .max)
      // An entry that was read must not be lost later.
      if last > 0 { next.note(last) }
      writing.append(next)
    }
    for writer in writing {
      guard SystemThread.start({ writer.run() }) else { fatalError("no threads") }
    }
    let outcomes = writing.map { $0.wait() }
    return outcomes.lazy.compactMap { $0 }.first
  }
}

/// One thread that writes a case.
final class Writing: @unchecked Sendable {
  private let store: SQLiteJournal
  private let (id, fence, size, file): (String, Int, Int, Int32)
  private var next: Int
  private let end: Int
  private let over = Signal<JournalError?>()

  init(
    store: SQLiteJournal, id: String, fence: Int, size: Int, file: Int32, next: Int, end: Int
  ) {
    (self.store, self.next, self.end) = (store, next, end)
    (self.id, self.fence, self.size, self.file) = (id, fence, size, file)
  }

  func wait() -> JournalError? { over.wait() }

  func note(_ seq: Int) {
    let line = Array("\(id)\t\(seq)\n".utf8)
    _ = Platform.write(file, line, line.count)
  }

  func run() {
    while next <= end {
      let told = Signal<JournalError?>()
      store.append([Workload.entry(next, of: id, size: size)], to: id, fence: fence) {
        told.give($0)
      }
      if let error = told.wait() { return over.give(error) }
      note(next)
      if next % 25 == 0 {
        let body = Workload.entry(next, of: id, size: size * 4).body
        store.keep(StoredSnapshot(seq: next, flow: 1, body: body), of: id, fence: fence)
      }
      next += 1
    }
    over.give(nil)
  }
}

/// Something that one thread gives another.
final class Signal<Value: Sendable>: @unchecked Sendable {
  private let line = Monitor<Value?>(nil)
  func give(_ value: Value) { line.with(waking: true) { $0 = value } }
  func wait() -> Value { line.wait { $0 } }
}
