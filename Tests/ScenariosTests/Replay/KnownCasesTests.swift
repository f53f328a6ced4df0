import Testing

@testable import Scenarios

/// Replays that reuse the results of earlier cases: only the time that they take changes.
@Suite struct KnownCasesTests {
  /// Rules, refusals, errors, machines, passages, chance, the clock and prints.
  private static let flows: [String] = [
    """
    print("loaded")
    state { n = 0, last = "" }
    action.add { amount = optional(integer), note = optional(string) }
    action.take { amount = integer { min = 1 } }
    action.ring {}
    machine.bell { initial = "off", off = { add = "on" }, on = { add = "on", ring = "off" } }
    function gate.take(s, a) return s.n >= a.amount, "only " .. s.n end
    function reduce.add(s, a) s.n = s.n + (a.amount or 1) s.last = a.note or "" end
    function reduce.take(s, a) s.n = s.n - a.amount print("took " .. a.amount, s.last) end
    function reduce.ring(s) if s.n == 3 then error("three") end end
    function invariant.small(s) return s.n < 6, "n is " .. s.n end
    """,
    """
    state { dice = 0, at = 0.0 }
    action.add { amount = optional(integer) }
    action.take {}
    action.ring {}
    gatekeeper.desk { add = "attempt", take = "reset" }
    function reduce.add(s) s.dice = random(1, 6) print("dice " .. s.dice) end
    function gate.ring(s)
      local who, _, time = gatekeeper.desk:holder()
      return not who or time >= 86400, "held since " .. tostring(time)
    end
    function gate.take(s) return s.dice > 2, "dice " .. s.dice end
    function reduce.take(s) s.at = now() end
    function invariant.early(s) return s.at < 3 * 86400, "at " .. s.at end
    """,
    """
    state { n = 0 }
    local calls = 0   -- no part of the state: what a flow must not do, and what must not matter
    action.add { amount = any }
    action.take {}
    action.ring {}
    function reduce.add(s, a) calls = calls + 1 s.n = calls end
    function gate.take(s) calls = calls + 1 return calls % 3 > 0, "call " .. calls end
    effect("echo", "*", function() dispatch.ring() end)
    """,
  ]

  private static func rows(seed: Int, isSorted: Bool) -> [[String]] {
    var dice = Dice(seed)
    var rows: [[String]] = []
    for number in 0..<40 {
      for step in 0..<dice.roll(6) + 1 {
        rows.append([
          "case \(isSorted ? number : dice.roll(12))",
          dice.pick(["add", "add", "add", "take", "ring", "kick", ""]),
          dice.roll(30) == 0 ? "then" : "2020-01-0\(step + 1) 0\(dice.roll(3)):00:00",
          dice.pick(["", "1", "2", "3", "x"]), dice.pick(["", "a", "b \"quoted\"", "ü"]),
        ])
      }
    }
    return rows
  }

  static func csv(_ rows: [[String]]) -> String {
    Replayed.header
      + rows.map { row in
        row.map { $0.contains("\"") ? "\"b \"\"quoted\"\"\"" : $0 }.joined(separator: ",") + "\n"
      }.joined()
  }

  private static func json(_ rows: [[String]]) -> String {
    let names = ["case", "do", "at", "amount", "note"]
    return rows.map { row in
      "{"
        + zip(names, row).map { name, cell in
          let isPlain = name == "amount" && Int(cell) != nil
          let text = "\"\(cell.split(separator: "\"").joined(separator: "\\\""))\""
          return "\"\(name)\":\(isPlain ? cell : text)"
        }.joined(separator: ",") + "}\n"
    }.joined()
  }

  @Test(
    "a replay with known cases reports, counts and prints the same as one without",
    arguments: 0..<3, 0..<8)
  func same(flow: Int, seed: Int) throws {
    for isSorted in [true, false] {
      let rows = KnownCasesTests.rows(seed: seed, isSorted: isSorted)
      for log in [KnownCasesTests.csv(rows), KnownCasesTests.json(rows)] {
        func played(_ isFresh: Bool) throws -> Replayed {
          try Replayed(log, flow: KnownCasesTests.flows[flow]) {
            $0.isFresh = isFresh
            $0.isInterleaved = !isSorted
          }
        }
        let historyValues = try played(false)
        #expect(historyValues == (try played(true)))
        #expect(historyValues.summary.rows == rows.count)
        #expect(historyValues.summary.passed > 0)
        #expect(historyValues.summary.refused > 0)
      }
    }
  }

  @Test("a case whose events are all known runs nothing, and repeats their outcomes")
  func remembers() throws {
    let flow = """
      action.add {}
      local calls = 0
      function reduce.add() calls = calls + 1 print("call " .. calls) end
      """
    let log = "case,do,at\n" + (0..<50).map { "c\($0),add,2020\nc\($0),add,2021\n" }.joined()
    let played = try Replayed(log, flow: flow) { $0.timeColumn = "" }
    #expect(played.printed == (0..<50).flatMap { _ in ["call 1", "call 2"] })
    #expect(played.counts.hasPrefix("50 cases, 50 of them fit whole\n100 rows: 100 passed"))
  }

  @Test("equal events at other times may have other outcomes if a script reads the clock")
  func clock() throws {
    let flow = """
      action.add {}
      action.wait {}
      function gate.wait() return now() < 60, "waited " .. now() end
      """
    let played = try Replayed(
      """
      case,do,at
      a,add,0
      a,wait,30
      b,add,0
      b,wait,90
      c,add,0
      c,wait,30
      """, flow: flow)
    #expect(played.counts.hasSuffix("6 rows: 5 passed, 1 refused, 0 failed, 0 malformed"))
    #expect(played.report.contains("waited 90.0"))
  }

  @Test("a passage has the time of its own case, even if no script read the time when it was taken")
  func passage() throws {
    let flow = """
      action.add {}
      action.wait {}
      gatekeeper.desk { add = "attempt" }
      function gate.wait()
        if gatekeeper.desk:may_pass() then return false, "nobody" end
        local _, _, time = gatekeeper.desk:holder()
        return false, "held since " .. time
      end
      """
    let played = try Replayed(
      """
      case,do,at
      a,wait,0
      a,add,5
      b,wait,0
      b,add,7
      b,wait,9
      """, flow: flow)
    #expect(played.report.contains("held since 7.0"))
  }

  @Test("lines that a flow prints while loading are printed for every case, at any length")
  func start() throws {
    let log = "case,do,at\na,add,0\nb,add,0\nc,add,0\n"
    for count in [1, 20_000] {
      let played = try Replayed(log, flow: "action.add {} print((\"x\"):rep(\(count)))")
      #expect(played.printed.map(\.utf8.count) == [count, count, count])
    }
  }
}
