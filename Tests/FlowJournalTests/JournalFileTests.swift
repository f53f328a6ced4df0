import FlowHosting
import FlowKernel
import JournalRows
import Platform
import Testing

@testable import FlowJournal

/// Links, pipes and folders in the place of a journal's files.
@Suite(.timeLimit(.minutes(5))) struct JournalFileTests {
  enum Kind: CaseIterable { case link, danglingLink, pipe, folder }

  private let folder = Folder()

  private func put(_ kind: Kind, at name: String) throws {
    let path = folder.file(name).path
    switch kind {
    case .link:
      try Data("of somebody".utf8).write(to: folder.file("victim"))
      #expect(symlink(folder.file("victim").path, path) == 0)
    case .danglingLink: #expect(symlink(folder.file("victim").path, path) == 0)
    case .pipe: #expect(mkfifo(path, 0o644) == 0)
    case .folder: #expect(mkdir(path, 0o755) == 0)
    }
  }

  private func expectUntouched(_ kind: Kind) {
    let victim = FileManager.default.contents(atPath: folder.file("victim").path)
    #expect(victim == (kind == .link ? Data("of somebody".utf8) : nil))
  }

  private func makeJournal() throws {
    let store = try SQLiteJournal(file: folder.file())
    _ = try store.keep(JournaledFlow.trial)
    #expect(store.add([.trial(1)], to: "a") == nil)
    try store.backup(to: folder.file("backup"))
    try store.close()
  }

  @Test(
    "a journal with a link, a folder or a pipe in place of one of its files is refused",
    arguments: ["-wal", "-mark"],
    Kind.allCases)
  func beside(suffix: String, kind: Kind) throws {
    try makeJournal()
    let name = "a.journal" + suffix
    unlink(folder.file(name).path)
    try put(kind, at: name)
    let refusal = journalError { () throws(JournalError) in
      try SQLiteJournal(file: folder.file()).close()
    }
    #expect(refusal?.kind == .unsafe)
    #expect(refusal?.description.contains(name) == true)
    expectUntouched(kind)
  }

  @Test("a foreign file at the path of the commit mark is not overwritten")
  func foreignMark() throws {
    try makeJournal()
    try Data("of somebody".utf8).write(to: folder.file("a.journal-mark"))
    let refusal = journalError { () throws(JournalError) in
      try SQLiteJournal(file: folder.file()).close()
    }
    #expect(refusal?.kind == .unsafe)
    #expect(
      FileManager.default.contents(atPath: folder.file("a.journal-mark").path)
        == Data("of somebody".utf8))
  }

  @Test("a pipe, a folder or a dangling link is not opened as a journal", arguments: Kind.allCases)
  func journal(kind: Kind) throws {
    try makeJournal()
    try put(kind, at: "b.journal")
    let file = folder.file("b.journal")
    let errors = [
      journalError { () throws(JournalError) in try SQLiteJournal(file: file).close() },
      journalError { () throws(JournalError) in _ = try JournalReader(file: file) },
      journalError { () throws(JournalError) in
        try SQLiteJournal.restore(folder.file("backup"), to: file)
      },
    ]
    for error in errors { #expect(error != nil) }
    expectUntouched(kind)
  }

  @Test("a link to a journal opens the journal itself")
  func honestLink() throws {
    try makeJournal()
    #expect(symlink("a.journal", folder.file("b.journal").path) == 0)
    let store = try SQLiteJournal(file: folder.file("b.journal"))
    let fence = try #require(try store.activate("a")).fence
    #expect(store.add([.trial(2)], to: "a", fence: fence) == nil)
    try store.close()
    #expect(try JournalReader(file: folder.file()).summary(of: "a")?.seq == 2)
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    #expect(!names.contains { $0.hasPrefix("b.journal-") })
  }

  @Test("a backup overwrites no existing file", arguments: [".part", ""])
  func parts(suffix: String) throws {
    try makeJournal()
    try Data("of somebody".utf8).write(to: folder.file("copy" + suffix))
    _ = journalError { () throws(JournalError) in
      try JournalReader(file: folder.file()).backup(to: folder.file("copy"))
    }
    #expect(
      FileManager.default.contents(atPath: folder.file("copy" + suffix).path)
        == Data("of somebody".utf8))
  }
}
