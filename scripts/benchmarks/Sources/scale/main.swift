import Bench
import Foundation

// Measurements of scale: how the time grows with the size, each against itself at a tenth of the size or less in the
// same run, how it compares with other systems, and the cost of many hosts and many cases.
//
//   scale COMMAND [NAME]...     COMMAND is moonlatch; names of measurements select these

private let measurements:
  [(name: String, measure: (inout BenchmarkReport, String) throws -> Void)] = [
    // First, since they measure what the process grows by.
    ("hosts", { report, _ in try Hosts.measure(&report) }),
    ("codable", { report, _ in try CodablePayloads.measure(&report) }),
    ("history", { report, _ in try HistoryScale.measure(&report) }),
    ("loading", { report, _ in try LoadingScale.measure(&report) }),
    ("views", { report, _ in try ViewScale.measure(&report) }),
    ("interleaved", { report, command in try Interleaved(command: command).measure(&report) }),
  ]

run { report in
  let arguments = CommandLine.arguments.dropFirst().filter { !$0.hasPrefix("--") }
  guard let command = arguments.first else {
    throw WrongResult("the first argument is the moonlatch command")
  }
  let named = measurements.filter { arguments.dropFirst().contains($0.name) }
  for measurement in named.isEmpty ? measurements : named {
    try measurement.measure(&report, command)
  }
}
