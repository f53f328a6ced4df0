import ArgumentParser
import FlowJournal
import FlowKernel
import JournalRows
import Platform

/// The command `moonlatch journal`, which shows and maintains a journal of cases.
package struct JournalCommand: ParsableCommand {
  package static let configuration = CommandConfiguration(
    commandName: "journal",
    abstract: "Shows, checks and takes care of a journal, in which cases are kept.",
    discussion: """
      A journal is a file, or a database: postgresql://USER@HOST/DATABASE, whose
      password is better in PGPASSWORD or ~/.pgpass than in a list of processes.
      What only reads does so at any time, also while hosts write the journal.
      compact, erase and restore write it: a file that somebody else writes they are
      refused, a database they write beside its nodes.

      EXAMPLES:
        moonlatch journal show orders.journal --case o-17
        moonlatch journal verify orders.journal
        moonlatch journal replay orders.journal --flow new.lua
        moonlatch journal restore orders.backup orders.journal
        moonlatch journal show postgresql://orders@db.example.org/orders
      """,
    subcommands: [
      JournalShow.self, JournalVerify.self, JournalReplay.self, JournalMigrate.self,
      JournalScenario.self, JournalBackup.self, JournalRestore.self, JournalCompact.self,
      JournalErase.self,
    ])

  /// The help of the argument that names the journal.
  static let argument: ArgumentHelp = "The journal: a file, or postgresql://…."

  package init() {}
}

/// The command `moonlatch journal verify`.
struct JournalVerify: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Looks whether everything is what was written; exit 1 with what is not.",
    discussion: """
      It goes on behind what cannot be read: of each damaged case it says which
      entries are whole, and of the file which tables are.
      """)

  @Argument(help: JournalCommand.argument, completion: .file(), transform: NamedJournal.init)
  var journal: NamedJournal

  func run() throws {
    let findings = try journalErrors { try ReadOnlyJournal(journal.open()).verify() }
    for fault in findings.faults { Terminal.writeOutput("\(fault)\n".visible) }
    let erased = findings.erased > 0 ? " (\(findings.erased) erased)" : ""
    let counts =
      "\(Count.of(findings.cases, "case")), \(Count.of(findings.entries, "entry", "entries"))\(erased), "
      + "\(Count.of(findings.snapshots, "snapshot")), \(Count.of(findings.answers, "kept answer"))"
    if findings.isWhole { return Terminal.writeOutput("whole: \(counts)\n") }
    if findings.furtherFaults > 0 {
      Terminal.writeOutput("and \(Count.of(findings.furtherFaults, "fault")) more\n")
    }
    if !findings.wholeTables.isEmpty {
      Terminal.writeOutput("whole tables: \(findings.wholeTables.joined(separator: ", "))\n")
    }
    Terminal.writeOutput(
      "whole: \(findings.wholeCases) of \(Count.of(findings.cases, "case"))\ndamaged: \(counts)\n")
    throw ExitStatus.failed
  }
}

/// The command `moonlatch journal backup`.
struct JournalBackup: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "backup",
    abstract: "Copies a journal's file as it is at one moment, also while a host writes it.",
    discussion: "A database has its own: pg_dump --format=custom --schema=moonlatch URL.")

  @Argument(help: JournalCommand.argument, completion: .file(), transform: NamedJournal.init)
  var journal: NamedJournal
  @Argument(help: "The file to make, which must not be there.", completion: .file()) var target:
    String

  func validate() throws {
    if case .database = journal {
      throw ValidationError(
        "backup copies files: of a database \"pg_dump --format=custom --schema=moonlatch URL\" makes one, also "
          + "while nodes write it.")
    }
  }

  func run() throws {
    guard case .file(let name) = journal else { return }
    try journalErrors { try JournalFile(name).backup(to: target) }
    Terminal.writeOutput("\(target.visibleLine) is a copy of \(name.visibleLine)\n")
  }
}

/// The command `moonlatch journal restore`.
struct JournalRestore: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore",
    abstract: "Puts a backup in the place of a journal that nobody has open.",
    discussion: """
      The backup is verified first. What lies beside the old file (-wal, -shm) goes
      with it; what happened after the backup is lost. A file that is another journal,
      or none that can be read, stays unless --force is given. A database has its own:
      pg_restore.
      """)

  @Argument(help: "The backup's file.", completion: .file()) var backup: String
  @Argument(help: "The journal's file.", completion: .file(), transform: NamedJournal.init)
  var journal: NamedJournal
  @Flag(help: "Replace the file, whatever it is.") var force = false

  func validate() throws {
    if case .database = journal {
      throw ValidationError(
        "restore copies files: of a database \"pg_restore --dbname=URL BACKUP\" does it, when no node is there."
      )
    }
  }

  func run() throws {
    guard case .file(let name) = journal else { return }
    let identity = try journalErrors {
      try SQLiteJournal.restore(
        URL(filePath: backup), to: URL(filePath: name), replacing: force)
      return try JournalReader(file: URL(filePath: name)).identity()
    }
    let flow = identity.flow.map { " of flow \($0)" } ?? ""
    Terminal.writeOutput(
      "\(name.visibleLine) is journal \(identity.id)\(flow) as \(backup.visibleLine) has it\n")
  }
}

/// The command `moonlatch journal compact`.
struct JournalCompact: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "compact",
    abstract: "Drops what is old: entries that snapshots say too, answers to keys, ended cases.",
    discussion: """
      Of an ended case the id is left, so that it is never born again. A key whose
      answer was dropped would be done once more.
      """)

  @Argument(help: JournalCommand.argument, completion: .file(), transform: NamedJournal.init)
  var journal: NamedJournal

  @Option(help: ArgumentHelp("What is younger stays: 30d, 12h.", valueName: "time"))
  var keep: TimeSpan = TimeSpan(days: 30)

  func run() throws {
    let done = try journalErrors { try journal.open().compact(keeping: keep.duration) }
    Terminal.writeOutput(
      "dropped \(Count.of(done.entries, "entry", "entries")), \(Count.of(done.answers, "kept answer")), "
        + "\(Count.of(done.cases, "ended case"))\n")
  }
}

/// The command `moonlatch journal erase`.
struct JournalErase: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "erase",
    abstract: "Takes away for good what happened in a case; its id stays known.",
    discussion: """
      Payloads, changes, snapshots and keys are gone, the case has ended, and verify
      finds its chain whole. Backups keep what they have.
      """)

  @Argument(help: JournalCommand.argument, completion: .file(), transform: NamedJournal.init)
  var journal: NamedJournal
  @Option(name: .customLong("case"), help: "The id of the case.") var id: String

  func run() throws {
    try journalErrors { try journal.open().erase(id) }
    Terminal.writeOutput("case \(id.visibleLine) was erased\n")
  }
}

/// A number with its noun: `1 entry`, `2 entries`.
enum Count {
  static func of(_ count: Int, _ one: String, _ many: String? = nil) -> String {
    "\(count) \(count == 1 ? one : many ?? one + "s")"
  }
}
