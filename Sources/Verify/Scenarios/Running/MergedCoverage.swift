/// What all scenarios together have exercised, flow by flow.
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

  /// A record for each flow, sorted by name.
  package var events: [RunEvent] {
    records.keys.sorted().compactMap { records[$0] }.map { .covered($0) }
  }
}
