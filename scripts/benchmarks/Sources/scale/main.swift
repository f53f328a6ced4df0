import Bench
import Foundation

// What many hosts, many cases and much data cost, one file a measurement.
//
// The argument is the moonlatch command.

run { report in
  let arguments = CommandLine.arguments.dropFirst().filter { !$0.hasPrefix("--") }
  guard let command = arguments.first else {
    throw WrongResult("the first argument is the moonlatch command")
  }
  try Hosts.measure(&report)
  try Interleaved(command: command).measure(&report)
}
