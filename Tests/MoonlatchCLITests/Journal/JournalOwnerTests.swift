import FlowHosting
import FlowJournal
import Foundation
import Testing

/// Conflicts of processes, flows and backups over a journal's file.
@Suite struct JournalOwnerTests {
  private let folder: TemporaryFolder

  private static let till = """
    state { coins = 0 }
    action.coin { amount = integer { min = 1 } }
    function reduce.coin(s, a) s.coins = s.coins + a.amount end
    """

  init() throws {
    folder = try TemporaryFolder()
    try folder.write(Self.till, to: "till.lua")
  }

  private func file(_ name: String) -> URL { folder.url.appending(path: name) }

  private func repl(_ flow: String, _ input: String, _ options: String...) throws -> Ran {
    try moonlatch(
      ["repl", flow, "--journal", "j.journal"] + options, in: folder, input: Data(input.utf8))
  }

  private func journal(_ arguments: String...) throws -> Ran {
    try moonlatch(["journal"] + arguments, in: folder, input: Data())
  }

  @Test("a hard link to an open journal is refused for another process, with the one that holds it")
  func hardLink() throws {
    let store = try SQLiteJournal(file: file("other.journal"))
    try FileManager.default.linkItem(at: file("other.journal"), to: file("j.journal"))
    let ran = try repl("till.lua", "coin { amount = 1 }\n")
    #expect(ran.code == 2)
    #expect(
      ran.errors.contains(
        "j.journal is open for writing by process \(ProcessInfo.processInfo.processIdentifier): only one process can write"
      ))
    try store.close()
    #expect(try repl("till.lua", "coin { amount = 1 }\n").code == 0)
  }

  #if os(Linux)
    /// Runs the REPL on a bind mount of a journal, which this process does not see.
    private func replOnBindMount(of other: String) throws -> Ran {
      let child = Process()
      child.executableURL = URL(filePath: "/usr/bin/env")
      child.arguments = [
        "unshare", "-m", "sh", "-c", "mount --bind \"$0\" j.journal && exec \"$@\"", other,
        ChildProcess.command, "repl", "till.lua", "--journal", "j.journal",
      ]
      child.currentDirectoryURL = folder.url
      try folder.write("coin { amount = 1 }\n", to: "in")
      let streams = ["out", "err"].map { file($0) }
      for stream in streams { try Data().write(to: stream) }
      child.standardInput = try FileHandle(forReadingFrom: file("in"))
      child.standardOutput = try FileHandle(forWritingTo: streams[0])
      child.standardError = try FileHandle(forWritingTo: streams[1])
      try child.run()
      child.waitUntilExit()
      return Ran(
        code: child.terminationStatus, output: try folder.text(of: "out"),
        errors: try folder.text(of: "err"))
    }

    /// True if this process may mount: as root in most containers it may not.
    private static let mayMount: Bool = {
      let child = Process()
      child.executableURL = URL(filePath: "/usr/bin/env")
      child.arguments = ["unshare", "-m", "sh", "-c", "mount --bind /tmp /tmp"]
      (child.standardOutput, child.standardError) = (FileHandle.nullDevice, FileHandle.nullDevice)
      guard (try? child.run()) != nil else { return false }
      child.waitUntilExit()
      return child.terminationStatus == 0
    }()

    @Test(
      "a bind mount of an open journal is refused for another process, with the one that holds it",
      .enabled(if: mayMount, "mounting takes root and unshare -m"))
    func bindMount() throws {
      let store = try SQLiteJournal(file: file("other.journal"))
      try Data().write(to: file("j.journal"))
      let ran = try replOnBindMount(of: "other.journal")
      #expect(ran.code == 2)
      #expect(
        ran.errors.contains(
          "j.journal is open for writing by process \(ProcessInfo.processInfo.processIdentifier): only one process can write"
        ))
      try store.close()
      #expect(try replOnBindMount(of: "other.journal").code == 0)
      #expect(
        try moonlatch(
          ["repl", "till.lua", "--journal", "other.journal"], in: folder,
          input: Data("s.coins\n".utf8)
        ).output.hasSuffix("\n1\n"))
    }
  #endif

  @Test("a killed process's journal can be opened at once, with all acknowledged entries")
  func killed() throws {
    try folder.write("coin { amount = 2 }\n", to: "in")
    let pipe = Pipe()
    let child = Process()
    child.executableURL = URL(filePath: ChildProcess.command)
    child.arguments = ["repl", "till.lua", "--journal", "j.journal"]
    child.currentDirectoryURL = folder.url
    let output = Pipe()
    (child.standardInput, child.standardOutput) = (pipe, output)
    try child.run()
    pipe.fileHandleForWriting.write(Data("coin { amount = 2 }\n".utf8))
    var told = ""
    while !told.contains("#1 coin") {
      let bytes = output.fileHandleForReading.availableData
      if bytes.isEmpty { break }
      told += String(decoding: bytes, as: UTF8.self)
    }
    #expect(told.contains("#1 coin"))
    #expect(try repl("till.lua", "s.coins\n").code == 2)
    kill(child.processIdentifier, SIGKILL)
    child.waitUntilExit()
    #expect(try repl("till.lua", "s.coins\n").output.hasSuffix("\n2\n"))
  }

  @Test("a flow of another name is refused, unless --adopt is given")
  func adopt() throws {
    #expect(try repl("till.lua", "coin { amount = 2 }\n").code == 0)
    try folder.write(Self.till, to: "desk.lua")
    let refused = try repl("desk.lua", "s.coins\n")
    #expect(refused.code == 2)
    #expect(refused.errors.contains("holds the cases of flow \"till\" (journal "))
    #expect(refused.errors.contains("and this flow is \"desk\""))
    try folder.write("flow_name \"till\"\n" + Self.till, to: "named.lua")
    #expect(try repl("named.lua", "s.coins\n").output.hasSuffix("\n2\n"))
    #expect(try moonlatch(["check", "named.lua"], in: folder, input: Data()).code == 0)
    #expect(try repl("desk.lua", "coin { amount = 3 }\n", "--adopt").code == 0)
    #expect(try repl("desk.lua", "s.coins\n").output.hasSuffix("\n5\n"))
    #expect(try repl("till.lua", "s.coins\n").code == 2)
    #expect(try moonlatch(["repl", "till.lua", "--adopt"], in: folder, input: Data()).code == 64)
    #expect(try journal("migrate", "--check", "j.journal", "till.lua").code == 0)
  }

  @Test("restore replaces a journal by its backup, and another journal only with --force")
  func restore() throws {
    #expect(try repl("till.lua", "coin { amount = 2 }\n").code == 0)
    #expect(try journal("backup", "j.journal", "b.journal").code == 0)
    #expect(try repl("till.lua", "coin { amount = 3 }\n").code == 0)
    let id = try JournalReader(file: file("j.journal")).identity().id
    #expect(
      try journal("restore", "b.journal", "j.journal")
        == Ran(
          code: 0, output: "j.journal is journal \(id) of flow till, restored from b.journal\n",
          errors: ""))
    #expect(try repl("till.lua", "s.coins\n").output.hasSuffix("\n2\n"))
    try folder.write("notes", to: "notes")
    let refused = try journal("restore", "b.journal", "notes")
    #expect(refused.code == 2 && refused.errors.contains("--force replaces it"))
    #expect(try journal("restore", "b.journal", "notes", "--force").code == 0)
    let store = try SQLiteJournal(file: file("j.journal"))
    let locked = try journal("restore", "b.journal", "j.journal", "--force")
    #expect(locked.code == 2 && locked.errors.contains("is open for writing by process "))
    try store.close()
    let database = try journal("restore", "b.journal", "postgresql://a:secret@b/c")
    #expect(database.code == 64 && database.errors.contains("pg_restore --dbname=URL BACKUP"))
  }

  @Test("verify reports commits lost with a removed log, and a writer is refused with advice")
  func lost() throws {
    #expect(try repl("till.lua", "coin { amount = 2 }\n").code == 0)
    let store = try SQLiteJournal(file: file("j.journal"))
    let host = try FlowHost(flow: file("till.lua"), journal: store)
    try host.dispatch("coin", ["amount": 3])
    for suffix in ["", "-mark"] {
      try FileManager.default.copyItem(
        at: file("j.journal" + suffix), to: file("k.journal" + suffix))
    }
    let verified = try journal("verify", "k.journal")
    #expect(verified.code == 1 && verified.output.contains("k.journal has lost commits: it has "))
    #expect(verified.output.contains("intact: 1 of 1 case\n"))
    let refused = try moonlatch(
      ["repl", "till.lua", "--journal", "k.journal"], in: folder, input: Data())
    #expect(refused.code == 2 && refused.errors.contains("remove "))
    try store.close()
  }
}
