import FlowCases
import FlowHosting
import FlowJournal
import FlowKernel
import Foundation
import Testing

/// `moonlatch journal` on a real file.
@Suite struct JournalCommandTests {
  private let folder: TemporaryFolder

  private static let door = """
    state { coins = 0 }
    action.coin { amount = integer { min = 1 } }
    action.push {}
    machine.door { initial = "closed", closed = { coin = "open" }, open = { push = "closed", after = { push = 20 } } }
    gatekeeper.seat { coin = { attempt = "x" }, push = { reset = "x" } }
    function reduce.coin(s, a) s.coins = s.coins + a.amount end
    function effect.coin() after(100, "push") sleep(1000) end
    """

  init() throws {
    folder = try TemporaryFolder()
    try folder.write(JournalCommandTests.door, to: "door.lua")
  }

  @Test("an unknown URL is a usage error, and backup of a database names pg_dump instead")
  func urls() throws {
    let other = try journal("show", "mysql://here/there")
    #expect(other.code == 64)
    #expect(
      other.errors.contains(
        "mysql://… is not a journal: name a file, or postgresql://…"))
    let backup = try journal("backup", "postgresql://a:secret@b/c", "copy")
    #expect(backup.code == 64 && backup.output.isEmpty)
    #expect(
      backup.errors.contains(
        "backup is for files; for a database use \"pg_dump --format=custom --schema=moonlatch URL\""
      ))
    #expect(!backup.errors.contains("secret"))
  }

  @Test("a database without moonlatch-serve exits with 69 and says how to build it")
  func noServeProgram() throws {
    // The same program in a folder where it is alone: a copy would be open while others start processes.
    let command = URL(filePath: ChildProcess.command).resolvingSymlinksInPath()
    let alone = command.deletingLastPathComponent().appending(path: "alone-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: alone, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: alone) }
    try FileManager.default.linkItem(at: command, to: alone.appending(path: "moonlatch"))
    try folder.write("", to: "in")
    let path = folder.url.path
    let child = try ChildProcess(
      ["journal", "verify", "postgresql://a:secret@127.0.0.1:1/c"], in: folder.url,
      streams: [.reading(path + "/in"), .writing(path + "/out"), .writing(path + "/err")],
      command: alone.appending(path: "moonlatch").path)
    #expect(child.wait() == 69)
    let told = try folder.text(of: "err")
    #expect(told.hasPrefix("moonlatch: there is no moonlatch-serve in \(alone.path), which"))
    #expect(told.contains("--product moonlatch-serve") && !told.contains("secret"))
  }

  private func file(_ name: String) -> URL { folder.url.appending(path: name) }

  /// A case of the door that has lived, with a clock that stands still.
  @discardableResult
  private func live(
    _ id: String = "main", in store: SQLiteJournal, seconds: Double = 30
  ) throws -> FlowHost {
    let host = try FlowHost(
      flow: file("door.lua"), journal: store, case: id,
      options: HostOptions(
        clock: .virtual, began: Date(timeIntervalSince1970: 1_700_000_000), print: { _ in },
        report: { _ in }))
    try host.dispatch("coin", ["amount": 2])
    try host.advance(seconds)
    return host
  }

  private func journal(_ arguments: String...) throws -> Ran {
    try moonlatch(["journal"] + arguments, in: folder, input: Data())
  }

  @Test("show prints the history of the only case, also while a host writes")
  func shows() throws {
    let store = try SQLiteJournal(file: file("j.journal"))
    try live(in: store)
    let ran = try journal("show", "j.journal")
    #expect(ran.code == 0)
    #expect(ran.errors.isEmpty)
    let lines = ran.output.split(separator: "\n").map(String.init)
    #expect(lines[0].hasPrefix("main  #2; 3 entries; door: closed; last written "))
    #expect(lines[0].hasSuffix("[door.lua]"))
    #expect(lines[1] == "flow door.lua, version 1")
    #expect(
      lines.dropFirst(2).map { $0.replacing(#/^(\d+)  \d{4}-.* UTC/#) { "\($0.1)" } } == [
        "1  now 0 s", "  the case is created",
        "2  now 0 s", "  #1 coin { amount = 2 } passed", "    door: \"closed\" -> \"open\"",
        "    coins: 0 -> 2", "  timer 1 is set: push is due at 20 s (by #1)",
        "  timer 2 is set: push is due at 1 min 40 s (by #1)",
        "  gatekeeper seat, x, is held by coin (#1)", "  effect.coin waits (by #1)",
        "3  now 30 s", "  #2 push passed (by #1)", "    door: \"open\" -> \"closed\"",
        "  timer 1 has fired or was stopped: push",
        "  gatekeeper seat, x, is free; coin (#1) held it",
      ] || lines.count == 17)
    try store.close()
  }

  @Test("show prints who dispatched an action, and rejections if the host records them")
  func tellsWho() throws {
    let store = try SQLiteJournal(file: file("j.journal"))
    let host = try FlowHost(
      flow: file("door.lua"), journal: store,
      options: HostOptions(
        clock: .virtual, keepsRefusals: true, print: { _ in }, report: { _ in }))
    try host.dispatch("push", by: "bob")
    try host.dispatch("coin", ["amount": 0])
    try host.dispatch("coin", ["amount": 2], by: "ann@example.org")
    try store.close()
    let told = try journal("show", "j.journal").output
    #expect(told.contains("\n  push at 0 s, by bob: refused by machine door"))
    #expect(told.contains("\n  coin { amount = 0 } at 0 s: failed: "))
    #expect(told.contains("\n  #1 coin { amount = 2 } passed, by ann@example.org\n"))
    let json = try journal("show", "j.journal", "--from", "2", "--json").output
    #expect(json.contains("\"by\":\"ann@example.org\""))
    #expect(json.contains("\"outcome\":\"refused\""))
  }

  @Test("show says how many rejected dispatches an entry has no space for")
  func droppedRejections() throws {
    let store = try SQLiteJournal(file: file("j.journal"), durability: .process)
    let host = try FlowHost(
      flow: file("door.lua"), journal: store,
      options: HostOptions(clock: .virtual, keepsRefusals: true, report: { _ in }))
    try host.dispatch(batch: Array(repeating: (action: "push", payload: [:]), count: 1_002))
    try host.dispatch("push")
    try store.close()
    let told = try journal("show", "j.journal").output.split(separator: "\n")
    #expect(
      told.filter { $0.contains("no space for") } == [
        "  2 more rejected actions were dropped: an entry has no space for them"
      ])
    let lines = try journal("show", "j.journal", "--json").output.split(separator: "\n")
    let dropped = try lines.map { line -> Int? in
      let entry = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
      return entry?["refused_dropped"] as? Int
    }
    #expect(dropped == [nil, 2, nil])
  }

  @Test("show --json prints one object per line, and --from starts later")
  func json() throws {
    let store = try SQLiteJournal(file: file("j.journal"))
    try live(in: store)
    try store.close()
    let ran = try journal("show", "j.journal", "--from", "2", "--json")
    let lines = ran.output.split(separator: "\n")
    let first = try #require(
      try JSONSerialization.jsonObject(with: Data(lines[0].utf8)) as? [String: Any])
    #expect(first["entry"] as? Int == 2)
    #expect(first["flow"] as? String == "door.lua")
    let commits = try #require(first["transitions"] as? [[String: Any]])
    #expect(commits[0]["action"] as? String == "coin")
    #expect(commits[0]["outcome"] as? String == "passed")
    #expect((commits[0]["patch"] as? [[String: Any]])?.count == 2)
    #expect((first["timers_set"] as? [[String: Any]])?.count == 2)
  }

  @Test("show lists several cases, and --case shows one of them")
  func lists() throws {
    let store = try SQLiteJournal(file: file("j.journal"))
    try live("o-1", in: store)
    try live("o-2", in: store, seconds: 1)
    try store.close()
    let ran = try journal("show", "j.journal")
    let lines = ran.output.split(separator: "\n")
    #expect(lines.count == 2)
    #expect(lines[0].hasPrefix("o-1  #2; 3 entries; door: closed;"))
    #expect(lines[1].hasPrefix("o-2  #1; 3 entries; door: open;"))
    #expect(try journal("show", "j.journal", "--case", "o-2").output.contains("#1 coin"))
    let unknown = try journal("show", "j.journal", "--case", "o-3")
    #expect(unknown == Ran(code: 4, output: "", errors: "moonlatch: j.journal has no case o-3\n"))
  }

  @Test("a missing file, or one that is no journal, exits with 2 and a message")
  func noJournal() throws {
    let missing = try journal("show", "none.journal")
    #expect(missing.code == 2)
    #expect(missing.errors.hasPrefix("moonlatch: there is no journal "))
    #expect(!FileManager.default.fileExists(atPath: file("none.journal").path))
    for command in [["verify"], ["compact"], ["erase", "--case", "x"]] {
      let ran = try moonlatch(
        ["journal", command[0], "door.lua"] + command.dropFirst(), in: folder, input: Data())
      #expect(ran.code == 2)
      #expect(ran.errors.hasPrefix("moonlatch: "))
    }
  }

  @Test("verify prints what the journal has, and exits with 1 if something was changed")
  func verifies() throws {
    let store = try SQLiteJournal(file: file("j.journal"))
    try live(in: store)
    try store.close()
    #expect(
      try journal("verify", "j.journal")
        == Ran(
          code: 0, output: "intact: 1 case, 3 entries, 0 snapshots, 0 stored answers\n", errors: "")
    )
    var bytes = try Data(contentsOf: file("j.journal"))
    let place = try #require(bytes.range(of: Data("coin".utf8), options: .backwards))
    bytes[place.lowerBound] = UInt8(ascii: "k")
    try bytes.write(to: file("j.journal"))
    let ran = try journal("verify", "j.journal")
    #expect(ran.code == 1)
    #expect(ran.output.contains("was changed after it was written"))
    #expect(ran.output.contains("damaged: 1 case"))
  }

  @Test("scenario writes the given state, masks secrets and names who dispatched")
  func givenScenario() async throws {
    try folder.write(
      """
      state { owner = "ann", pin = optional(text { secret = true }), n = 0, old = optional(integer) }
      action.set { pin = text { secret = true } } action.add {}
      function reduce.set(s, a) s.pin = a.pin end
      function gate.add(s) return by() == s.owner, "only " .. s.owner end
      function reduce.add(s) s.n = s.n + 1 end
      """.replacing("text {", with: "string {"), to: "safe.lua")
    let store = try SQLiteJournal(file: file("s.journal"))
    let cases = try await Cases(
      of: LoadedFlow(file("safe.lua")), in: store,
      options: HostOptions(clock: .virtual, print: { _ in }, report: { _ in }))
    let one = try await cases.create("c-1", given: ["owner": "bob", "old": 7])
    try await one.dispatch("set", ["pin": "4711"])
    try await one.dispatch("add", by: "bob")
    try await cases.close()
    try store.close()
    let ran = try journal("scenario", "s.journal", "--case", "c-1", "--flow", "safe.lua")
    #expect(ran.code == 0, "\(ran.errors)")
    #expect(ran.output.contains("given { old = 7, owner = \"bob\" }\n"))
    #expect(ran.output.contains("-- Secret values are written as dots"))
    #expect(ran.output.contains("as(\"bob\", function() pass.add() end)"))
    #expect(!ran.output.contains("4711"))
  }

  @Test("a compacted case is shown and replayed from its oldest snapshot")
  func compacted() throws {
    try folder.write(
      """
      state { n = 0, text = "" } action.add { text = string } action.take {}
      gatekeeper.seat { take = { attempt = "x" } }
      function reduce.add(s, a) s.n = s.n + 1  s.text = a.text end
      """, to: "long.lua")
    // Closing a journal has its snapshots kept.
    for life in 0..<3 {
      let store = try SQLiteJournal(file: file("l.journal"))
      let host = try FlowHost(
        flow: file("long.lua"), journal: store,
        options: HostOptions(clock: .virtual, print: { _ in }, report: { _ in }))
      if life == 0 { try host.dispatch("take") }
      for number in 0..<8 {
        try host.dispatch(
          "add", ["text": .string(String(repeating: "\(number)", count: 5_000))])
      }
      try store.close()
    }
    let store = try SQLiteJournal(file: file("l.journal"))
    try store.compact(keeping: .zero)
    #expect(try store.entries(of: "main", from: 1, limit: 1).first?.seq != 1)
    try store.close()
    let same = try journal("replay", "l.journal", "--flow", "long.lua")
    #expect(same.output == "1 case replayed, 0 differ\n", "\(same.output) \(same.errors)")
    #expect(same.code == 0)
    let written = try journal("scenario", "l.journal", "--case", "main", "--flow", "long.lua")
    #expect(written.code == 0, "\(written.errors)")
    #expect(
      written.output.contains(
        "were dropped by a compaction: this begins with the state after them.")
    )
    #expect(written.output.contains("given { n = "))
    #expect(written.output.contains("given.gatekeeper.seat { \"x\" }"))
    try folder.write(
      try folder.text(of: "long.lua").replacing("s.n + 1", with: "s.n + 2"), to: "other.lua")
    let other = try journal("replay", "l.journal", "--flow", "other.lua")
    #expect(other.code == 1)
    #expect(other.output.contains("main, entry "))
  }

  @Test("backup copies once, erase removes the history, and compact counts what it dropped")
  func cares() throws {
    let store = try SQLiteJournal(file: file("j.journal"))
    try live(in: store)
    let copied = try journal("backup", "j.journal", "b.journal")
    #expect(copied == Ran(code: 0, output: "b.journal is a copy of j.journal\n", errors: ""))
    #expect(try journal("backup", "j.journal", "b.journal").code == 2)
    let locked = try journal("erase", "j.journal", "--case", "main")
    #expect(locked.code == 2)
    #expect(locked.errors.contains("\(ProcessInfo.processInfo.processIdentifier)"))
    try store.close()
    #expect(
      try journal("compact", "j.journal", "--keep", "12h")
        == Ran(code: 0, output: "dropped 0 entries, 0 stored answers, 0 ended cases\n", errors: ""))
    #expect(try journal("erase", "j.journal", "--case", "main").output == "case main was erased\n")
    #expect(try journal("verify", "j.journal").output.contains("3 entries (3 erased)"))
    #expect(try journal("show", "j.journal").output.contains("erased"))
    #expect(!(try journal("show", "j.journal").output.contains("coin")))
    #expect(try journal("scenario", "j.journal", "--case", "main").code == 2)
    #expect(try journal("replay", "b.journal", "--flow", "door.lua").code == 0)
  }

  @Test("scenario writes the history of a case as a scenario that passes")
  func scenario() throws {
    let store = try SQLiteJournal(file: file("j.journal"))
    let host = try live(in: store)
    try host.dispatch("coin", ["amount": 3])
    try host.stop()
    try store.close()
    let ran = try journal("scenario", "j.journal", "--case", "main", "--into", "life.scenario.lua")
    #expect(ran == Ran(code: 0, output: "", errors: ""))
    #expect(
      try folder.text(of: "life.scenario.lua") == """
        flow "door.lua"

        scenario("case main", function()
          given.born("2023-11-14T22:13:20Z")
          pass.coin { amount = 2 }
          expect.change { coins = 2, door = "open" }
          settle()
          advance(20.0)
          -- followed by push
          expect { door = "closed" }
          advance(10.0)
          pass.coin { amount = 3 }
          expect.change { coins = 5, door = "open" }
          settle()
        end)

        """)
    #expect(try moonlatch("run", "life.scenario.lua", in: folder).code == 0)
  }

  @Test("replay names the first commit that differs with another text, and changes nothing")
  func replays() throws {
    let store = try SQLiteJournal(file: file("j.journal"))
    try live("o-1", in: store)
    try store.close()
    let before = try Data(contentsOf: file("j.journal"))
    #expect(
      try journal("replay", "j.journal", "--flow", "door.lua")
        == Ran(code: 0, output: "1 case replayed, 0 differ\n", errors: ""))
    try folder.write(
      JournalCommandTests.door.replacing("after = { push = 20 }", with: "after = { push = 25 }"),
      to: "later.lua")
    let later = try journal("replay", "j.journal", "--flow", "later.lua")
    #expect(later.code == 1)
    #expect(
      later.output.hasPrefix(
        "o-1, entry 3: then: #2 push (door: \"open\" -> \"closed\"); now: nothing is due\n"))
    try folder.write(
      JournalCommandTests.door.replacing("s.coins + a.amount", with: "s.coins + 2 * a.amount"),
      to: "double.lua")
    #expect(
      try journal("replay", "j.journal", "--flow", "double.lua")
        == Ran(
          code: 1,
          output: """
            o-1, entry 2: then: #1 coin { amount = 2 } (door: "closed" -> "open", coins: 0 -> 2); \
            now: #1 coin { amount = 2 } (door: "closed" -> "open", coins: 0 -> 4)
            1 case replayed, 1 differ

            """, errors: ""))
    try folder.write(
      JournalCommandTests.door.replacing("min = 1", with: "min = 5"), to: "strict.lua")
    let strict = try journal("replay", "j.journal", "--flow", "strict.lua", "--case", "o-1")
    #expect(strict.code == 1)
    #expect(strict.output.hasPrefix("o-1, entry 2: #1 coin { amount = 2 } passed then; now: "))
    #expect(try Data(contentsOf: file("j.journal")) == before)
  }

  @Test("migrate --check migrates each case in memory and reports those that do not fit")
  func migrates() throws {
    let store = try SQLiteJournal(file: file("j.journal"))
    try live("o-1", in: store)
    try live("o-2", in: store, seconds: 1)
    try store.close()
    let before = try Data(contentsOf: file("j.journal"))
    #expect(
      try journal("migrate", "--check", "j.journal", "door.lua")
        == Ran(code: 0, output: "2 cases: 2 fit, 0 not\n", errors: ""))
    try folder.write(
      JournalCommandTests.door.replacing("open", with: "ajar"), to: "ajar.lua")
    #expect(
      try journal("migrate", "--check", "j.journal", "ajar.lua")
        == Ran(
          code: 1,
          output: """
            o-2 does not fit: machine door is in open, a state that was removed
            2 cases: 1 fit, 1 not

            """, errors: ""))
    #expect(try journal("migrate", "j.journal", "door.lua").code == 64)
    #expect(try Data(contentsOf: file("j.journal")) == before)
  }
}
