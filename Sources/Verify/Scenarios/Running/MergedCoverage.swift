/// The coverage of all scenarios together, by flow.
package struct MergedCoverage: Sendable {
  private var records: [String: CoverageRecord] = [:]

  package init() {}

  package mutating func add(_ record: CoverageRecord) {
    if records[record.flow] == nil {
      records[record.flow] = record
    } else {
      records[record.flow]?.merge(record)
    }
  }

  /// A coverage event for each flow, sorted by the flow's name.
  package var events: [RunEvent] {
    records.keys.sorted().compactMap { records[$0] }.map { .covered($0) }
  }
}
