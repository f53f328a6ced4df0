import Bench
import Foundation

// `moonlatch replay` over an event log repeated to a million events: events a second, memory against
// that for the log once, and pm4py reading the same log and replaying its tokens on a Petri net
// discovered from it. Whole processes, all of them.
//
// The repeated log has few cases that differ in what the flow is told of them (480 of the made one), and each of these
// is played once. So a log of which every case has resources of its own is measured too; for pm4py, which does not look
// at resources, it is the same.
//
// Equal on both sides: the file, the columns, every distinct case played once. Unequal: pm4py tells
// cases apart by their activities alone, moonlatch by what the flow takes of an event too; pm4py has
// to discover its net; moonlatch checks payloads, rules and four machines, and names every refusal.
// So `--fresh`, with which moonlatch plays every case, is measured too, once, and must print the same.
//
// The arguments are the moonlatch command and the Python of pm4py, then options.

private struct Settings {
  let command: String
  let python: String
  var log: String?
  var events = 1_000_000

  init(_ arguments: [String]) throws {
    guard arguments.count >= 2 else {
      throw WrongResult("the first arguments are the moonlatch command and the Python of pm4py")
    }
    (command, python) = (arguments[0], arguments[1])
    var rest = arguments.dropFirst(2)
    while let option = rest.popFirst() {
      if option == "--check" { continue }
      guard let value = rest.popFirst() else { throw WrongResult("\(option) takes a value") }
      switch option {
      case "--log": log = value
      case "--events":
        guard let count = Int(value), count > 0 else {
          throw WrongResult("--events takes a number from 1 on, not \(value)")
        }
        events = count
      default: throw WrongResult("there is no option \(option)")
      }
    }
  }
}

/// The least time of several runs.
private struct Best {
  var seconds = Double.infinity
  var processor = Double.infinity

  mutating func add(_ run: (seconds: Double, processor: Double, peak: Double, output: String)) {
    seconds = min(seconds, run.seconds)
    processor = min(processor, run.processor)
  }
}

run { report in
  let settings = try Settings(Array(CommandLine.arguments.dropFirst()))
  let root = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../../..").standardizedFileURL
  let folder = FileManager.default.temporaryDirectory
    .appending(path: "moonlatch-replay-\(ProcessInfo.processInfo.processIdentifier)")
  let files = folder.appending(path: "logs")
  try FileManager.default.createDirectory(at: files, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(at: folder) }

  let log =
    try settings.log.map { try Log(text: String(contentsOfFile: $0, encoding: .utf8)) }
    ?? Log.made()
  try log.write(to: files.appending(path: "once.csv"), events: log.count)
  try log.write(to: files.appending(path: "many.csv"), events: settings.events)
  try log.write(
    to: files.appending(path: "different.csv"), events: settings.events, isDifferent: true)

  func replay(_ name: String, events: Int, _ option: String...) -> Program {
    let flow = root.appending(path: "examples/receipt/receipt.lua").path
    return Program(
      [settings.command, "replay", flow, name] + option, in: files, says: "\(events) rows:")
  }
  func lastOutput() throws -> String {
    try String(contentsOf: folder.appending(path: "output"), encoding: .utf8)
  }
  let script = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "pm4py_replay.py").path
  let pm4py = Program(
    [settings.python, script, "many.csv"], in: files, says: "\(settings.events) events")

  // In turns, so that what else the machine does falls on both.
  var (once, many, different, other) = (Best(), Best(), Best(), Best())
  for _ in 0..<3 {
    once.add(try replay("once.csv", events: log.count).measure())
    many.add(try replay("many.csv", events: settings.events).measure())
    different.add(try replay("different.csv", events: settings.events).measure())
    other.add(try pm4py.measure())
  }

  _ = try replay("many.csv", events: settings.events).measure()
  let printed = try lastOutput()
  let peaks = try (
    once: replay("once.csv", events: log.count).peak(),
    many: replay("many.csv", events: settings.events).peak(),
    different: replay("different.csv", events: settings.events).peak(),
    fresh: replay("once.csv", events: log.count, "--fresh").peak(), other: pm4py.peak()
  )
  let fresh = try replay("many.csv", events: settings.events, "--fresh").measure()
  try WrongResult.unless(
    try lastOutput() == printed, "--fresh does not print what a replay without it prints")

  let events = Double(settings.events)
  let source = settings.log ?? "a made log"
  report.title("\(settings.events) events from \(source), each case different, least of 3")
  report.figure("moonlatch replay", different.seconds, "s")
  report.figure("moonlatch replay", events / different.seconds, "events/s")
  report.figure("moonlatch replay, processor time", different.processor, "s")
  report.figure("peak memory", peaks.different, "MiB")

  report.title("\(settings.events) events from \(source), its cases repeated, least of 3")
  report.figure("moonlatch replay", many.seconds, "s")
  report.figure("moonlatch replay", events / many.seconds, "events/s")
  report.figure("moonlatch replay, processor time", many.processor, "s")
  report.figure("moonlatch replay of \(log.count) events", once.seconds * 1000, "ms")
  report.figure("peak memory, \(log.count) events", peaks.once, "MiB")
  report.figure("peak memory, \(settings.events) events", peaks.many, "MiB")
  report.target("memory against the log once", peaks.many / peaks.once, atMost: 1.2)
  report.figure("every case played (--fresh), once", fresh.seconds, "s")
  report.figure("every case played (--fresh), once", events / fresh.seconds, "events/s")
  report.figure("peak memory, \(log.count) events with --fresh", peaks.fresh, "MiB")

  report.title("The same log read and token-replayed by pm4py, least of 3")
  report.figure("pm4py", other.seconds, "s")
  report.figure("pm4py", events / other.seconds, "events/s")
  report.figure("pm4py, processor time", other.processor, "s")
  report.figure("peak memory", peaks.other, "MiB")
  report.target(
    "moonlatch against pm4py, each case different", other.seconds / different.seconds, atLeast: 3)
  report.target("the same, cases repeated", other.seconds / many.seconds, atLeast: 10)
  report.figure("the same by processor time", other.processor / many.processor, "times")
  report.target("cases repeated, with --fresh", other.seconds / fresh.seconds, atLeast: 3)
}
