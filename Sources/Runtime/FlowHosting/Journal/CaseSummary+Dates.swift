import FlowKernel
import Platform

/// The times of a case as dates.
extension CaseSummary {
  /// The time of the birth.
  public var bornAt: Date { Date(microseconds: born) }

  /// The time at which the last entry was written.
  public var writtenAt: Date { Date(microseconds: wall) }

  /// The time at which the case has something due next; nil if nothing is due.
  public var dueAt: Date? { due.map { Date(microseconds: $0) } }

  /// The time at which the case ended; nil if it has not ended.
  public var endedAt: Date? { ended.map { Date(microseconds: $0) } }
}
