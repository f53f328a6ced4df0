import Testing

@testable import FlowHosting
@testable import FlowKernel
@testable import LuaRuntime

/// Lists of records that one transaction changes in many ways, restored from the journal's patches.
@Suite struct RestoredListsTests {
  private let flow = """
    local row = { n = integer { min = 0, max = 5 }, on = boolean, sub = { list = list_of { integer } } }
    state {
      rows = list_of { row, max_length = 3 }, more = list_of { row }, named = map_of { row }, best = optional(row),
      parts = list_of { list_of { integer } },
    }
    local change = {
      function(rows) if #rows > 1 then rows[1], rows[2] = rows[2], rows[1] end end,
      function(rows) for i = 1, #rows do rows[i].n = (rows[i].n + i) % 6 end end,
      function(rows) if #rows < 3 then table.insert(rows, 1, { n = 3, on = true, sub = { list = { 1 } } }) end end,
      function(rows) if #rows < 3 then table.insert(rows, { n = 4, on = false, sub = { list = { } } }) end end,
      function(rows) table.sort(rows, function(x, y) return x.n < y.n end) end,
      function(rows) for _, row in ipairs(rows) do row.on = not row.on end end,
      function(rows) if #rows > 1 then table.remove(rows, 1) end end,
      function(rows) if #rows > 2 then rows[2], rows[3] = rows[3], rows[2] end end,
      function(rows) if rows[1] then rows[1] = { n = 5 - rows[1].n, on = rows[1].on, sub = rows[1].sub } end end,
      function(rows, s) if #rows > 1 then table.insert(s.more, 1, table.remove(rows)) end end,
      function(rows, s) if s.more[1] and #rows < 3 then table.insert(rows, 1, table.remove(s.more, 1)) end end,
      function(rows, s) if rows[1] then s.named.a, rows[1] = rows[1], s.named.a or rows[1] end end,
      function(rows, s) s.named.b, s.named.a = s.named.a, s.named.b end,
      function(rows, s) s.best = rows[2] or s.named.a end,
      function(rows, s) if s.best then s.best.n = (s.best.n + 1) % 6; table.insert(s.best.sub.list, s.best.n) end end,
      function(rows) for _, row in ipairs(rows) do table.insert(row.sub.list, row.n) end end,
      function(rows) if #rows > 1 then rows[1].sub, rows[2].sub = rows[2].sub, rows[1].sub end end,
      function(rows, s) for _, row in ipairs(s.more) do row.on = not row.on; row.sub.list = { row.n } end end,
      function(rows, s) table.sort(s.more, function(x, y) return x.n > y.n end) end,
      function(rows, s) for _, row in pairs(s.named) do row.n = 5 - row.n end end,
    }
    local function part(s, number) for _, index in ipairs(s.parts[number] or {}) do change[index](s.rows, s) end end
    action.plan { parts = list_of { list_of { integer } } }
    function reduce.plan(s, a) s.parts = a.parts end
    action.step {}
    function reduce.step(s) part(s, 1) end
    machine.one {
      initial = "on",
      on = {
        step = { to = "on", reenter = true, reduce = function(s) part(s, 2) end },
        on_exit = function(s) part(s, 3) end, on_enter = function(s) part(s, 4) end,
        initial = "inner", inner = { on_exit = function(s) part(s, 5) end, on_enter = function(s) part(s, 6) end },
      },
    }
    """

  @Test(
    "a list of records is restored exactly after many writes",
    arguments: 1...40 as ClosedRange<UInt64>)
  func restored(seed: UInt64) throws {
    let loaded = try LoadedFlow(source: flow)
    let journal = MemoryJournal()
    let options = HostOptions(clock: .virtual, report: { _ in })
    var random = SeededRandom(seed: seed)
    var played: [[[Int]]] = []
    var host = try FlowHost(loaded, journal: journal, case: "c", options: options)
    for _ in 0..<50 {
      let parts = (0..<6).map { _ in
        (0..<Int.random(in: 0...4, using: &random)).map { _ in
          Int.random(in: 1...20, using: &random)
        }
      }
      played.append(parts)
      try host.dispatch("plan", ["parts": .list(parts.map { .list($0.map(Value.integer)) })])
      let planned = try host.state()
      let outcome = try host.dispatch("step")
      #expect(outcome.isPassed, "\(outcome)")
      let before = try host.state()
      try host.undo()
      #expect(try host.state() == planned, "undone after \(parts)")
      try host.redo()
      #expect(try host.state() == before, "done again after \(parts)")
      host = try FlowHost(loaded, journal: journal, case: "c", options: options)
      let after = try host.state()
      #expect(after == before, "after \(played.suffix(1)), \(played.count) plans")
      if after != before { return }
    }
  }
}
