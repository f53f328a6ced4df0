import FlowKernel
import LuaRuntime
import Testing

@testable import Scenarios

/// Cases that are open at the same time and share one engine.
@Suite struct CaseStageTests {
  /// Locals, prints at the start, chance, the clock, passages, machines, large states, errors and limits.
  private static let flow = """
    print("loaded")
    state { n = 0, at = 0.0, dice = 0, names = map {}, lines = list {} }
    local calls, kept = 0, {}
    action.add { amount = optional(integer), note = optional(string { pattern = "^%a?" }) }
    action.take {}
    action.ring {}
    action.fill {}
    gatekeeper.desk { fill = "attempt", take = "reset" }
    machine.bell { initial = "off", off = { add = "on", fill = "off" }, on = { add = "on", fill = "on", ring = "off" } }
    function reduce.add(s, a)
      calls = calls + 1
      kept[#kept + 1] = a.note or "none"
      s.n, s.at, s.dice = (s.n + (a.amount or calls)) % 61, now(), random(1, 6)
      s.lines[#s.lines + 1] = { calls = calls, note = a.note or "" }
      print("added", s.n, s.at, s.dice, #kept)
    end
    function gate.take(s)
      local who, since = gatekeeper.desk:holder()
      return s.dice > 2, "dice " .. s.dice .. " by " .. tostring(who) .. " since " .. tostring(since)
    end
    function reduce.ring(s)
      if s.n == 3 then error("three at " .. now()) end
      if s.n == 4 then while true do end end
    end
    function reduce.fill(s)
      for i = 1, 200 do s.names["name " .. i .. " of " .. calls] = string.rep("x", i) end
      s.n = #table.concat(kept)
    end
    function view.n(s) return s.n end
    function invariant.small(s) return s.n < 60, "n is " .. s.n .. " at " .. s.at end
    """

  private static func rows(seed: Int) -> [[String]] {
    var dice = Dice(seed)
    return (0..<150).map { step in
      [
        "case \(dice.roll(9))", dice.pick(["add", "add", "add", "take", "ring", "fill", "kick"]),
        "2020-01-01 \(10 + step / 60):\(10 + step % 50):0\(dice.roll(9))",
        dice.pick(["", "1", "2", "3", "x"]), dice.pick(["", "a", "ü", "9"]),
      ]
    }
  }

  @Test("cases that are open at the same time have the same outcomes as alone", arguments: 0..<6)
  func alone(seed: Int) throws {
    let rows = CaseStageTests.rows(seed: seed)
    var limits = Limits()
    limits.instructionsPerDispatch = 50_000
    func outcomes(_ rows: [[String]], _ isFresh: Bool) throws -> [String: [String]] {
      let played = try Replayed(KnownCasesTests.csv(rows), flow: CaseStageTests.flow) {
        $0.isInterleaved = true
        $0.isFresh = isFresh
        $0.limits = limits
      }
      var outcomes: [String: [String]] = [:]
      for line in played.lines {
        let json = line.prefix { $0 != "\n" }
        guard var fields = try? JSONText.value(of: String(json)).recordValue,
          let name = fields["case"]?.stringValue
        else { continue }
        fields["line"] = nil
        outcomes[name, default: []].append(Value.record(fields).text(limit: 1_000))
      }
      #expect(outcomes.values.reduce(0) { $0 + $1.count } == rows.count)
      outcomes["printed"] = played.printed.sorted()
      return outcomes
    }
    let together = try outcomes(rows, false)
    #expect(together == (try outcomes(rows, true)))
    var printed: [String] = []
    for (name, own) in Dictionary(grouping: rows, by: { $0[0] }) {
      let alone = try outcomes(own, true)
      #expect(together[name] == alone[name])
      printed += alone["printed"] ?? []
    }
    #expect(together["printed"] == printed.sorted())
    #expect(printed.count > rows.count / 4)
  }

  @Test("a flow with open scopes uses a separate VM for each case")
  func scopes() throws {
    let flow = """
      state { key = none }
      scope.desk { key = function(s) return s.key end }
      action.add {}
      action.take {}
      function reduce.add(s) s.key = "k" .. now() end
      function gate.take(s) return s.key ~= nil, "no key" end
      """
    let stage = try CaseStage(
      LoadedFlow(source: flow), Limits(), isSilent: true, print: { _ in })
    #expect(!stage.isShared)
    let plain = try CaseStage(
      LoadedFlow(source: "action.add {}"), Limits(), isSilent: true, print: { _ in })
    #expect(plain.isShared)
  }
}
