import LuaRuntime
import Platform
import Testing

@testable import FlowKernel
@testable import FlowLanguage

/// A case that is restored after each turn, compared with one that is not.
@Suite struct RestoredEngineTests {
  /// A case that is kept as entries, and that a new engine takes up after each.
  private final class Restarted {
    let flow: LoadedFlow
    let born = 1_700_000_000_000_000
    var reports: [String] = []
    var entries: [[UInt8]] = []
    private(set) var engine: Engine

    init(_ flow: LoadedFlow) throws {
      self.flow = flow
      engine = try Engine(flow, limits: Limits(), log: ScriptLog { _ in }, seed: 7)
      hear()
      engine.startRecording()
      try keep()
    }

    private func hear() { engine.report = { [unowned self] in reports.append($0.description) } }

    func keep() throws { if let entry = try engine.takeEntry() { entries.append(entry) } }

    /// The image that the entries add up to.
    var image: CaseImage {
      get throws {
        var image = try CaseImage(image: entries[0])
        for entry in entries.dropFirst() { try image.take(entry: entry) }
        return image
      }
    }

    func restart() throws {
      try keep()
      let image = try image
      let then = try comparable(engine)
      engine = try Engine(flow, limits: Limits(), log: ScriptLog { _ in }, seed: 7)
      try engine.take(image)
      for (part, before) in zip(try comparable(engine), then) { #expect(part == before) }
      hear()
      engine.startRecording()
      engine.resume()
      // As a journal does now and then: entries go on behind a snapshot.
      if entries.count > 20 { entries = [] }
      if let entry = try engine.takeEntry(), entries.isEmpty { entries.append(entry) }
    }

    /// The contents of an engine, without pending effects.
    private func comparable(_ engine: Engine) throws -> [String] {
      var caseState = ValueWriter()
      caseState.write(engine.caseState)
      return [
        "\(engine.revision)", "\(engine.derived.configuration)", "\(engine.derived.historyValues)",
        "\(engine.caseState.numbers)",
        "\(engine.caseState.scopeInstances)", "\(caseState.bytes)",
        "\(try engine.vm.stateBytes(after: []))",
      ]
    }
  }

  private func played(
    _ source: LoadedFlow, seed: UInt64, turns: Int, texts: [String] = []
  ) throws {
    let live = try Engine(source, limits: Limits(), log: ScriptLog { _ in }, seed: 7)
    var reports: [String] = []
    live.report = { reports.append($0.description) }
    let restarted = try Restarted(source)
    var payloads = RandomPayloads(chance: SeededRandom(seed: seed))
    if !texts.isEmpty { payloads.texts = texts }
    for turn in 1...turns {
      let step: String
      if payloads.pick(6) == 0 {
        let seconds = [0.5, 1, 3, 10, 60, 200][payloads.pick(6)]
        step = "advance(\(seconds))"
        live.advance(seconds)
        restarted.engine.advance(seconds)
      } else {
        let actions = source.flow.actions
        let action = actions[payloads.pick(actions.count)]
        let payload = payloads.payload(of: action.payload)
        step = "\(action.name) \(payload)"
        let (one, other) = (
          live.dispatchAndSettle(action.name, payload),
          restarted.engine.dispatchAndSettle(action.name, payload)
        )
        try #require("\(one)" == "\(other)", "turn \(turn), seed \(seed): \(step)")
        if case .passed(let commit) = one, case .passed(let again) = other {
          #expect(commit.writes == again.writes, "turn \(turn), seed \(seed): \(step)")
        }
      }
      try restarted.restart()
      let engine = restarted.engine
      try #require(
        try live.vm.stateBytes(after: []) == engine.vm.stateBytes(after: []),
        "turn \(turn), seed \(seed): \(step)")
      try #require("\(live.pendingWork)" == "\(engine.pendingWork)", "turn \(turn): \(step)")
      #expect(live.caseState.random == engine.caseState.random)
      try #require(reports.count == restarted.reports.count, "turn \(turn): \(step)")
      for (one, other) in zip(reports, restarted.reports) { try #require(one == other) }
    }
  }

  private static let gatekeepers = """
    state { id = none, texts = map {}, list = list {}, rolls = 0.0, calls = 0 }
    action.write { at = integer { min = 1, max = 5 }, text = string }
    action.push { text = string } action.pull {} action.turn {}
    action.enter {} action.leave {} action.open {} action.close {} action.sit {} action.rise {}
    machine.door {
      initial = "closed",
      closed = { open = "opened" },
      opened = { close = "closed", after = { close = 30 }, every = { turn = 7 } },
    }
    gatekeeper.seat { sit = { attempt = "a" }, rise = { reset = "a" }, write = { unless = "none" },
      pull = { attempt = "none", reset = "none" } }
    scope.room { key = function(s) return s.id end, actions = { "leave" } }
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
    function effect.sit() after(5 + random(10), "rise") after(8, "rise") end
    function effect.write(self, a) if random(3) == 1 then dispatch.pull() end end
    """

  private static func flow(_ name: String) throws -> LoadedFlow {
    switch name {
    case "keepers": try LoadedFlow(source: gatekeepers)
    case "crossing": try LoadedFlow(source: ExampleMachines.crossing)
    case "lobby": try LoadedFlow(source: ExampleMachines.lobby)
    case "approval": try LoadedFlow(source: ExampleMachines.approval)
    case "tcp": try LoadedFlow(source: ExampleMachines.tcp)
    default:
      try LoadedFlow(
        URL(filePath: #filePath).deletingLastPathComponent()
          .appending(path: "../../../examples/\(name)"))
    }
  }

  @Test(
    "a case restored after each turn has the same patches, refusals, pending work and draws as a live one",
    arguments: [
      "keepers", "crossing", "lobby", "approval", "tcp", "elevator/elevator.lua",
      "lobby/lobby.lua", "approval/approval.lua", "turnstile/turnstile.lua",
      "oauth-device/device.lua", "counter/counter.lua",
    ], [1, 2] as [UInt64])
  func restored(name: String, seed: UInt64) throws {
    try played(try RestoredEngineTests.flow(name), seed: seed, turns: 60)
  }
}
