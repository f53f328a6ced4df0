import FlowKernel

/// Finds the intact entries of a damaged case.
extension Verification {
  /// Returns the range of entry numbers that are present; nil if there are none.
  func span(of id: String) throws(JournalError) -> ClosedRange<Int>? {
    func end(_ order: String) throws(JournalError) -> Int? {
      try connection.row(
        "SELECT seq FROM entry WHERE life = ? ORDER BY seq \(order) LIMIT 1", .text(id)
      ) { $0.integer(0) }
    }
    guard let first = try end("ASC"), let last = try end("DESC"), first <= last else { return nil }
    return first...last
  }

  /// Checks each entry by itself, and reports which are intact.
  ///
  /// - Parameter row: the row of the case; nil if it is lost.
  mutating func salvage(_ span: ClosedRange<Int>, of id: String, _ row: CaseRow?) {
    var chains = row.map { [$0.base] } ?? []
    var whole: [ClosedRange<Int>] = []
    for seq in span {
      guard let (entry, chain) = try? entry(seq, of: id) else {
        chains = []
        continue
      }
      let links = chains.map { Chain.link(after: $0, id: id, entry: entry) }
      let isWhole = entry.body.map(Checksum.of) ?? entry.sum == entry.sum
      // The chain before the first readable entry is unknown.
      if isWhole && (chains.isEmpty || links.contains(chain)) {
        if let last = whole.last, last.upperBound == seq - 1 {
          whole[whole.count - 1] = last.lowerBound...seq
        } else {
          whole.append(seq...seq)
        }
      }
      chains = [chain] + links
    }
    let count = whole.reduce(0) { $0 + $1.count }
    findings.entries += count
    let ranges = whole.map {
      $0.count == 1 ? "\($0.lowerBound)" : "\($0.lowerBound) to \($0.upperBound)"
    }
    findings.add(
      count == 0
        ? "case \"\(id)\": none of its entries is intact."
        : "case \"\(id)\": of its entries \(span.lowerBound) to \(span.upperBound) these are intact: "
          + "\(ranges.prefix(20).joined(separator: ", "))\(ranges.count > 20 ? ", and others" : "").",
      of: id)
  }

  private func entry(
    _ seq: Int, of id: String
  ) throws(JournalError) -> (EntryRow, chain: Int)? {
    try connection.row(
      "SELECT \(EntryRow.columns) FROM entry WHERE life = ? AND seq = ?", .text(id), .integer(seq)
    ) { (EntryRow($0), $0.integer(6)) }
  }
}
