import ArgumentParser
import FlowJournal
import FlowKernel
import JournalRows
import Platform

/// The command `moonlatch journal`, which shows and maintains a journal of cases.
package struct JournalCommand: ParsableCommand {
  package static let configuration = CommandConfiguration(
    commandName: "journal",
    abstract: "Shows, verifies and maintains a journal, in which cases are stored.",
    discussion: """
      A journal is a file, or a database: postgresql://USER@HOST/DATABASE. Put its
      password into PGPASSWORD or ~/.pgpass: lists of processes show arguments.
      Commands that only read work at any time, also while hosts write the journal.
      compact, erase and restore write it. They fail on a file that another process
      has open for writing; a database may be written while its nodes run.

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
    abstract: "Checks that the journal is intact; exit 1 with the damage if it is not.",
    discussion: """
      It continues after data that cannot be read. It reports which entries of each
      damaged case are intact, and which tables of the file are.
      """)

  @Argument(help: JournalCommand.argument, completion: .file(), transform: NamedJournal.init)
  var journal: NamedJournal

  func run() throws {
    let findings = try journalErrors { try ReadOnlyJournal(journal.open()).verify() }
    for fault in findings.faults { Terminal.writeOutput("\(fault)\n".visible) }
    let erased = findings.erased > 0 ? " (\(findings.erased) erased)" : ""
    let counts =
      "\(Count.of(findings.cases, "case")), \(Count.of(findings.entries, "entry", "entries"))\(erased), "
      + "\(Count.of(findings.snapshots, "snapshot")), \(Count.of(findings.answers, "stored answer"))"
    if findings.isWhole { return Terminal.writeOutput("intact: \(counts)\n") }
    if findings.furtherFaults > 0 {
      Terminal.writeOutput("and \(Count.of(findings.furtherFaults, "more fault"))\n")
    }
    if !findings.wholeTables.isEmpty {
      Terminal.writeOutput("intact tables: \(findings.wholeTables.joined(separator: ", "))\n")
    }
    Terminal.writeOutput(
      "intact: \(findings.wholeCases) of \(Count.of(findings.cases, "case"))\ndamaged: \(counts)\n")
    throw ExitStatus.failed
  }
}

/// The command `moonlatch journal backup`.
struct JournalBackup: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "backup",
    abstract: "Makes a consistent copy of a journal's file, also while a host writes it.",
    discussion: "For a database use pg_dump --format=custom --schema=moonlatch URL.")

  @Argument(help: JournalCommand.argument, completion: .file(), transform: NamedJournal.init)
  var journal: NamedJournal
  @Argument(help: "The file to create; it must not exist.", completion: .file()) var target: String

  func validate() throws {
    if case .database = journal {
      throw ValidationError(
        "backup is for files; for a database use \"pg_dump --format=custom --schema=moonlatch URL\", also "
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
    abstract: "Replaces a journal that is not in use by a backup.",
    discussion: """
      The backup is verified first. The old file and the files beside it (-wal, -shm)
      are replaced, so everything after the backup is lost. A file that is another
      journal, or that cannot be read, is replaced only with --force. For a database
      use pg_restore.
      """)

  @Argument(help: "The backup's file.", completion: .file()) var backup: String
  @Argument(help: "The journal's file.", completion: .file(), transform: NamedJournal.init)
  var journal: NamedJournal
  @Flag(help: "Replace the file, whatever it is.") var force = false

  func validate() throws {
    if case .database = journal {
      throw ValidationError(
        "restore is for files; for a database use \"pg_restore --dbname=URL BACKUP\", while no node runs."
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
      "\(name.visibleLine) is journal \(identity.id)\(flow), restored from \(backup.visibleLine)\n")
  }
}

/// The command `moonlatch journal compact`.
struct JournalCompact: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "compact",
    abstract: "Drops old data: entries that snapshots cover, answers to keys, ended cases.",
    discussion: """
      The id of an ended case is kept, so that it is never created again. A dispatch
      with an idempotency key is executed again once its answer was dropped.
      """)

  @Argument(help: JournalCommand.argument, completion: .file(), transform: NamedJournal.init)
  var journal: NamedJournal

  @Option(help: ArgumentHelp("Keep data that is younger: 30d, 12h.", valueName: "time"))
  var keep: TimeSpan = TimeSpan(days: 30)

  func run() throws {
    let done = try journalErrors { try journal.open().compact(keeping: keep.duration) }
    Terminal.writeOutput(
      "dropped \(Count.of(done.entries, "entry", "entries")), \(Count.of(done.answers, "stored answer")), "
        + "\(Count.of(done.cases, "ended case"))\n")
  }
}

/// The command `moonlatch journal erase`.
struct JournalErase: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "erase",
    abstract: "Deletes the data of a case for good; its id remains.",
    discussion: """
      Payloads, changes, snapshots and keys are deleted, and the case has ended. The
      journal is still intact for verify. Backups are not changed.
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
