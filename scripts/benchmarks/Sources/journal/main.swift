import Bench
import Foundation

// The cost of a journal in a file: entries a second, restoring cases, many cases, their timers, and the start and size
// of the command with it.
//
//   journal [FOLDER] [--before COMMAND]
//
// FOLDER is on the disk that is measured. COMMAND is a moonlatch from before there were journals, whose start and size
// this one's are measured against; the command is named by MOONLATCH.

let words = Array(CommandLine.arguments.dropFirst())

if words.first == "--asleep", words.count == 2 {
  run { _ in try wakeAll(inFile: URL(fileURLWithPath: words[1])) }
}

run { report in
  let before = words.firstIndex(of: "--before").flatMap { words.dropFirst($0 + 1).first }
  let place = words.first { !$0.hasPrefix("-") && $0 != before } ?? NSTemporaryDirectory()
  let folder = URL(fileURLWithPath: place).appending(path: "journal-\(getpid())")
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(at: folder) }
  try measureRates(&report, in: folder)
  try measureWaking(&report, in: folder)
  try measureSleepers(&report, in: folder)
  try measureWhatIsDue(&report, in: folder)
  try measureLateness(&report, in: folder)
  if let before, let command = ProcessInfo.processInfo.environment["MOONLATCH"] {
    try measureCommand(&report, command, against: before, in: folder)
  }
}
