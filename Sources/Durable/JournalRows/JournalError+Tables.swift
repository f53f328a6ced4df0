import FlowKernel

extension JournalError {
  /// Makes the error of a journal whose tables have another version than this Moonlatch reads.
  package static func otherTables(_ path: String, _ written: Int, known: Int) -> JournalError {
    if written < 1 {
      return JournalError(
        .unreadable, "\(path) is not a journal of Moonlatch: give the journal its own file.")
    }
    let versions = "(version \(written) of its tables; this one knows \(known))"
    return JournalError(
      .unreadable,
      written > known
        ? "\(path) was written by a later Moonlatch \(versions): update this one."
        : "\(path) was written by an earlier Moonlatch \(versions): begin a new journal.")
  }
}
