import FlowJournal
import Moonlatch
import Platform

/// The last acknowledged entry of each case.
typealias Acknowledged = [String: Int]

extension [String: Int] {
  /// The lines that writers have noted; what the last one was cut off from does not count.
  init(lines: some Sequence<UInt8>) {
    self.init()
    var line: [UInt8] = []
    for byte in lines {
      if byte != 10 {
        line.append(byte)
        continue
      }
      let words = line.split(separator: 9).map { String(decoding: $0, as: UTF8.self) }
      if words.count == 2, let seq = Int(words[1]) {
        self[words[0]] = Swift.max(seq, self[words[0]] ?? 0)
      }
      line = []
    }
  }
}

/// The contents of a journal after a fault, compared with the expected contents.
struct Look {
  /// How many acknowledged entries are not there.
  var lost = 0
  /// A description of the damage, if any.
  var damage: String?

  /// - Parameters:
  ///   - acknowledged: nil where anything that was written in order may be there.
  ///   - size: as the workload had it.
  init(at file: URL, acknowledged: Acknowledged?, size: Int, goesOn: Bool = false) {
    do throws(JournalError) {
      let store = try SQLiteJournal(
        file: file, durability: .process, keepingKeys: .seconds(1 << 40))
      let findings = try JournalReader(file: file).verify()
      if let fault = findings.faults.first { damage = fault.description }
      for (id, last) in acknowledged ?? [:] {
        try look(at: id, in: store, acknowledged: last, size: size)
      }
      for summary in try store.cases(whose: nil, after: nil, limit: .max)
      where acknowledged?[summary.id] == nil {
        let last = acknowledged == nil ? summary.seq : 0
        try look(at: summary.id, in: store, acknowledged: last, size: size)
      }
      if goesOn { try continueWriting(store, size: size) }
      try store.close()
    } catch {
      damage = error.description
    }
  }

  private mutating func look(
    at id: String, in store: SQLiteJournal, acknowledged last: Int, size: Int
  ) throws(JournalError) {
    let found = try store.summary(of: id)?.seq ?? 0
    lost += max(0, last - found)
    if found > last + 1 { damage = "\(id) has \(found) entries, and \(last) were acknowledged" }
    let entries = try store.entries(of: id, from: 1, limit: .max)
    guard entries.count == found else {
      damage = "\(id) has \(entries.count) entries in place of \(found)"
      return
    }
    for (index, entry) in entries.enumerated() {
      let wanted = Self.expected(index + 1, of: id, size: size)
      if entry != wanted.asRead { damage = "entry \(index + 1) of \(id) is another one" }
      for answer in wanted.answers where try store.answer(to: answer.key, of: id) != answer {
        damage = "the answer of entry \(index + 1) of \(id) is not there"
      }
    }
    if try store.answer(to: Workload.key(found + 1).key, of: id) != nil {
      damage = "\(id) has answered what it has not done"
    }
  }

  /// The expected entries, made once for all images.
  nonisolated(unsafe) private static var known: [String: [JournalEntry]] = [:]

  private static func expected(_ seq: Int, of id: String, size: Int) -> JournalEntry {
    let name = "\(id) \(size)"
    while known[name, default: []].count < seq {
      let next = known[name, default: []].count + 1
      known[name, default: []].append(Workload.entry(next, of: id, size: size))
    }
    return known[name]?[seq - 1] ?? Workload.entry(seq, of: id, size: size)
  }

  /// Checks that the journal still accepts entries.
  private mutating func continueWriting(_ store: SQLiteJournal, size: Int) throws(JournalError) {
    _ = try store.keep(Workload.flow)
    let id = Workload.id(0)
    let stored = try store.activate(id)
    let told = Signal<JournalError?>()
    let next = (try store.summary(of: id)?.seq ?? 0) + 1
    store.append(
      [Workload.entry(next, of: id, size: size)], to: id, fence: stored?.fence ?? 1
    ) { told.give($0) }
    if let error = told.wait() { throw error }
    if try store.summary(of: id)?.seq != next { damage = "\(id) does not go on" }
  }
}

/// All of a file.
func contents(of path: String) -> [UInt8] {
  FileManager.default.contents(atPath: path).map { Array($0) } ?? []
}

/// Makes a file.
func put(_ bytes: [UInt8], at path: String) {
  _ = FileManager.default.createFile(atPath: path, contents: Data(bytes))
}
