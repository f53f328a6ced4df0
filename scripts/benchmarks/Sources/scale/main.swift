import Bench

// What must not depend on how much there is: each is measured against itself at a tenth of the size, or less,
// in the same run. Names of measurements as arguments select these.

private let measurements: [(name: String, measure: (inout Report) throws -> Void)] = [
  ("history", HistoryScale.measure),
  ("loading", LoadingScale.measure),
]

run { report in
  let named = measurements.filter { CommandLine.arguments.contains($0.name) }
  for measurement in named.isEmpty ? measurements : named { try measurement.measure(&report) }
}
