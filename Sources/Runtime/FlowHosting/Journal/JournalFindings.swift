/// The result of the verification of a whole journal.
public struct JournalFindings: Sendable, Hashable {
  /// A fault: a difference from what was written.
  public struct Finding: Sendable, Hashable, CustomStringConvertible {
    /// The id of the case that it is in; nil if it is in none.
    public let id: String?
    /// A sentence that says what is wrong, and where.
    public let description: String
  }

  /// The number of cases.
  public package(set) var cases = 0
  /// The number of entries.
  public package(set) var entries = 0
  /// The number of entries that have been erased.
  public package(set) var erased = 0
  /// The number of snapshots.
  public package(set) var snapshots = 0
  /// The number of answers to keys.
  public package(set) var answers = 0
  /// The number of cases without a fault.
  public package(set) var wholeCases = 0
  /// The tables in which the database finds no fault; empty if they were not checked one by one.
  public package(set) var wholeTables: [String] = []
  /// The faults, in order of cases, at most 100; for a case: what is damaged, and what of it is intact.
  public package(set) var faults: [Finding] = []
  /// The number of further faults.
  public package(set) var furtherFaults = 0

  /// True if no fault was found.
  public var isWhole: Bool { faults.isEmpty }

  package init() {}

  /// The greatest number of faults that are listed.
  private static let mostFaults = 100

  package mutating func add(_ fault: String, of id: String? = nil) {
    if faults.count < Self.mostFaults {
      faults.append(Finding(id: id, description: fault))
    } else {
      furtherFaults += 1
    }
  }
}
