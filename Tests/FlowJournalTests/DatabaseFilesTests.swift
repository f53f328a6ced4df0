import FlowHosting
import JournalRows
import Platform
import Testing

@testable import FlowJournal

@Suite struct DatabaseFilesTests {
  private let folder = Folder()

  @Test("a hard link to an open journal is refused as open, with the process that holds it")
  func hardLink() throws {
    let store = try SQLiteJournal(file: folder.file(), durability: .process)
    let other = folder.file("other.journal")
    try FileManager.default.linkItem(at: folder.file(), to: other)
    for _ in 1...3 {
      let error = try #require(openingError(other))
      #expect(error.kind == .locked(by: Int(getpid())))
      #expect(error.description.contains("other.journal is open for writing by this process"))
    }
    try store.close()
    #expect(openingError(other) == nil)
  }

  /// True if this process has a lock of its own on the bytes that SQLite locks to read.
  private func isHeld(_ descriptor: Int32) -> Bool {
    var range = flock()
    range.l_type = Int16(F_WRLCK)
    range.l_whence = Int16(SEEK_SET)
    (range.l_start, range.l_len) = (1 << 30 + 2, 510)
    return fcntl(descriptor, 36, &range) == 0 && range.l_type != Int16(F_UNLCK)  // F_OFD_GETLK
  }

  #if os(Linux)
    @Test("neither a refused open nor a close beside a reader releases a lock of SQLite")
    func keepsLocks() throws {
      try Data().write(to: folder.file())
      let descriptor = open(folder.file().path, O_RDWR | O_CLOEXEC)
      defer { close(descriptor) }
      let store = try SQLiteJournal(file: folder.file(), durability: .process)
      _ = try store.keep(JournaledFlow.trial)
      #expect(isHeld(descriptor))
      #expect(openingError(folder.file())?.kind == .locked(by: Int(getpid())))
      #expect(isHeld(descriptor))
      let reader = try JournalReader(file: folder.file())
      #expect(try reader.flow(1) != nil)
      try store.close()
      #expect(isHeld(descriptor))
      #expect(try reader.flow(1) == JournaledFlow.trial)
    }
  #endif

  @Test("a new file at the path of an open journal has a lock of its own")
  func replaced() throws {
    let store = try SQLiteJournal(file: folder.file(), durability: .process)
    try FileManager.default.moveItem(at: folder.file(), to: folder.file("old.journal"))
    #expect(openingError(folder.file("old.journal"))?.kind == .locked(by: Int(getpid())))
    for suffix in ["-wal", "-shm"] { unlink(folder.file().path + suffix) }
    #expect(openingError(folder.file()) == nil)
    try store.close()
  }
}
