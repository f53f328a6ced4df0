import FlowHosting
import FlowKernel
import JournalRows
import Platform
import Testing

@testable import FlowJournal

@Suite struct JournalReaderTests {
  private let folder = Folder()

  private func store() throws -> SQLiteJournal {
    let store = try SQLiteJournal(file: folder.file(), durability: .process)
    _ = try store.keep(JournaledFlow.trial)
    for seq in 1...5 { #expect(store.add([.trial(seq, machines: ["m": ["on"]])], to: "a") == nil) }
    return store
  }

  @Test("a reader answers like the journal, while it is open and after it is closed")
  func reads() throws {
    let store = try store()
    for _ in 1...2 {
      let reader = try JournalReader(file: folder.file())
      #expect(try reader.flow(1) == JournaledFlow.trial)
      #expect(try reader.entries(of: "a", from: 4, limit: 9).map(\.seq) == [4, 5])
      #expect(try reader.cases(whose: ("m", "on"), limit: 9).map(\.id) == ["a"])
      let summary = try #require(try reader.summary(of: "a"))
      #expect(try reader.cases(limit: 9) == [summary])
      let found = try #require(try reader.find("a"))
      #expect(found.fence == 0 && found.entries.count == 5)
      #expect(try reader.find("b") == nil && reader.answer(to: "k", of: "a") == nil)
      try store.close()
    }
  }

  @Test("a reader leaves the fence of a case alone, and the journal can be opened for writing")
  func changesNothing() throws {
    let store = try store()
    let reader = try JournalReader(file: folder.file())
    _ = try reader.find("a")
    #expect(store.add([.trial(6)], to: "a") == nil)
    try store.close()
    let again = try SQLiteJournal(file: folder.file(), durability: .process)
    #expect(try reader.summary(of: "a")?.seq == 6)
    #expect(try again.activate("a")?.fence == 2)
  }

  @Test("a reader of a missing journal fails and creates no file")
  func nothing() throws {
    let file = folder.file("none.journal")
    #expect(kind { () throws(JournalError) in _ = try JournalReader(file: file) } == .failed)
    #expect(!FileManager.default.fileExists(atPath: file.path))
    try Data().write(to: file)
    #expect(kind { () throws(JournalError) in _ = try JournalReader(file: file) } == .unreadable)
  }

  @Test(
    "a closed journal in a read-only folder can be read",
    .enabled(if: geteuid() != 0, "root can write everywhere"))
  func readOnly() throws {
    try store().close()
    defer { chmod(folder.path, 0o700) }
    chmod(folder.path, 0o500)
    let reader = try JournalReader(file: folder.file())
    #expect(try reader.summary(of: "a")?.seq == 5)
    #expect(try reader.verify().isWhole)
    chmod(folder.file().path, 0)
    #expect(throws: JournalError.self) { try JournalReader(file: folder.file()) }
    chmod(folder.file().path, 0o600)
  }

  @Test("a backup made during writes is a complete journal as of one moment")
  func backup() throws {
    let store = try store()
    let copy = folder.file("copy.journal")
    try store.backup(to: copy)
    #expect(store.add([.trial(6)], to: "a") == nil)
    #expect(try JournalReader(file: copy).verify().isWhole)
    let other = try SQLiteJournal(file: copy, durability: .process)
    #expect(try other.summary(of: "a")?.seq == 5)
    let fence = try #require(try other.activate("a")).fence
    #expect(other.add([.trial(6)], to: "a", fence: fence) == nil)
  }

  @Test("a backup overwrites nothing, and leaves nothing behind if it fails")
  func backupElsewhere() throws {
    let store = try store()
    let taken = folder.file("taken.journal")
    try Data("a letter".utf8).write(to: taken)
    #expect(kind { () throws(JournalError) in try store.backup(to: taken) } == .failed)
    #expect(try Data(contentsOf: taken) == Data("a letter".utf8))
    #expect(
      kind { () throws(JournalError) in try store.backup(to: folder.file("no/copy")) } == .failed)
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    #expect(!names.contains { $0.hasSuffix(".part") })
  }
}
