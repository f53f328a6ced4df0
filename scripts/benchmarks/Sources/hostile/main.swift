import Bench
import Foundation
import Moonlatch

#if canImport(Glibc)
  import Glibc
#endif

// How long each hostile flow of the tests keeps its host busy under the default limits, and how long it takes to read
// each hostile document and to have it take an event and three seconds: in time of the processor, which a busy machine
// does not change much, and beside a plain loop that ends at its limit, of the same minute. Each has a process of its
// own, of which the most memory is told, too.
//
//   hostile               all of them
//   hostile --flow FILE   one of them, as a process of its own: its seconds, a tab, and how it ended
//   hostile --document N  the same for a document

private let folder = URL(filePath: #filePath).deletingLastPathComponent()
  .appending(path: "../../../../Tests/MoonlatchTests/Hostile").standardizedFileURL
/// No flows: what some of the others try to follow.
private let links = ["linked.lua", "dangling.lua"]
/// The most memory that a process may hold, in MiB.
private let mostMemory = 256.0

private func processorSeconds() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

private func printEnd(_ seconds: Double, _ end: String) {
  let line = end.split(whereSeparator: \.isNewline).first.map(String.init) ?? ""
  print("\(seconds)\t\(line.prefix(70).replacing("\t", with: " "))")
}

// MARK: One of them

/// The hostile action, and what it leaves behind.
private func play(_ flow: URL) throws {
  let host = try FlowHost(
    flow: flow, options: HostOptions(clock: .virtual, print: { _ in }, report: { _ in }))
  try host.dispatch("good")
  let begin = processorSeconds()
  let outcome = try host.dispatch("hostile")
  try host.advance(.seconds(10))
  let took = processorSeconds() - begin
  let isPassed = if case .passed = try host.dispatch("good") { true } else { false }
  try WrongResult.unless(isPassed, "\(flow.lastPathComponent): the host does not go on")
  printEnd(took, outcome.description)
}

/// Reads a document and plays with it: it is refused in so many words, or runs.
private func play(_ document: HostileDocuments.Document) throws {
  let folder = FileManager.default.temporaryDirectory
    .appending(path: "hostile-\(ProcessInfo.processInfo.processIdentifier)")
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(at: folder) }
  let file = folder.appending(path: "document.scxml")
  try Data(document.bytes()).write(to: file)
  let begin = processorSeconds()
  var end = ""
  do {
    let host = try FlowHost(
      flow: file, options: HostOptions(clock: .virtual, print: { _ in }, report: { _ in }))
    end = try host.dispatch("go").description
    try WrongResult.unless(end.utf8.count < 20_000, "\(document.name) says too much")
    try host.advance(3)
  } catch let wrong as WrongResult {
    throw wrong
  } catch {
    end = "\(error)"
    try WrongResult.unless(
      (1..<40_000).contains(end.utf8.count), "\(document.name) says too much, or nothing")
  }
  printEnd(processorSeconds() - begin, end)
}

// MARK: All of them

private struct Row {
  let name: String
  let seconds: Double
  let times: Double
  let memory: Double
  let end: String
}

/// Runs each as a process of its own, and the plain loop again whenever a while has passed.
private struct Runs {
  private let program = URL(filePath: CommandLine.arguments[0]).standardizedFileURL.path
  private let scratch: URL
  private var plain = (seconds: 0.0, at: ContinuousClock.now - .seconds(3_600))

  init(in scratch: URL) { self.scratch = scratch }

  private func run(_ arguments: [String]) throws -> (seconds: Double, memory: Double, end: String) {
    let run = try Program([program] + arguments, in: scratch, says: "\t").measure()
    let parts = run.output.split(separator: "\t", maxSplits: 1).map {
      $0.trimmingCharacters(in: .newlines)
    }
    guard parts.count == 2, let seconds = Double(parts[0]) else {
      throw WrongResult("\(arguments) tells \(run.output)")
    }
    return (seconds, run.peak, parts[1])
  }

  mutating func row(_ name: String, _ arguments: [String]) throws -> Row {
    if ContinuousClock.now - plain.at > .seconds(30) {
      let loop = folder.appending(path: "loop-plain.lua").path
      plain = (try run(["--flow", loop]).seconds, .now)
    }
    let run = try run(arguments)
    return Row(
      name: name, seconds: run.seconds, times: run.seconds / plain.seconds, memory: run.memory,
      end: run.end)
  }
}

private func addTable(of rows: [Row], _ what: String, to report: inout BenchmarkReport) {
  let rows = rows.sorted { $0.seconds > $1.seconds }
  report.title("\(rows.count) hostile \(what) under the default limits, the slowest first")
  report.table(
    titles: ["", "seconds", "times a plain loop", "MiB", "ended"],
    rows.map {
      let figures = [("%.3f", $0.seconds), ("%.2f", $0.times), ("%.0f", $0.memory)]
      return ([$0.name] + figures.map { String(format: $0, $1) } + [$0.end], nil)
    })
  if let slowest = rows.first {
    // Times are told; the only bound on them is that of `Limits.processorTime`.
    report.target(
      "\(slowest.name), the slowest", slowest.seconds, atMost: Limits().processorTime / .seconds(1),
      "s")
  }
  if let largest = rows.max(by: { $0.memory < $1.memory }) {
    report.target("\(largest.name), the largest", largest.memory, atMost: mostMemory, "MiB")
  }
}

private let words = CommandLine.arguments
do {
  if words.count == 3, words[1] == "--flow" {
    try play(URL(filePath: words[2]))
    exit(0)
  }
  if words.count == 3, words[1] == "--document", let index = Int(words[2]) {
    try play(HostileDocuments.all[index])
    exit(0)
  }
} catch {
  print("\(error)")
  exit(70)
}

run { report in
  let scratch = FileManager.default.temporaryDirectory
    .appending(path: "hostile-\(ProcessInfo.processInfo.processIdentifier)/here")
  try FileManager.default.createDirectory(at: scratch, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(at: scratch.deletingLastPathComponent()) }
  var runs = Runs(in: scratch)
  let flows = try FileManager.default.contentsOfDirectory(
    at: folder, includingPropertiesForKeys: nil
  ).filter { $0.pathExtension == "lua" && !links.contains($0.lastPathComponent) }
  try WrongResult.unless(flows.count >= 60, "there are only \(flows.count) hostile flows")
  let played = try flows.map {
    try runs.row($0.deletingPathExtension().lastPathComponent, ["--flow", $0.path])
  }
  addTable(of: played, "flows", to: &report)
  let read = try HostileDocuments.all.map(\.name).enumerated().map {
    try runs.row($1, ["--document", "\($0)"])
  }
  addTable(of: read, "documents", to: &report)
}
