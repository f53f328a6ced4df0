import FlowHosting
import FlowKernel

extension JournalCompaction {
  /// The number of cases that are compacted in one transaction; appends are written between two of them.
  private static let casesAtOnce = 100

  /// Compacts all cases.
  ///
  /// - Parameter perform: runs a function with the connection on the writer's thread.
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
