import FlowHosting
import FlowKernel

extension JournalCompaction {
  /// So many cases are gone through in one transaction, before those who wait are written.
  private static let casesAtOnce = 100

  /// Goes through all cases.
  ///
  /// - Parameter perform: does something on a connection in its turn.
  package static func run(
    before: Int, keysBefore: Int,
    _ perform: (
      _ body: @escaping @Sendable (any SQLConnection) throws(JournalError) -> (Self, next: String?)
    ) throws(JournalError) -> (Self, next: String?)
  ) throws(JournalError) -> Self {
    var (all, last) = (Self(), "" as String?)
    while let after = last {
      let (done, next) = try perform { (connection) throws(JournalError) in
        try connection.writing { () throws(JournalError) in
          var done = Self()
          let cases = try CaseReads(connection: connection).cases(
            whose: nil, after: after, limit: Self.casesAtOnce)
          for found in cases {
            try CaseWrites(connection: connection).compact(
              found.id, before: before, keysBefore: max(before, keysBefore), &done)
          }
          return (done, cases.count == Self.casesAtOnce ? cases.last?.id : nil)
        }
      }
      all.entries += done.entries
      all.answers += done.answers
      all.cases += done.cases
      last = next
    }
    return all
  }
}
