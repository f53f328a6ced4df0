import FlowHosting
import FlowKernel
import JournalRows
import Platform
import Testing

@testable import FlowJournal

@Suite struct RestorationTests {
  private let folder = Folder()

  private func store(_ name: String = "a", entries: Int = 3) throws -> SQLiteJournal {
    let store = try SQLiteJournal(
      file: folder.file(name), durability: .full, pace: .init(pause: 60_000, idle: 60_000))
    _ = try store.identify(as: "order", adopting: false)
    _ = try store.keep(JournaledFlow.trial)
    for seq in 1...entries { #expect(store.add([.trial(seq)], to: "a") == nil) }
    return store
  }

  private func restoring(
    _ backup: String, to target: String, replacing: Bool = false
  ) -> JournalError? {
    journalError { () throws(JournalError) in
      try SQLiteJournal.restore(
        folder.file(backup), to: folder.file(target), replacing: replacing)
    }
  }

  private func last(_ name: String) throws -> Int? {
    try JournalReader(file: folder.file(name)).summary(of: "a")?.seq
  }

  @Test("a backup replaces its journal, and the old log files are deleted")
  func replaces() throws {
    let store = try store()
    try store.backup(to: folder.file("backup"))
    for seq in 4...6 { #expect(store.add([.trial(seq)], to: "a") == nil) }
    // Left by a process that was killed.
    for suffix in ["", "-wal", "-shm", "-mark"] {
      try FileManager.default.copyItem(
        at: folder.file("a" + suffix), to: folder.file("left" + suffix))
    }
    try store.close()
    #expect(restoring("backup", to: "left") == nil)
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    #expect(
      !names.contains { $0.hasPrefix("left-") && $0 != "left-shm" || $0.hasPrefix(".moonlatch-") })
    #expect(try last("left") == 3)
    let again = try SQLiteJournal(file: folder.file("left"))
    let fence = try #require(try again.activate("a")).fence
    #expect(again.add([.trial(4)], to: "a", fence: fence) == nil)
    try again.close()
    #expect(try last("left") == 4)
    #expect(restoring("backup", to: "new") == nil)
    #expect(try last("new") == 3)
  }

  @Test("a journal that is open for writing is not replaced")
  func open() throws {
    let store = try store()
    try store.backup(to: folder.file("backup"))
    #expect(restoring("backup", to: "a", replacing: true)?.kind == .locked(by: Int(getpid())))
    #expect(store.add([.trial(4)], to: "a") == nil)
    try store.close()
    #expect(try last("a") == 4)
  }

  @Test("another journal, or a file that is no journal, is replaced only on demand")
  func others() throws {
    let (store, other) = (try store(), try store("other", entries: 5))
    try store.backup(to: folder.file("backup"))
    try store.close()
    let id = try other.identify(as: "order", adopting: false).id
    try other.close()
    let error = try #require(restoring("backup", to: "other"))
    #expect(error.kind == .otherFlow)
    #expect(error.description.contains("other is journal \(id), and "))
    #expect(try last("other") == 5)
    try Data("notes".utf8).write(to: folder.file("notes"))
    #expect(restoring("backup", to: "notes")?.kind == .unreadable)
    #expect(try Data(contentsOf: folder.file("notes")).count == 5)
    for name in ["other", "notes"] {
      #expect(restoring("backup", to: name, replacing: true) == nil)
      #expect(try last(name) == 3)
    }
  }

  @Test("an incomplete backup replaces nothing and leaves no file behind")
  func damaged() throws {
    let store = try store()
    try store.backup(to: folder.file("backup"))
    let connection = try Connection(
      path: folder.file("backup").path, flags: SQLiteOption.writes)
    try connection.run("UPDATE entry SET body = x'00' WHERE seq = 2")
    connection.close()
    try store.close()
    let error = try #require(restoring("backup", to: "new"))
    #expect(error.kind == .damaged)
    #expect(error.description.contains("is not a complete backup: "))
    #expect(!FileManager.default.fileExists(atPath: folder.file("new").path))
    #expect(restoring("nowhere", to: "new")?.kind == .failed)
    #expect(restoring("a", to: "a")?.description.contains("are the same file") ?? false)
  }
}
