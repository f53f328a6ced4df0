import Moonlatch

extension JournalError {
  /// A journal has tables of another version than this Moonlatch reads.
  package static func otherTables(_ path: String, _ written: Int, known: Int) -> JournalError {
    let versions = "(version \(written) of its tables; this one knows \(known))"
    return JournalError(
      .unreadable,
      written > known
        ? "\(path) was written by a later Moonlatch \(versions): update this one."
        : "\(path) was written by an earlier Moonlatch \(versions): begin a new journal.")
  }
}
