import FlowKernel

/// A store of cases.
///
/// `MemoryJournal` stores them until the process ends, `SQLiteJournal` in a file, and `PostgresJournal` in a database
/// that several nodes share, as `SharedMemoryJournal` does for tests.
///
/// ```swift
/// let journal: any Journal = try SQLiteJournal(file: URL(filePath: "orders.journal"))
/// let orders = try await Cases(of: order, in: journal)
/// ```
///
/// Only Moonlatch's own journals can be given to hosts and cases: what they fulfil beyond this changes with the
/// format of entries.
public protocol Journal: AnyObject, Sendable {
  /// Waits until all appended entries are stored, and closes the journal; later appends fail.
  func close() async throws(JournalError)
}
