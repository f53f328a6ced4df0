/// What a look at a whole journal has found.
public struct JournalFindings: Sendable, Hashable {
  /// Something that is not as it was written.
  public struct Finding: Sendable, Hashable, CustomStringConvertible {
    /// The case that it is of, where it is of one.
    public let id: String?
    /// A sentence: what is wrong where.
    public let description: String
  }

  /// How many cases there are.
  public package(set) var cases = 0
  /// How many entries.
  public package(set) var entries = 0
  /// How many of them have been erased.
  public package(set) var erased = 0
  /// How many snapshots.
  public package(set) var snapshots = 0
  /// How many answers to keys.
  public package(set) var answers = 0
  /// How many cases are whole.
  public package(set) var wholeCases = 0
  /// The tables in which the database finds nothing wrong; none if they were not looked at one by one.
  public package(set) var wholeTables: [String] = []
  /// The faults in order of cases, no more than a hundred: of a case what is damaged, and what of it is whole.
  public package(set) var faults: [Finding] = []
  /// How many more faults there are.
  public package(set) var furtherFaults = 0

  /// Whether everything is what was written.
  public var isWhole: Bool { faults.isEmpty }

  package init() {}

  /// So many faults are told.
  private static let mostFaults = 100

  package mutating func add(_ fault: String, of id: String? = nil) {
    if faults.count < Self.mostFaults {
      faults.append(Finding(id: id, description: fault))
    } else {
      furtherFaults += 1
    }
  }
}
