import Bench
import Foundation
import Moonlatch

#if canImport(Glibc)
  import Glibc
#endif

// How long each hostile flow of the tests keeps its host busy under the default limits: in time of the
// processor, which a busy machine does not change much.

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
}
