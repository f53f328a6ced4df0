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
  /// What is wrong, in order of cases: the first thing in each, and no more than a hundred.
  public package(set) var faults: [Finding] = []

  /// Whether everything is what was written.
  public var isWhole: Bool { faults.isEmpty }

  package init() {}

  /// So many faults are told.
  private static let mostFaults = 100

  package mutating func add(_ fault: String, of id: String? = nil) {
    if faults.count < Self.mostFaults { faults.append(Finding(id: id, description: fault)) }
  }
}
