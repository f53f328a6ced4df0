import Bench

// What grows with what it is given: how the time grows, each measured against itself at a tenth of the size or
// less in the same run, and what it is beside that of others. Names of measurements as arguments select these.

private let measurements: [(name: String, measure: (inout Report) throws -> Void)] = [
  ("codable", CodablePayloads.measure),
  ("history", HistoryScale.measure),
  ("loading", LoadingScale.measure),
]

run { report in
  let named = measurements.filter { CommandLine.arguments.contains($0.name) }
  for measurement in named.isEmpty ? measurements : named { try measurement.measure(&report) }
}
