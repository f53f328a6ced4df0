import FlowKernel

/// The number of a case's rows in another table, and the sum of their checksums, by which a deleted row is detected.
///
/// It is stored in the case's row, and covered by that row's checksum.
package struct Tally: Equatable, Sendable {
  package private(set) var count = 0
  package private(set) var sum = 0

  package init() {}

  package init(count: Int, sum: Int) { (self.count, self.sum) = (count, sum) }

  package mutating func add(_ checksum: Int) {
    count += 1
    sum &+= checksum
  }

  package mutating func remove(_ checksum: Int) {
    count -= 1
    sum &-= checksum
  }

  /// The tables that are counted.
  package enum Table: String { case ack, snapshot }

  /// Counts the present rows of a case.
  package static func read(
    _ table: Table, of id: String, on connection: any SQLConnection
  ) throws(JournalError) -> Tally {
    try connection.row(
      """
      SELECT count(*), CAST(coalesce(sum(sum), 0) AS bigint) FROM \(table.rawValue) WHERE life = ?
      """, .text(id)
    ) { Tally(count: $0.integer(0), sum: $0.integer(1)) } ?? Tally()
  }
}
