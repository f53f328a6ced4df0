import LuaRuntime
import Testing

@testable import FlowExplore
@testable import FlowKernel

/// Timers of states, each of which is a separate part of the state.
@Suite("Timers of states")
struct StateTimerTests {
  private static func exploration(_ flow: TimedFlow) throws -> (Explored, Exploration) {
    let explored = try Explored(flow.text, "explore(\"it\", { \(flow.options) })")
    return (explored, try #require(try explored.explorations().first))
  }

  @Test(
    "learning and execution give the same states and transitions",
    arguments: 1...16 as ClosedRange<UInt64>)
  func same(seed: UInt64) throws {
    let flow = TimedFlow(seed: seed)
    var (_, exploration) = try StateTimerTests.exploration(flow)
    exploration.bounds.depth = 6
    exploration.verifies = true
    let plain = try ReferenceSearch(exploration, most: .max, levels: 6)
    for limit in [nil, 10] {
      exploration.playsAfter = limit
      let report = try exploration.run()
      #expect(report.states == plain.states, "\(flow.text)")
      #expect(report.transitions - report.outside == plain.transitions, "\(flow.text)")
    }
  }

  /// A timer as far as its order shows.
  private static func title(_ timer: PendingTimer, due: Int) -> String {
    "\(timer.action?.name ?? "") of \(timer.owner) in \(due)"
  }

  @Test(
    "the canonical form of a state orders its timers by when they are due",
    arguments: 1...16 as ClosedRange<UInt64>)
  func order(seed: UInt64) throws {
    let flow = TimedFlow(seed: seed)
    let (_, exploration) = try StateTimerTests.exploration(flow)
    let player = try ReferenceEngine(exploration.flow, exploration.setup)
    var random = SeededRandom(seed: seed)
    var state = try player.begin()
    let moves = exploration.setup.moves + [.time]
    for _ in 0..<100 {
      let move = moves[Int(random.next() >> 1) % moves.count]
      let run = try player.play(move, from: state)
      let (caseState, form) = (player.engine.caseState, run.state.canonical)
      #expect(
        form.timers.map { StateTimerTests.title($0, due: $0.due) }
          == caseState.timers.pending.map {
            StateTimerTests.title($0, due: $0.due - caseState.clock.now)
          }, "\(flow.text)")
      #expect(form.nextDue == form.timers.first?.due)
      var writer = ValueWriter()
      for (part, content) in form.parts {
        part.write(to: &writer)
        content.write(to: &writer)
      }
      let read = try StateTimerTests.parts(form.parts.count, in: writer.bytes)
      #expect(read == form.parts)
      if case .passed = run.ending { state = run.state }
      try player.engine.load(state: state.tree, state.canonical)
      #expect(player.engine.canonicalState() == state.canonical, "\(flow.text)")
    }
  }

  private static func parts(
    _ count: Int, in bytes: [UInt8]
  ) throws -> [CanonicalState.Part: CanonicalState.Content] {
    try bytes.withUnsafeBytes { bytes in
      var reader = ValueReader(bytes)
      var parts: [CanonicalState.Part: CanonicalState.Content] = [:]
      for _ in 0..<count {
        let part = try CanonicalState.Part(from: &reader)
        parts[part] = try CanonicalState.Content(from: &reader)
      }
      #expect(reader.isAtEnd)
      return parts
    }
  }

  /// Machines with timers: a flow in which none has a say in what another does.
  private static func machines(_ delays: [Int]) -> String {
    let machines = delays.enumerated().map { number, delay in
      """
      action.go\(number) {}
      action.stop\(number) {}
      internal.end\(number) {}
      machine.m\(number) {
        initial = "idle",
        idle    = { go\(number) = "busy" },
        busy    = { after = { end\(number) = \(delay) }, end\(number) = "idle", stop\(number) = "idle" },
      }
      """
    }
    return "state {}\n" + machines.joined(separator: "\n")
  }

  /// How often what a move does was not known, but for time.
  private static func misses(_ flow: String) throws -> [String: Int] {
    var exploration = try Exploration(try LoadedFlow(source: flow))
    var misses: [String: Int] = [:]
    exploration.finished = { states in
      for (trie, missed) in states.session.missed {
        guard case .move(.action(let name, _)) = states.session.asked[Int(trie)] else { continue }
        misses[name] = missed.count
      }
    }
    let report = try exploration.run()
    #expect(report.isSearched && report.played <= 1)
    return misses
  }

  @Test("the decisions of a machine depend on its own timers only")
  func locality() throws {
    let two = try StateTimerTests.misses(StateTimerTests.machines([2, 3]))
    let four = try StateTimerTests.misses(StateTimerTests.machines([2, 3, 4, 5]))
    #expect(two["go0"] == 2 && two["stop1"] == 4)
    for (name, count) in two { #expect(four[name] == count) }
  }

  @Test("of timers with equal delays, the first that was set fires first")
  func first() throws {
    let flow = """
      state { first = 0 }
      action.go1 {} action.go2 {} internal.end1 {} internal.end2 {}
      function reduce.end1(s) if s.first == 0 then s.first = 1 end end
      function reduce.end2(s) if s.first == 0 then s.first = 2 end end
      machine.m1 { initial = "idle", idle = { go1 = "busy" }, busy = { after = { end1 = 2 } } }
      machine.m2 { initial = "idle", idle = { go2 = "busy" }, busy = { after = { end2 = 2 } } }
      """
    let report = try Explored.report(
      """
      explore("it", function()
        step("in order", function(before, after, action)
          return after.first == 0 or before.first ~= 0 or action.name == "time passes"
        end)
        sometimes("one", function(s) return s.first == 1 end)
        sometimes("two", function(s) return s.first == 2 end)
      end)
      """, of: flow)
    #expect(report.verdicts.allSatisfy { $0.outcome == .holds }, "\(report.text("it"))")
    // Idle; one busy, also with both in either order; a second later; and the ends.
    let plain = try ReferenceSearch(try Exploration(try LoadedFlow(source: flow)), most: 100)
    #expect(report.states == plain.states)
  }
}
