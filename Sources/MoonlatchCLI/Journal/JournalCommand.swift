import ArgumentParser
import FlowJournal
import Moonlatch
import Platform

/// `moonlatch journal`: looks at the cases that a journal keeps, and takes care of its file.
struct JournalCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "journal",
    abstract: "Shows, checks and takes care of a journal: the file in which cases are kept.",
    discussion: """
      What only reads does so at any time, also while a host writes the journal.
      compact and erase write it, and are refused while somebody else does.

      EXAMPLES:
        moonlatch journal show orders.journal --case o-17
        moonlatch journal verify orders.journal
        moonlatch journal replay orders.journal --flow new.lua
      """,
    subcommands: [
      JournalShow.self, JournalVerify.self, JournalReplay.self, JournalMigrate.self,
      JournalScenario.self, JournalBackup.self, JournalCompact.self, JournalErase.self,
    ])
}

/// `moonlatch journal verify`.
struct JournalVerify: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Looks whether everything is what was written; exit 1 with what is not.")

  @Argument(help: "The journal.", completion: .file()) var file: String

  func run() throws {
    let findings = try journalErrors { try JournalReader(file: URL(filePath: file)).verify() }
    for fault in findings.faults { Terminal.writeOutput("\(fault)\n".visible) }
    let erased = findings.erased > 0 ? " (\(findings.erased) erased)" : ""
    let counts =
      "\(Count.of(findings.cases, "case")), \(Count.of(findings.entries, "entry", "entries"))\(erased), "
      + "\(Count.of(findings.snapshots, "snapshot")), \(Count.of(findings.answers, "kept answer"))"
    if findings.isWhole { return Terminal.writeOutput("whole: \(counts)\n") }
    Terminal.writeOutput("damaged: \(counts)\n")
    throw ExitStatus.failed
  }
}

/// `moonlatch journal backup`.
struct JournalBackup: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "backup",
    abstract: "Copies a journal as it is at one moment, also while a host writes it.")

  @Argument(help: "The journal.", completion: .file()) var file: String
  @Argument(help: "The file to make, which must not be there.", completion: .file()) var target:
    String

  func run() throws {
    try journalErrors {
      try JournalReader(file: URL(filePath: file)).backup(to: URL(filePath: target))
    }
    Terminal.writeOutput("\(target.visibleLine) is a copy of \(file.visibleLine)\n")
  }
}

/// `moonlatch journal compact`.
struct JournalCompact: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "compact",
    abstract: "Drops what is old: entries that snapshots say too, answers to keys, ended cases.",
    discussion: """
      Of an ended case the id is left, so that it is never born again. A key whose
      answer was dropped would be done once more.
      """)

  @Argument(help: "The journal.", completion: .file()) var file: String

  @Option(help: ArgumentHelp("What is younger stays: 30d, 12h.", valueName: "time"))
  var keep: TimeSpan = TimeSpan(days: 30)

  func run() throws {
    let done = try journalErrors {
      let store = try JournalFile.open(file)
      defer { try? store.close() }
      return try store.compact(keeping: keep.duration)
    }
    Terminal.writeOutput(
      "dropped \(Count.of(done.entries, "entry", "entries")), \(Count.of(done.answers, "kept answer")), "
        + "\(Count.of(done.cases, "ended case"))\n")
  }
}

/// `moonlatch journal erase`.
struct JournalErase: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "erase",
    abstract: "Takes away for good what happened in a case; its id stays known.",
    discussion: """
      Payloads, changes, snapshots and keys are gone, the case has ended, and verify
      finds its chain whole. Backups keep what they have.
      """)

  @Argument(help: "The journal.", completion: .file()) var file: String
  @Option(name: .customLong("case"), help: "The id of the case.") var id: String

  func run() throws {
    try journalErrors {
      let store = try JournalFile.open(file)
      defer { try? store.close() }
      try store.erase(id)
    }
    Terminal.writeOutput("case \(id.visibleLine) was erased\n")
  }
}

/// A journal that is there, to be written.
enum JournalFile {
  static func open(_ file: String) throws(JournalError) -> JournalStore {
    // A store would make an empty one.
    _ = try JournalReader(file: URL(filePath: file))
    return try JournalStore(file: URL(filePath: file))
  }
}

/// How many of something: `1 entry`, `2 entries`.
enum Count {
  static func of(_ count: Int, _ one: String, _ many: String? = nil) -> String {
    "\(count) \(count == 1 ? one : many ?? one + "s")"
  }
}
