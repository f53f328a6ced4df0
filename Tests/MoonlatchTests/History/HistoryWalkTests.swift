import LuaRuntime
import Testing

@testable import FlowKernel
@testable import FlowLanguage

/// Random walks through the history, with undo, redo and new branches, which compare everything in
/// a revision.
@Suite struct HistoryWalkTests {
  private let flow = """
    state { id = none, texts = map {}, list = list {}, rolls = 0.0 }
    action.write { at = integer, text = string }
    action.push { text = string } action.pull {} action.turn {}
    action.enter {} action.leave {} action.later {} action.open {} action.close {} action.sit {} action.rise {}
    machine.door {
      initial = "closed",
      closed = { open = "opened" },
      opened = { close = "closed", after = { close = 30 } },
    }
    gatekeeper.seat { sit = { attempt = "a" }, rise = { reset = "a" }, write = { unless = "none" },
      pull = { attempt = "none", reset = "none" } }
    scope.room { key = function(s) return s.id end, actions = { "later", "leave" } }
    function reduce.write(s, a) s.texts[a.at] = { { a.text }, #s.list } s.rolls = s.rolls + random() end
    function reduce.push(s, a) table.insert(s.list, 1, { text = a.text, sub = { 1 } }) end
    function reduce.pull(s) if #s.list > 0 then table.remove(s.list) end end
    function reduce.turn(s)
      table.sort(s.list, function(one, other) return one.text > other.text end)
      if s.list[1] then s.list[1].sub = {} end
    end
    function reduce.enter(s) s.id = (s.id or 0) + 1 end
    function reduce.leave(s) s.id = none end
    function effect.enter() after(20, "leave") end
    function effect.sit() after(5 + random(10), "rise") end
    function view.held() return (gatekeeper.seat:holder("a")) or "nobody" end
    function view.first(s) return s.list[1] and s.list[1].text or "none" end
    function view.texts(s) local n = 0 for _ in pairs(s.texts) do n = n + 1 end return n end
    """

  /// The parts of a revision, each as text under its name.
  private func moment(_ engine: Engine) throws -> [String: String] {
    let (caseState, passages) = (engine.caseState, engine.caseState.passages)
    return [
      "state": try engine.state().text(limit: .max),
      "machines": "\(engine.derived.configuration)",
      "passages": "\(passages.options.map { "\($0.option) \(passages.time(of: $0))" }.sorted())",
      "timers": "\(caseState.timers.pending.map { "\($0.action?.name ?? "") \($0.due)" })",
      "generators": "\(caseState.random.state) \(caseState.effectRandom.state)",
      "time": "\(engine.time)",
      "openings": "\(caseState.scopeInstances.map(\.scope))",
      "views": "\(try ["held", "first", "texts"].map { try engine.view($0) })",
    ]
  }

  @Test(
    "a random walk through the history restores each revision completely",
    arguments: [1, 2] as [UInt64])
  func walk(seed: UInt64) throws {
    let limits = Limits(history: 150)
    let engine = try Engine(
      LoadedFlow(source: flow, limits: limits), limits: limits, log: ScriptLog { _ in })
    var chance = SeededRandom(seed: seed)
    var moments = [0: try moment(engine)]
    var longest = 0
    for step in 1...1_000 {
      let (before, reachable) = (engine.revision, engine.history.reachable)
      switch Int.random(in: 0..<20, using: &chance) {
      case 0: try engine.go(to: Int.random(in: reachable, using: &chance))
      case 1:
        try engine.go(to: Bool.random(using: &chance) ? reachable.lowerBound : reachable.upperBound)
      case 2, 3: if engine.revision > reachable.lowerBound { try engine.undo() }
      case 4, 5: if engine.revision < reachable.upperBound { try engine.redo() }
      default:
        let last = play(in: engine, &chance)
        if engine.revision == before { continue }
        // Of those between, and of what time has brought, nobody has seen what there was.
        for revision in before + 1...engine.revision { moments[revision] = nil }
        if last { moments[engine.revision] = try moment(engine) }
        continue
      }
      guard engine.revision != before, let then = moments[engine.revision] else { continue }
      let now = try moment(engine)
      for (part, text) in then {
        #expect(now[part] == text, "\(part) at step \(step), #\(engine.revision)")
      }
      // Mostly it goes on from the end: else the history would never be long.
      if Int.random(in: 0..<16, using: &chance) > 0 { try engine.go(to: reachable.upperBound) }
      longest = max(longest, reachable.count)
    }
    #expect(longest > 100)
  }

  /// Gives whether an action was dispatched.
  private func play(in engine: Engine, _ chance: inout SeededRandom) -> Bool {
    let length = [3, 300, 30_000].randomElement(using: &chance) ?? 0
    let text = Value.string(
      "\(Int.random(in: 0..<10, using: &chance))" + String(repeating: "x", count: length))
    let actions: [(String, Value)] = [
      ("write", ["at": .integer(Int.random(in: 1...5, using: &chance)), "text": text]),
      ("push", ["text": text]), ("pull", [:]), ("turn", [:]), ("enter", [:]), ("leave", [:]),
      ("open", [:]), ("close", [:]), ("sit", [:]), ("rise", [:]),
    ]
    if Int.random(in: 0..<8, using: &chance) == 0 {
      engine.advance(Double(Int.random(in: 1...8, using: &chance)))
      return false
    }
    let (name, payload) = actions[Int.random(in: actions.indices, using: &chance)]
    _ = engine.dispatchAndSettle(name, payload)
    return true
  }
}
