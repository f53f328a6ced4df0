import Bench
import Foundation
import Workloads

/// Start and size of the command, beside one from before there were journals: one after the other in each round.
func measureCommand(
  _ report: inout BenchmarkReport, _ command: String, against before: String, in folder: URL
) throws {
  let commands = [before, command]
  var times: [[Double]] = [[], []]
  for _ in 0..<200 {
    for (index, command) in commands.enumerated() {
      times[index].append(try Program([command, "--version"], in: folder, says: "").seconds())
    }
  }
  let sizes = try commands.map { try strippedSize(of: $0, in: folder) }
  report.title("The command, against one from before there were journals")
  report.figure("start (--version), median", median(times[1]) * 1_000, "ms")
  report.target(
    "start, more than before", (median(times[1]) - median(times[0])) * 1_000, atMost: 0.2, "ms")
  report.figure("size, stripped", sizes[1] / 1e6, "MB")
  report.target("size, more than before", (sizes[1] - sizes[0]) / 1e6, atMost: 2, "MB")
}

private func strippedSize(of command: String, in folder: URL) throws -> Double {
  let copy = folder.appending(path: "stripped").path
  let strip = Process()
  strip.executableURL = URL(fileURLWithPath: "/usr/bin/env")
  strip.arguments = ["strip", "-o", copy, command]
  try strip.run()
  strip.waitUntilExit()
  guard strip.terminationStatus == 0,
    let size = try FileManager.default.attributesOfItem(atPath: copy)[.size] as? Int
  else { throw WrongResult("\(command) could not be stripped") }
  return Double(size)
}
