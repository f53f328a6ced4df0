import ArgumentParser
import FlowHosting
import FlowJournal
import FlowKernel
import JournalRows
import Platform

/// A journal as an argument names it: a file, or a database by its URL.
package enum NamedJournal: Sendable, Equatable {
  case file(String)
  case database(url: String)

  /// Parses the argument.
  ///
  /// - Throws: `ValidationError` for a URL of another scheme than PostgreSQL's.
  package init(_ text: String) throws {
    guard let scheme = text.firstRange(of: "://").map({ text[..<$0.lowerBound] }) else {
      self = .file(text)
      return
    }
    guard scheme == "postgresql" || scheme == "postgres" else {
      throw ValidationError(
        "\(scheme)://… is not a journal: name a file, or postgresql://…")
    }
    self = .database(url: text)
  }

  /// The journal's file, which must not be overwritten; empty for a database.
  var files: [String] {
    if case .file(let name) = self { [name] } else { [] }
  }

  /// The function that opens databases; each program sets its own.
  @TaskLocal package static var databases = Databases { _ in
    throw JournalError(.failed, "this program cannot read databases.")
  }

  /// A function that opens databases.
  ///
  /// This is a type and not a function: if the runtime is linked statically (Swift 6.3), it does not find the type name
  /// of a function that returns `any KeptJournal`, and the process ends when the task stores the value.
  package struct Databases: Sendable {
    let open: @Sendable (_ url: String) throws -> any KeptJournal

    package init(open: @escaping @Sendable (_ url: String) throws -> any KeptJournal) {
      self.open = open
    }
  }

  /// Opens an existing journal; creates none.
  func open() throws -> any KeptJournal {
    switch self {
    case .file(let name): try JournalFile(name)
    case .database(let url): try NamedJournal.databases.open(url)
    }
  }
}

/// An existing journal that is open for inspection and maintenance.
///
/// Opening one writes nothing and does not make a node of a shared database. Only `compact` and `erase` write.
package protocol KeptJournal: RowReader {
  /// The name of the journal in messages, without a password.
  var name: String { get }

  /// Drops data that is older than `age`.
  func compact(keeping age: Duration) throws(JournalError) -> JournalCompaction

  /// Erases the contents of a case.
  func erase(_ id: String) throws(JournalError)
}

/// A journal in a file.
struct JournalFile: KeptJournal {
  let name: String
  private let reader: JournalReader

  init(_ name: String) throws(JournalError) {
    self.name = name
    reader = try JournalReader(file: URL(filePath: name))
  }

  func read<T>(_ body: (CaseReads) throws(JournalError) -> T) throws(JournalError) -> T {
    try reader.read(body)
  }

  func faultsBeside() throws(JournalError) -> [String] { try reader.faultsBeside() }

  func backup(to target: String) throws(JournalError) {
    try reader.backup(to: URL(filePath: target))
  }

  func compact(keeping age: Duration) throws(JournalError) -> JournalCompaction {
    try writing { (store) throws(JournalError) in try store.compact(keeping: age) }
  }

  func erase(_ id: String) throws(JournalError) {
    try writing { (store) throws(JournalError) in try store.erase(id) }
  }

  private func writing<T>(_ body: (SQLiteJournal) throws(JournalError) -> T) throws(JournalError)
    -> T
  {
    let store = try SQLiteJournal(file: reader.file)
    defer { try? store.close() }
    return try body(store)
  }
}
