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

  /// - Throws: `ValidationError`, for a URL of what keeps no cases.
  package init(_ text: String) throws {
    guard let scheme = text.firstRange(of: "://").map({ text[..<$0.lowerBound] }) else {
      self = .file(text)
      return
    }
    guard scheme == "postgresql" || scheme == "postgres" else {
      throw ValidationError(
        "\(scheme)://… is nothing that keeps cases: name a file, or postgresql://…")
    }
    self = .database(url: text)
  }

  /// Its file, which nothing is to be written over.
  var files: [String] {
    if case .file(let name) = self { [name] } else { [] }
  }

  /// What opens databases: another for each program.
  @TaskLocal package static var databases = Databases { _ in
    throw JournalError(.failed, "this program reads no database.")
  }

  /// A way to open databases.
  ///
  /// A type by itself, and no function: where the runtime is linked statically (Swift 6.3), it does not find what a
  /// function that returns `any KeptJournal` is called, and the process ends as the task takes the value.
  package struct Databases: Sendable {
    let open: @Sendable (_ url: String) throws -> any KeptJournal

    package init(open: @escaping @Sendable (_ url: String) throws -> any KeptJournal) {
      self.open = open
    }
  }

  /// Opens what is there; makes nothing.
  func open() throws -> any KeptJournal {
    switch self {
    case .file(let name): try JournalFile(name)
    case .database(let url): try NamedJournal.databases.open(url)
    }
  }
}

/// A journal that is there, to be looked at and taken care of.
///
/// Whoever opens one writes nothing, and where nodes share it is none of them; `compact` and `erase` write.
package protocol KeptJournal: RowReader {
  /// What messages call it: without a password.
  var name: String { get }

  /// Drops what is older than a time.
  func compact(keeping age: Duration) throws(JournalError) -> JournalCompaction

  /// Takes away what happened in a case.
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
