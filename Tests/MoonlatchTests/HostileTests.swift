import FlowHosting
import FlowKernel
import Foundation
import LuaRuntime
import Platform
import Testing

/// Every flow in the folder `Hostile` has a good action and a hostile one.
///
/// Its header says what the hostile one attempts, and what stops it; `Hostile/outcomes.txt` has how
/// it ended and after how many instructions, which is the same in every run with the release of Lua
/// that its first line names. With another release only the kind of its end is the same and
/// compared. `MOONLATCH_RECORD=1 scripts/test --filter Hostile` rewrites that file.
@Suite struct HostileTests {
  static let isRecording = ProcessInfo.processInfo.environment["MOONLATCH_RECORD"] != nil

  @Test("there are at least 60 hostile flows, each with a description")
  func headers() throws {
    #expect(HostileFlow.all.count >= 60)
    for flow in HostileFlow.all {
      #expect(!flow.attempt.isEmpty && !flow.stopped.isEmpty, "\(flow.name)")
    }
  }

  @Test(
    "a hostile action is stopped at the same instruction each time, and the host stays usable",
    .disabled(if: isRecording), arguments: HostileFlow.all)
  func stopped(flow: HostileFlow) throws {
    let run = try flow.run()
    #expect(run.isContained, "\(flow.name)")
    #expect(run.end.contains(flow.stopped), "\(flow.name): \(run.end)")
    let isRecorded = HostileFlow.recorded["Lua"] == LuaVM.release
    #expect(try (isRecorded ? HostileFlow.recorded[flow.name] : flow.run().line) == run.line)
  }

  /// True in builds for the thread sanitizer.
  private static var needsLargeFrames: Bool {
    #if CHECKED_LOCKS
      true
    #else
      false
    #endif
  }

  @Test(
    "a hostile action is stopped on a thread with the smallest supported stack",
    .disabled(if: HostileTests.needsLargeFrames, "frames are larger with the thread sanitizer"),
    arguments: HostileFlow.all)
  func leastStack(flow: HostileFlow) throws {
    let run = try LeastStack.run { try flow.run() }
    #expect(run.isContained && run.end.contains(flow.stopped), "\(flow.name): \(run.end)")
  }

  @Test("the outcomes of hostile flows can be recorded", .enabled(if: isRecording))
  func record() throws {
    var text = "Lua: \(LuaVM.release)\n"
    for flow in HostileFlow.all {
      text += "\(flow.name): \(try flow.run().line)\n"
    }
    try text.write(to: HostileFlow.outcomes, atomically: true, encoding: .utf8)
  }
}

/// A flow of the folder of hostile flows.
struct HostileFlow: Sendable, CustomStringConvertible {
  /// The result of a run.
  struct Run: Sendable {
    let end: String
    let instructions: Int
    /// True if only passed dispatches changed the state, and the harmless action passed before and after.
    let isContained: Bool
    var line: String { "\(instructions) instructions, \(end)" }
  }

  let name: String
  let attempt: String
  let stopped: String
  var description: String { name }

  private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "Hostile")
  /// A fraction of what holds by default, so that the whole folder runs in seconds.
  static let limits = Limits(
    instructionsPerDispatch: 2_000_000, memory: 8 << 20, state: 2 << 20, effects: 500,
    timers: 1_000, queue: 1_000, chain: 2_000, instructionsPerChain: 10_000_000)
  static let outcomes = folder.appending(path: "outcomes.txt")

  /// No flows: what some of these try to follow.
  private static let links = ["linked.lua", "dangling.lua"]
  /// The flows, by name.
  static let all: [HostileFlow] = {
    let files = try? FileManager.default.contentsOfDirectory(
      at: folder, includingPropertiesForKeys: nil)
    return (files ?? [])
      .filter { $0.pathExtension == "lua" && !links.contains($0.lastPathComponent) }
      .map { HostileFlow(file: $0) }.sorted { $0.name < $1.name }
  }()

  /// How each ended when that was last written down.
  static let recorded: [String: String] = {
    let text = (try? String(contentsOf: outcomes, encoding: .utf8)) ?? ""
    return Dictionary(
      text.split(separator: "\n").compactMap { line in
        line.firstRange(of: ": ").map {
          (String(line[..<$0.lowerBound]), String(line[$0.upperBound...]))
        }
      }, uniquingKeysWith: { $1 })
  }()

  private init(file: URL) {
    name = file.deletingPathExtension().lastPathComponent
    let text = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
    let lines = text.split(separator: "\n", maxSplits: 2)
    func header(_ index: Int, _ title: String) -> String {
      guard lines.count > index, lines[index].hasPrefix(title) else { return "" }
      return String(lines[index].dropFirst(title.count))
    }
    attempt = header(0, "-- Attempt: ")
    stopped = header(1, "-- Stopped: ")
  }

  /// Good, hostile, good: what the hostile dispatch came to.
  func run() throws -> Run {
    let reports = Mutex<[String]>([])
    let host = try FlowHost(
      flow: HostileFlow.folder.appending(path: name + ".lua"),
      options: HostOptions(
        limits: HostileFlow.limits, clock: .virtual, print: { _ in },
        report: { text in reports.withLock { $0.append("\(text)") } }))
    var isContained = try host.dispatch("good").isPassed
    let before = try host.state()
    let used = try host.instructionsUsed
    let outcome = try host.dispatch("hostile")
    try host.advance(10)
    let instructions = try host.instructionsUsed - used
    if !outcome.isPassed { isContained = try host.state() == before && isContained }
    isContained = try host.dispatch("good").isPassed && isContained
    isContained = try host.state()["n"] == 2 && isContained
    let ends = [outcome.description] + reports.withLock { $0 }
    var lines: [String] = []
    for end in ends {
      let line = String(end.split(separator: "\n").first ?? "").prefix(240)
      if !lines.contains(String(line)) { lines.append(String(line)) }
    }
    return Run(
      end: lines.prefix(4).joined(separator: " | "), instructions: instructions,
      isContained: isContained)
  }
}
