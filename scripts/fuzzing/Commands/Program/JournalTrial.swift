import Foundation

/// A journal that was damaged, and commands that are given it.
///
/// Each ends by itself, in time, within 256 MiB and with an exit code of its own; those that read change nothing, none
/// changes another file, and `verify` fails where a row is not what it was.
struct JournalTrial: Trial {
  struct Finding: Error, CustomStringConvertible { let description: String }

  static let patience = 60.0
  static let memory = 256

  private let programs: Programs
  private let journals: [Journals.Journal]
  private let contents: [String: [String: UInt64]]
  private let scratch: String
  private let damaged: Folder
  private let work: Folder
  private let notes: Folder
  private var commands = 0
  private var trials = 0
  /// How many journals are no longer what they were.
  private var changed = 0
  private var slowest = (seconds: 0.0, text: "")
  private var largest = (memory: 0, text: "")

  var description: String {
    "\(trials) journals (\(changed) not what they were), \(commands) commands; the slowest took "
      + "\(Int(slowest.seconds * 1_000)) ms, the largest \(largest.memory) MiB"
  }

  init(_ programs: Programs, _ journals: Journals, scratch: String) throws {
    self.programs = programs
    self.journals = journals.all
    self.scratch = scratch
    damaged = Folder(scratch + "/damaged")
    work = Folder(scratch + "/work")
    notes = Folder(scratch + "/notes")
    var contents: [String: [String: UInt64]] = [:]
    for journal in journals.all {
      work.empty()
      JournalTrial.copy(journal.path, to: work)
      contents[journal.name] = Database.content(of: work.file("journal"))
      if contents[journal.name] == nil {
        throw Finding(description: "\(journal.name) cannot be read before it is damaged")
      }
    }
    self.contents = contents
  }

  private static func copy(_ journal: String, to folder: Folder) {
    for end in Journals.ends + ["-shm"] where FileManager.default.fileExists(atPath: journal + end) {
      folder.copy(journal + end, to: "journal" + end)
    }
  }

  /// Damages a journal, and tries a few commands.
  mutating func play(seed: UInt64) throws {
    var chance = Chance(seed: seed)
    trials += 1
    let base = chance.one(of: journals, or: journals[0])
    damaged.empty()
    JournalTrial.copy(base.path, to: damaged)
    let path = damaged.file("journal")
    var done: [String] = []
    for _ in 0..<chance.pick(1, 1, 1, 2, 3) {
      done.append(
        chance.percent(50)
          ? Pages.damage(path, journals.map(\.path), &chance) : Rows.damage(path, &chance))
    }
    let what = "\(base.name): \(done.joined(separator: "\n  then "))"
    start(base)
    let isSame = Database.content(of: work.file("journal")) == contents[base.name]
    if !isSame { changed += 1 }
    let verify = try run(["journal", "verify", "journal"], of: base, isReading: true, what)
    if !isSame, verify.code == 0 {
      throw Finding(description: "\(what)\nrows are not what they were, and verify finds nothing")
    }
    for _ in 0..<3 { try command(base, what, &chance) }
  }

  /// A fresh copy of the damaged journal, with other files beside it.
  private func start(_ base: Journals.Journal) {
    work.empty()
    JournalTrial.copy(damaged.file("journal"), to: work)
    work.copy(base.flow, to: "flow.lua")
    work.copy(base.path, to: "other")
    work.write("somebody else's", to: "notes.txt")
  }

  private mutating func command(
    _ base: Journals.Journal, _ what: String, _ chance: inout Chance
  ) throws {
    let id = chance.one(of: Journals.cases, or: "none")
    let reading: [[String]] = [
      ["show", "journal"], ["show", "journal", "--json"], ["show", "journal", "--case", id],
      ["show", "journal", "--case", id, "--json", "--from", "\(chance.from(1, to: 40))"],
      ["replay", "journal", "--flow", "flow.lua"],
      ["replay", "journal", "--flow", "flow.lua", "--case", id],
      ["migrate", "--check", "journal", "flow.lua"],
      ["scenario", "journal", "--case", id, "--flow", "flow.lua"],
      ["backup", "journal", "copy"], ["restore", "journal", "new"],
    ]
    let writing: [[String]] = [
      ["compact", "journal", "--keep", chance.pick("1ms", "1h")], ["erase", "journal", "--case", id],
      ["restore", "other", "journal"], ["restore", "other", "journal", "--force"],
    ]
    switch chance.below(10) {
    case 0..<6:
      let words = chance.one(of: reading, or: ["verify", "journal"])
      try run(["journal"] + words, of: base, isReading: true, what)
    case 6, 7:
      try run(["journal"] + chance.one(of: writing, or: writing[0]), of: base, isReading: false, what)
    case 8:
      let input = "write { text = \"new\" }\n:views\ns.texts\nnothing {}\n:history\n:save new.scenario.lua\n"
      try run(
        ["repl", "flow.lua", "--journal", "journal", "--case", id, "--keep-going"]
          + (chance.percent(50) ? ["--adopt"] : []),
        of: base, isReading: false, what, input: input)
    default: try serve(base, id, what)
    }
  }

  @discardableResult
  private mutating func run(
    _ words: [String], of base: Journals.Journal, isReading: Bool, _ what: String, input: String = ""
  ) throws -> Child.End {
    start(base)
    let before = watched(isReading)
    var setting = Child.Setting()
    setting.input = input
    guard
      let child = Child(
        programs.moonlatch, words, in: work.path, notes: notes.path, setting)
    else { throw Finding(description: "\(words) could not be started") }
    return try judge(child, child.end(within: JournalTrial.patience), before, isReading, what)
  }

  private mutating func serve(_ base: Journals.Journal, _ id: String, _ what: String) throws {
    start(base)
    let before = watched(false)
    guard
      let server = CaseServer(
        programs.serve, flow: "flow.lua", journal: "journal", in: work.path, notes: notes.path)
    else { throw Finding(description: "the server could not be started") }
    if server.isServing(within: JournalTrial.patience) {
      for (method, path) in [
        ("GET", "/cases"), ("GET", "/cases/\(id)"), ("GET", "/cases/\(id)/entries"),
        ("GET", "/inspect/api/cases/\(id)/rows"), ("POST", "/cases/\(id)/actions/nothing"),
        ("POST", "/cases/\(id)/actions/clear"), ("GET", "/health/ready"),
      ] {
        server.ask(method, path, method == "POST" ? "{}" : "", key: "\"key-2\"")
        if server.child.wait(0) != nil { break }
      }
      if let end = server.child.wait(0) {
        throw Finding(
          description: "\(what)\n\(server.child.text)\nthe server has ended with \(end.code): \(end.errors)")
      }
    }
    server.child.signal(SIGTERM)
    _ = try judge(server.child, server.child.end(within: JournalTrial.patience), before, false, what)
  }

  /// The names of files that a command may change: what it writes, and what SQLite has beside a journal.
  private static func mayChange(_ name: String, _ isReading: Bool) -> Bool {
    let written = ["journal", "journal-wal", "journal-mark"]
    return name.hasSuffix("-shm") || name.hasSuffix("-lock")
      || ["copy", "new", "new-wal", "new-mark", "new.scenario.lua", "other-wal"].contains(name)
      || !isReading && written.contains(name)
  }

  /// The files that nobody may change. (An empty log is no log.)
  private func watched(_ isReading: Bool) -> [String: UInt64] {
    work.contents { isLeftOut($0, isReading) }
  }

  private func isLeftOut(_ name: String, _ isReading: Bool) -> Bool {
    if JournalTrial.mayChange(name, isReading) { return true }
    guard name == "journal-wal" else { return false }
    let size = try? FileManager.default.attributesOfItem(atPath: work.file(name))[.size] as? Int
    return (size ?? 0) == 0
  }

  private mutating func judge(
    _ child: Child, _ end: Child.End, _ before: [String: UInt64], _ isReading: Bool, _ what: String
  ) throws -> Child.End {
    commands += 1
    if end.seconds > slowest.seconds { slowest = (end.seconds, "\(child.text)\n\(what)") }
    if end.memory > largest.memory { largest = (end.memory, "\(child.text)\n\(what)") }
    let said = end.output + end.errors
    var wrong: String?
    if end.isKilled {
      wrong = "it does not end within \(Int(JournalTrial.patience)) s"
    } else if end.code >= 128 {
      wrong = "it ends by signal \(end.code - 128)"
    } else if [64, 69, 70, 124].contains(end.code) || said.contains("internal error") {
      wrong = "it exits with \(end.code)"
    } else if end.code != 0, said.isEmpty {
      wrong = "it exits with \(end.code), and says nothing"
    } else if end.memory > JournalTrial.memory {
      wrong = "it holds \(end.memory) MiB"
    } else if let change = work.difference(from: before, but: { isLeftOut($0, isReading) }) {
      wrong = change
    }
    guard let wrong else { return end }
    throw Finding(
      description: "\(what)\n\(child.text)\n\(wrong): \(said.suffix(2_000))")
  }

  /// Keeps the damaged journal.
  func copyFiles(to folder: String) {
    let kept = Folder(folder)
    JournalTrial.copy(damaged.file("journal"), to: kept)
    kept.copy(work.file("flow.lua"), to: "flow.lua")
  }
}
