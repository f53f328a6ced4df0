import Bench

// What grows with what it is given: how the time grows, and what it is beside that of others.

private let measurements: [(inout Report) throws -> Void] = [
  CodablePayloads.measure
]

run { report in
  for measure in measurements { try measure(&report) }
}
