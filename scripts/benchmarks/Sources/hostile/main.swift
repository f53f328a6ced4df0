import Bench
import Foundation
import Moonlatch

#if canImport(Glibc)
  import Glibc
#endif

// How long each hostile flow of the tests keeps its host busy under the default limits, and how long it takes to read
// each hostile document and to have it take an event and three seconds: in time of the processor, which a busy machine
// does not change much.

private let folder = URL(filePath: #filePath).deletingLastPathComponent()
  .appending(path: "../../../../Tests/MoonlatchTests/Hostile").standardizedFileURL
/// No flows: what some of the others try to follow.
private let links = ["linked.lua", "dangling.lua"]

private func processorSeconds() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

/// The seconds of the hostile action and of what it leaves behind.
private func seconds(_ flow: URL) throws -> Double {
  let host = try FlowHost(
    flow: flow, options: HostOptions(clock: .virtual, print: { _ in }, report: { _ in }))
  try host.dispatch("good")
  let begin = processorSeconds()
  try host.dispatch("hostile")
  try host.advance(10)
  let took = processorSeconds() - begin
  let isPassed = if case .passed = try host.dispatch("good") { true } else { false }
  try WrongResult.unless(isPassed, "\(flow.lastPathComponent): the host does not go on")
  return took
}

/// Reads a document and plays with it: it is refused in so many words, or runs.
private func seconds(_ document: HostileDocuments.Document, in folder: URL) throws -> Double {
  let file = folder.appending(path: "document.scxml")
  try Data(document.bytes).write(to: file)
  let begin = processorSeconds()
  do {
    let host = try FlowHost(
      flow: file, options: HostOptions(clock: .virtual, print: { _ in }, report: { _ in }))
    let told = try host.dispatch("go").description
    try WrongResult.unless(told.utf8.count < 20_000, "\(document.name) says too much")
    try host.advance(3)
  } catch let wrong as WrongResult {
    throw wrong
  } catch {
    try WrongResult.unless(
      (1..<40_000).contains("\(error)".utf8.count), "\(document.name) says too much, or nothing")
  }
  let took = processorSeconds() - begin
  return took
}

private func documents(_ report: inout Report) throws {
  let folder = FileManager.default.temporaryDirectory
    .appending(path: "hostile-\(ProcessInfo.processInfo.processIdentifier)")
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(at: folder) }
  let all = HostileDocuments.all
  var times = try all.map { (name: $0.name, seconds: try seconds($0, in: folder)) }
  times.sort { $0.seconds > $1.seconds }
  report.title("\(times.count) hostile documents under the default limits: the slowest")
  for (name, seconds) in times.prefix(12) { report.figure(name, seconds, "s") }
  report.target("\(times[0].name), the slowest", times[0].seconds, atMost: 1, "s")
  report.figure("what the process holds then", Double(HistoryValue.resident) / 1_048_576, "MiB")
}

run { report in
  let flows = try FileManager.default.contentsOfDirectory(
    at: folder, includingPropertiesForKeys: nil
  ).filter { $0.pathExtension == "lua" && !links.contains($0.lastPathComponent) }
  try WrongResult.unless(flows.count >= 60, "there are only \(flows.count) hostile flows")
  var times: [(name: String, seconds: Double)] = []
  for flow in flows {
    times.append((flow.deletingPathExtension().lastPathComponent, try seconds(flow)))
  }
  times.sort { $0.seconds > $1.seconds }
  report.title("\(times.count) hostile flows under the default limits: the slowest")
  for (name, seconds) in times.prefix(12) { report.figure(name, seconds, "s") }
  report.target("\(times[0].name), the slowest", times[0].seconds, atMost: 1, "s")
  try documents(&report)
}
