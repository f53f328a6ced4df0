import FlowKernel
import FlowLanguage
import Foundation
import LuaRuntime
import Synchronization
import Testing

@testable import FlowExplore

/// Explorations that are stopped, stored in a checkpoint and resumed.
@Suite("Checkpoints")
final class CheckpointTests {
  private let folder: URL
  private var path: String { folder.appending(path: "kept").path }

  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(
      path: "moonlatch-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  /// Lists, maps, open tables, texts, numbers, effects, timers and a gatekeeper: all that can stand in a slot.
  private static let mixed =
    EnginePairTests.busy + """

      action.push { n = integer { min = 1, max = 2 } }
      action.pop {}
      action.name { as = one_of { "ann", "ben" } }
      function gate.push(s) return #s.list < 2, "it is long" end
      function reduce.push(s, a) s.list[#s.list + 1] = { n = a.n, half = a.n / 2 } end
      function gate.pop(s) return #s.list > 0 end
      function reduce.pop(s) table.remove(s.list) end
      function reduce.name(s, a) s.names[a.as] = not s.names[a.as] end
      """

  private static func flow(_ source: String = mixed) throws -> LoadedFlow {
    try LoadedFlow(
      source: source.replacing(
        "state { pages", with: "state { list = list {}, names = map {}, pages"))
  }

  private func exploration(_ source: String = mixed) throws -> Exploration {
    var exploration = try Exploration(try CheckpointTests.flow(source))
    exploration.checksSome = false
    return exploration
  }

  /// Explores, and stops after so many questions, leaving a checkpoint; nil where it has come to its end.
  private func stop(
    _ exploration: Exploration, after questions: Int, jobs: Int = 1
  ) throws -> String? {
    let asked = Atomic<Int>(0)
    var exploration = exploration
    exploration.jobs = jobs
    exploration.checkpoint = CheckpointPlan(path)
    exploration.isStopped = { asked.add(1, ordering: .relaxed).newValue > questions }
    let report = try exploration.run()
    return report.ending == .stopped ? nil : report.text("it")
  }

  @Test("an exploration that is stopped and resumed many times gives the report of one run")
  func stops() throws {
    let whole = try exploration().run().text("it")
    var told: String?
    var times = 0
    var resumed: ExplorationCheckpoint?
    while told == nil, times < 200 {
      var part = try exploration()
      part.resumes = resumed
      told = try stop(part, after: 10 + 15 * times, jobs: 1 + times % 3)
      if told == nil { resumed = try ExplorationCheckpoint(path) }
      times += 1
    }
    #expect(times > 3)
    #expect(told == whole)
  }

  @Test("hash compaction and exploration files give the same report after being resumed")
  func file() throws {
    let explored = try Explored(
      EnginePairTests.wide,
      """
      explore("all", { given = { {}, { a = 1 } } }, function()
        always("few", function(s) return s.a + s.b < 12 end)
        sometimes("two", function(s) return s.a == 2 end)
      end)
      """)
    for hashes in [false, true] {
      var exploration = try #require(try explored.explorations().first)
      exploration.checksSome = false
      exploration.bounds.hashes = hashes
      let whole = try exploration.run().text("it")
      #expect(try stop(exploration, after: 300) == nil)
      exploration.resumes = try ExplorationCheckpoint(path)
      #expect(try exploration.run().text("it") == whole)
    }
  }

  @Test("a state that was left during a macrostep before the stop is not dead afterwards")
  func passedThrough() throws {
    let source = """
      state { n = 0 }
      action.go {}
      action.up {}
      machine.m {
        initial = "first",
        first = { go = "choice" },
        choice = { always = "last" },
        last = {},
      }
      function gate.up(s) return s.n < 400 and in_state(s, "m.last") end
      function reduce.up(s) s.n = s.n + 1 end
      """
    var exploration = try Exploration(LoadedFlow(source: source))
    exploration.checksSome = false
    #expect(try exploration.run().dead == [])
    #expect(try stop(exploration, after: 300) == nil)
    exploration.resumes = try ExplorationCheckpoint(path)
    let report = try exploration.run()
    #expect(report.states == 402)
    #expect(report.dead == [])
  }

  @Test("actions that are executed instead of learned give the same report after being resumed")
  func played() throws {
    var exploration = try exploration(EnginePairTests.wide)
    exploration.playsAfter = 8
    let whole = try exploration.run().text("it")
    for questions in [10, 20, 40] {
      exploration.resumes = nil
      #expect(try stop(exploration, after: questions) == nil)
      exploration.resumes = try ExplorationCheckpoint(path)
      #expect(try exploration.run().text("it") == whole)
    }
  }

  @Test("the graph of a resumed search has the transitions of all states")
  func graph() throws {
    let source = """
      state { at = { 0, 0, 0 }, sum = 0 }
      action.turn { i = integer { min = 1, max = 3 } }
      function gate.turn(s, a) return s.at[a.i] < 2 end
      function reduce.turn(s, a)
        s.at[a.i] = s.at[a.i] + 1
        local sum = 0
        for _, v in ipairs(s.at) do sum = sum + v end
        s.sum = sum
      end
      """
    var exploration = try Exploration(LoadedFlow(source: source))
    exploration.graph = .aldebaran
    let whole = try #require(try exploration.run().graph).get()
    #expect(whole.hasPrefix("des (0,54,27)"))
    for questions in [10, 40, 80] {
      exploration.resumes = nil
      #expect(try stop(exploration, after: questions) == nil)
      exploration.resumes = try ExplorationCheckpoint(path)
      #expect(try exploration.run().graph?.get() == whole)
    }
  }

  /// Why a checkpoint is not gone on from.
  private func refusal(_ exploration: Exploration) throws -> String {
    var exploration = exploration
    exploration.resumes = try ExplorationCheckpoint(path)
    let error = #expect(throws: ExplorationError.self) { try exploration.run() }
    return error?.description ?? ""
  }

  @Test("a checkpoint of another flow, of changed text or of other bounds is rejected")
  func others() throws {
    var bounded = try exploration()
    bounded.bounds.states = 5_000
    #expect(try stop(bounded, after: 100) == nil)
    #expect(try refusal(exploration()).contains("other bounds: use --max-states 5000"))
    var changed = try exploration(CheckpointTests.mixed + "\n-- more\n")
    changed.bounds.states = 5_000
    #expect(try refusal(changed).contains("flow.lua has changed since: explore again"))
    #expect(try ExplorationCheckpoint(path).isOf(changed))
    let other = try Exploration(
      try LoadedFlow(source: "state { n = 0 }\naction.a {}", name: "b.lua"))
    #expect(try !ExplorationCheckpoint(path).isOf(other))
    #expect(try refusal(other).contains("it belongs to flow.lua, not to b.lua"))
  }

  @Test("a checkpoint is rejected if a module of the exploration file has changed")
  func modules() throws {
    let explored = try Explored(
      EnginePairTests.wide,
      """
      local few = require "few"
      explore("all", function() always("few", few) end)
      """)
    func write(_ most: Int) throws {
      let module = explored.file.deletingLastPathComponent().appending(path: "few.lua")
      try "return function(s) return s.a < \(most) end".write(
        to: module, atomically: true, encoding: .utf8)
    }
    try write(7)
    let first = try #require(try explored.explorations().first)
    #expect(try stop(first, after: 100) == nil)
    try write(8)
    let second = try #require(try explored.explorations().first)
    #expect(try refusal(second).contains("few.lua has changed since"))
  }

  @Test("a checkpoint of another build is rejected")
  func build() throws {
    let now = try exploration().identity
    var writer = ValueWriter()
    now.write(to: &writer)
    var bytes = writer.bytes
    bytes[8] ^= 1
    let other = try bytes.withUnsafeBytes { bytes in
      var reader = ValueReader(bytes)
      return try CheckpointIdentity(from: &reader)
    }
    #expect(other.difference(to: now)?.contains("another build of moonlatch") == true)
    #expect(now.difference(to: now) == nil)
  }

  @Test("a checkpoint that is truncated or has a changed byte is rejected")
  func damage() throws {
    #expect(try stop(try exploration(Explored.counter), after: 3) == nil)
    let bytes = try [UInt8](Data(contentsOf: URL(filePath: path)))
    #expect(bytes.count > 1_000)
    for count in bytes.indices {
      try Data(bytes[..<count]).write(to: URL(filePath: path))
      #expect(throws: ExplorationError.self) { try ExplorationCheckpoint(path) }
    }
    for position in stride(from: 0, to: bytes.count, by: 3) {
      var changed = bytes
      changed[position] ^= UInt8(1 << (position % 8))
      try Data(changed).write(to: URL(filePath: path))
      #expect(throws: ExplorationError.self) { try ExplorationCheckpoint(path) }
    }
  }

  @Test("a missing checkpoint and files of other formats are reported and left alone")
  func foreign() throws {
    let missing = #expect(throws: ExplorationError.self) { try ExplorationCheckpoint(path) }
    #expect(missing?.description == "\(path) cannot be read: there is no such file")
    try "mine".write(toFile: path, atomically: true, encoding: .utf8)
    let foreign = #expect(throws: ExplorationError.self) { try ExplorationCheckpoint(path) }
    #expect(foreign?.description.contains("is not a checkpoint") == true)
    var exploration = try exploration()
    exploration.checkpoint = CheckpointPlan(path, every: .zero)
    #expect(throws: OutputFile.Refused.self) { try exploration.run() }
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "mine")
  }
}
