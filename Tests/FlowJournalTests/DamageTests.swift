import FlowHosting
import FlowKernel
import Foundation
import JournalRows
import Platform
import Testing

@testable import FlowJournal

/// Journals that another program has changed.
@Suite struct DamageTests {
  private let folder = Folder()

  /// A journal of two cases with six entries each, the first with snapshots after 2 and 4, changed by statements.
  private func changed(_ statements: String...) throws -> SQLiteJournal {
    let store = try SQLiteJournal(
      file: folder.file(), durability: .process, keepingKeys: .seconds(1 << 40))
    _ = try store.keep(JournaledFlow.trial)
    for id in ["a", "b"] {
      for seq in 1...6 {
        let answers = [KeyedAnswer(key: "k\(seq)", request: [1], revision: seq)]
        let machines = ["order": ["s\(seq % 2)"]]
        #expect(store.add([.trial(seq, machines: machines, answers: answers)], to: id) == nil)
        if id == "a", seq % 2 == 0, seq < 6 {
          store.keep(StoredSnapshot(seq: seq, flow: 1, body: [UInt8(seq)]), of: "a", fence: 1)
          try store.batchWriter.perform { _ in }
          while try JournalReader(file: folder.file()).find("a")?.snapshot?.seq != seq {}
        }
      }
    }
    try store.close()
    let connection = try Schema.open(folder.file().path, .process)
    for statement in statements { try connection.run(statement) }
    connection.close()
    return try SQLiteJournal(
      file: folder.file(), durability: .process, keepingKeys: .seconds(1 << 40))
  }

  private func message(_ body: () throws(JournalError) -> Void) -> String? {
    do throws(JournalError) {
      try body()
      return nil
    } catch {
      #expect(error.kind == .damaged)
      return error.description
    }
  }

  private static let changes = [
    (
      "UPDATE entry SET body = x'00' WHERE life = 'b' AND seq = 3",
      "entry 3 of case \"b\" was changed after"
    ),
    (
      "UPDATE entry SET sum = sum + 1 WHERE life = 'b' AND seq = 3",
      "entry 3 of case \"b\" was changed after"
    ),
    (
      "UPDATE entry SET revision = 9 WHERE life = 'b' AND seq = 6",
      "entry 6 of case \"b\" was changed after"
    ),
    (
      "UPDATE entry SET wall_us = 9 WHERE life = 'b' AND seq = 1",
      "entry 1 of case \"b\" was changed after"
    ),
    (
      "UPDATE entry SET chain = 9 WHERE life = 'b' AND seq = 5",
      "entry 5 of case \"b\" was changed after"
    ),
    ("UPDATE entry SET seq = 9 WHERE life = 'b' AND seq = 6", "entry 6 of case \"b\" is missing"),
    ("DELETE FROM entry WHERE life = 'b' AND seq = 4", "entry 4 of case \"b\" is missing"),
    ("DELETE FROM entry WHERE life = 'b' AND seq = 6", "entry 6 of case \"b\" is missing"),
    ("DELETE FROM entry WHERE life = 'b'", "entry 1 of case \"b\" is missing"),
    (
      "UPDATE entry SET body = (SELECT body FROM entry WHERE life = 'b' AND seq = 2) WHERE seq = 4",
      "entry 4 of case \"b\" was changed after"
    ),
    (
      "INSERT INTO entry SELECT life, 7, flow, wall_us, revision, chain, sum, body FROM entry "
        + "WHERE life = 'b' AND seq = 6", "entry 7 of case \"b\" was changed after"
    ),
    ("UPDATE life SET seq = 5 WHERE id = 'b'", "the row of case \"b\" was changed after"),
    ("UPDATE life SET born_us = 5 WHERE id = 'b'", "the row of case \"b\" was changed after"),
    ("UPDATE life SET seed = '5' WHERE id = 'b'", "the row of case \"b\" was changed after"),
    ("UPDATE life SET machines = '{' WHERE id = 'b'", "the row of case \"b\" was changed after"),
  ]

  @Test(
    "a case with a change in its rows returns no entries, and the error says what was changed",
    arguments: changes)
  func entries(statement: String, sentence: String) throws {
    let store = try changed(statement)
    let verified = try verified()
    let all = message { () throws(JournalError) in
      _ = try store.entries(of: "b", from: 1, limit: 99)
    }
    let told = try #require(all ?? verified)
    #expect(told.contains(sentence) && told.contains("journal verify"))
    #expect(verified?.contains(sentence) ?? false)
    #expect(try store.entries(of: "a", from: 1, limit: 3).count == 3)
  }

  @Test(
    "rows beside the entries of a case, and a seed that is no number, are reported",
    arguments: [
      "INSERT INTO entry SELECT life, -1, flow, wall_us, revision, chain, sum, body FROM entry WHERE life = 'b' AND seq = 1",
      "INSERT INTO entry SELECT life, 99, flow, wall_us, revision, chain, sum, body FROM entry WHERE life = 'b' AND seq = 1",
      "UPDATE life SET seed = seed || 'a' WHERE id = 'b'",
    ])
  func beside(statement: String) throws {
    try changed(statement).close()
    #expect(try verified()?.contains("case \"b\"") ?? false)
  }

  @Test("a changed tag of the write-ahead log is reported")
  func tag() throws {
    try changed("UPDATE OR REPLACE journal SET tag = 0").close()
    #expect(
      try JournalReader(file: folder.file()).verify().faults.map(\.description).first?
        .contains("tag in its table journal, which identifies its log (-wal), was changed") ?? false
    )
  }

  @Test("a commit mark that is damaged or of another journal is reported, and zeros are not")
  func marks() throws {
    try changed().close()
    let path = folder.file().path
    let own = try #require(JournalStamp.read(ofFile: path))
    try CommitMark(of: path, own).write(own.commits)
    let mark = CommitMark.path(of: path)
    let written = try Data(contentsOf: URL(filePath: mark))
    func faults(_ bytes: Data) throws -> [String] {
      try bytes.write(to: URL(filePath: mark))
      return try JournalReader(file: folder.file()).verify().faults.map(\.description)
    }
    #expect(try faults(written) == [])
    #expect(try faults(Data(count: written.count)) == [])
    var other = written
    other[30] ^= 1
    #expect(try faults(other).first?.contains("-mark is damaged") ?? false)
    let stamp = JournalStamp(
      id: String(repeating: "x", count: 16), copy: String(repeating: "y", count: 16), commits: 1)
    let line = stamp.text + Array(" \(Checksum.of(stamp.text)) ".utf8)
    #expect(try faults(Data(line)).first?.contains("belongs to journal xxxx") ?? false)
  }

  private func verified() throws -> String? {
    let findings = try JournalReader(file: folder.file()).verify()
    #expect(!findings.isWhole)
    return findings.faults.first { $0.id == "b" }?.description
  }

  @Test("a damaged case cannot be activated, and its writer is not fenced")
  func activation() throws {
    let store = try changed("UPDATE entry SET body = x'00' WHERE life = 'b' AND seq = 3")
    #expect(message { () throws(JournalError) in _ = try store.activate("b") } != nil)
    #expect(try store.activate("a") != nil)
  }

  @Test("an append in one batch with a damaged case is stored")
  func batch() throws {
    let store = try changed("UPDATE life SET seq = 5 WHERE id = 'b'")
    let fence = try #require(try store.activate("a")).fence
    let told = Monitor<[JournalError.Kind?]>([])
    // All wait together behind a first one.
    try store.batchWriter.perform { _ in
      for (id, fence) in [("b", 1), ("a", fence), ("b", 1)] {
        store.append([.trial(7)], to: id, fence: fence) { error in
          told.with(waking: true) { $0.append(error?.kind) }
        }
      }
    }
    #expect(told.wait { $0.count == 3 ? $0 : nil } == [.damaged, nil, .damaged])
    #expect(try store.summary(of: "a")?.seq == 7)
  }

  @Test("a changed snapshot is skipped in favour of the one before it, and then of the entries")
  func snapshots() throws {
    let newest = "UPDATE snapshot SET body = x'00' WHERE seq = 4"
    do {
      let store = try changed()
      #expect(try store.activate("a")?.snapshot?.seq == 4)
      try store.close()
    }
    for (statements, seq) in [
      ([newest], 2), ([newest, "UPDATE snapshot SET seq = 3 WHERE seq = 2"], nil),
    ] {
      let connection = try Schema.open(folder.file().path, .process)
      for statement in statements { try connection.run(statement) }
      connection.close()
      let store = try SQLiteJournal(
        file: folder.file(), durability: .process, keepingKeys: .seconds(1 << 40))
      let found = try #require(try store.activate("a"))
      #expect(found.snapshot?.seq == seq)
      #expect(found.entries.map(\.seq) == Array(((seq ?? 0) + 1)...6))
      let findings = try JournalReader(file: folder.file()).verify()
      #expect(
        findings.faults.first?.description.contains("the snapshot of case \"a\" after entry")
          ?? false)
      try store.close()
    }
  }

  @Test("a changed answer and changed texts of a flow are not returned")
  func others() throws {
    let store = try changed(
      "UPDATE ack SET revision = 9 WHERE key = 'k2'", "UPDATE flow SET texts = x'00' WHERE id = 1")
    #expect(message { () throws(JournalError) in _ = try store.answer(to: "k2", of: "b") } != nil)
    #expect(try store.answer(to: "k3", of: "b")?.revision == 3)
    #expect(
      message { () throws(JournalError) in _ = try store.flow(1) }?.contains("flow 1") ?? false)
    let faults = try JournalReader(file: folder.file()).verify().faults.map(\.description)
    #expect(faults.count == 3)
    #expect(["case \"a\"", "case \"b\""].allSatisfy { id in faults.contains { $0.contains(id) } })
  }

  @Test(
    "verify finds cases that are missing from a table of states, and rows of unknown cases",
    arguments: [
      (
        "DELETE FROM stands WHERE life = 'b'",
        "is not listed under the active state of its machine order"
      ),
      (
        "INSERT INTO stands VALUES('order', 's9', 'b')",
        "3 active states of machines are listed, but the cases have 2"
      ),
      ("INSERT INTO stands VALUES('order', 's0', 'c')", "the table stands names a case \"c\""),
      ("DELETE FROM life WHERE id = 'b'", "the table entry names a case \"b\" that does not exist"),
    ])
  func strays(statement: String, sentence: String) throws {
    let store = try changed(statement)
    let findings = try JournalReader(file: folder.file()).verify()
    #expect(findings.faults.contains { $0.description.contains(sentence) })
    try store.close()
  }

  @Test(
    "verify finds deleted answers, snapshots and texts, and emptied entries",
    arguments: [
      (
        "DELETE FROM ack WHERE life = 'b' AND key = 'k3'",
        "case \"b\" has 5 answers to keys, but 6 were"
      ),
      ("DELETE FROM snapshot WHERE seq = 2", "case \"a\" has 1 snapshots, but 2 were written"),
      ("DELETE FROM snapshot", "case \"a\" has 0 snapshots, but 2 were written"),
      (
        "UPDATE ack SET life = 'c' WHERE life = 'b' AND key = 'k3'",
        "case \"b\" has 5 answers to keys, but 6 were"
      ),
      (
        "UPDATE entry SET body = NULL WHERE life = 'b' AND seq = 2",
        "1 of 6 entries of case \"b\" are empty, but it was not erased"
      ),
      (
        "UPDATE entry SET body = NULL WHERE life = 'a'",
        "6 of 6 entries of case \"a\" are empty, but it was not erased"
      ),
    ])
  func deleted(statement: String, sentence: String) throws {
    let store = try changed(statement)
    let findings = try JournalReader(file: folder.file()).verify()
    #expect(findings.faults.contains { $0.description.contains(sentence) })
    #expect(findings.wholeCases == 1)
    try store.close()
  }

  @Test(
    "verify finds a second identity of the journal",
    arguments: [
      ("id", "the journal has 2 identities"), ("'x'", "was changed after it was written"),
    ])
  func identities(id: String, sentence: String) throws {
    let store = try changed(
      "INSERT INTO journal SELECT tag, \(id), copy, commits, flow, former, sum FROM journal")
    let findings = try JournalReader(file: folder.file()).verify()
    #expect(findings.faults.contains { $0.description.contains(sentence) })
    try store.close()
  }

  @Test("verify names the cases of a flow whose texts were deleted")
  func deletedTexts() throws {
    let store = try changed("DELETE FROM flow WHERE id = 1")
    let findings = try JournalReader(file: folder.file()).verify()
    for id in ["a", "b"] {
      #expect(
        findings.faults.contains {
          $0.description.contains("case \"\(id)\" belongs to flow 1, whose source is missing")
        })
    }
    try store.close()
  }

  @Test("verify says which entries of a damaged case are intact")
  func salvaged() throws {
    let store = try changed(
      "DELETE FROM entry WHERE life = 'b' AND seq = 2",
      "UPDATE entry SET body = x'00' WHERE life = 'b' AND seq = 4")
    let findings = try JournalReader(file: folder.file()).verify()
    #expect(
      findings.faults.map(\.description).contains(
        "case \"b\": of its entries 1 to 6 these are intact: 1, 3, 5 to 6."))
    #expect(findings.cases == 2 && findings.wholeCases == 1 && findings.entries == 10)
    try store.close()
  }

  @Test("verify continues after unreadable pages, and says which tables and cases are intact")
  func malformed() throws {
    let store = try SQLiteJournal(file: folder.file(), durability: .process)
    _ = try store.keep(JournaledFlow.trial)
    for number in 100..<160 {
      for seq in 1...4 {
        let body = [UInt8](repeating: UInt8(seq), count: 700)
        #expect(store.add([.trial(seq, body: body)], to: "case \(number)") == nil)
      }
    }
    try store.compact(keeping: .seconds(1 << 40))
    try store.close()
    let connection = try Schema.openToRead(folder.file().path)
    func pages(_ table: String) throws -> [Int] {
      try connection.rows(
        "SELECT pageno FROM dbstat WHERE name = '\(table)' AND pagetype = 'leaf' ORDER BY pageno"
      ) { $0.integer(0) }
    }
    let (life, entry) = (try pages("life"), try pages("entry"))
    connection.close()
    var bytes = try Data(contentsOf: folder.file())
    for page in [life[life.count / 2], entry[entry.count / 3]] {
      for offset in 0..<4_096 { bytes[(page - 1) * 4_096 + offset] = 0xa5 }
    }
    try bytes.write(to: folder.file())
    let findings = try JournalReader(file: folder.file()).verify()
    #expect(findings.cases == 60)
    #expect((20..<58).contains(findings.wholeCases))
    #expect(findings.wholeTables == ["journal", "flow", "snapshot", "ack", "stands", "task"])
    #expect(findings.faults.contains { $0.description.contains("the table life is damaged") })
    #expect(findings.faults.contains { $0.description.contains("these are intact") })
  }

  @Test("verify counts the contents, and finds nothing in an undamaged journal")
  func whole() throws {
    let store = try changed()
    let findings = try JournalReader(file: folder.file()).verify()
    #expect(findings.isWhole && findings.cases == 2 && findings.entries == 12)
    #expect(findings.snapshots == 2 && findings.answers == 12 && findings.erased == 0)
    try store.close()
  }
}
