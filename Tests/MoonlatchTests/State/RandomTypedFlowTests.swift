import LuaRuntime
import Testing

@testable import FlowKernel

/// Reducers that write to a typed state at random.
@Suite struct RandomTypedFlowTests {
  static let flow = """
    local item = { sku = string { max_length = 3 }, qty = integer { min = 0, default = 1 },
      tags = list_of { string, max_length = 2 }, size = optional { w = number, h = number } }
    state {
      open = list_of { item, max_length = 6 }, done = list_of(item), byName = map_of { item, max_length = 5 },
      grid = map_of { list_of(integer { max = 9 }), key = integer { min = 1 } },
      pos = { x = integer { default = 0 }, free = 1 }, best = optional(item), any = any { default = 0 },
    }
    action.step { seed = integer }
    -- A failed dispatch takes the flow's own generator back: this one goes by the payload.
    local at = 0
    local function random(low, high)
      if high == nil then low, high = 1, low end
      at = (at * 1103515245 + 12345) % 2147483648
      return low + (at >> 8) % (high - low + 1)
    end
    local function new()
      local it = { sku = ("x"):rep(random(0, 4)) }
      if random(2) == 1 then it.qty = random(-1, 3) + (random(4) == 1 and 0.5 or 0) end
      if random(3) == 1 then it.tags = { "a", random(5) == 1 and 7 or "b" } end
      if random(3) == 1 then it.size = { w = random(3), h = random(5) == 1 and "wide" or 2.5 } end
      if random(9) == 1 then it.typo = true end
      return it
    end
    local function some(list) return #list > 0 and list[random(#list)] or nil end
    local ops = {
      function(s) table.insert(s.open, random(#s.open + 1), new()) end,
      function(s) table.insert(s.open, { sku = "ok", qty = random(9) }) end,
      function(s) if #s.open > 0 then table.insert(s.done, table.remove(s.open, random(#s.open))) end end,
      function(s) s.byName[("abc"):sub(random(3), 3)] = new() end,
      function(s) s.byName[("abc"):sub(random(3), 3)] = nil end,
      function(s) s.byName.a = some(s.open) end,
      function(s) s.best = some(s.done) end,
      function(s) s.best = random(2) == 1 and new() or nil end,
      function(s) local it = some(s.open); if it then it.qty = random(-1, 9) / random(2) end end,
      function(s) local it = some(s.open); if it then it.tags[#it.tags + 1] = "t" end end,
      function(s) local it = some(s.done); if it then it.size = it.size or { w = 1, h = 1 }; it.size.w = it.size.w * 2 end end,
      function(s) s.grid[random(0, 3)] = { 1, random(12) } end,
      function(s) local row = s.grid[random(3)]; if row then row[#row + 1] = random(10) end end,
      function(s) s.pos = { x = random(3), free = "else" } end,
      function(s) s.pos.x = s.pos.x + random(-1, 1) * 1.0 end,
      function(s) s.open, s.done = s.done, s.open end,
      function(s) s.any = { s.open[1], deep = nil } end,
      function(s) s.open = {} end,
      function(s) table.sort(s.done, function(a, b) return a.qty < b.qty end) end,
    }
    function reduce.step(s, a)
      at = a.seed
      for _ = 1, random(5) do
        if random(2) == 1 then ops[random(#ops)](s) else pcall(ops[random(#ops)], s) end
      end
    end
    """

  @Test(
    "the whole state fits its types after each transition, and undo and redo restore it",
    arguments: 0..<12)
  func fits(seed: UInt64) throws {
    let loaded = try LoadedFlow(source: Self.flow)
    let trial = try Trial(Self.flow, limits: Limits(history: 200), seed: seed)
    var states = [try trial.host.state()]
    var failed = 0
    for step in 0..<150 {
      let before = states[states.count - 1]
      let outcome = try trial.host.dispatch(
        "step", ["seed": .integer(step * 7919 + Int(seed) * 104_729)])
      let now = try trial.host.state()
      let misfits = loaded.flow.types.misfits(in: now) { _, _ in true }
      #expect(misfits.isEmpty, "\(outcome)")
      if outcome.commit == nil {
        failed += 1
        #expect(now == before, "\(outcome)")
      } else {
        states.append(now)
      }
    }
    #expect(failed > 10 && states.count > 10)
    for state in states.dropLast().reversed() {
      try trial.host.undo()
      #expect(try trial.host.state() == state)
    }
    for state in states.dropFirst() {
      try trial.host.redo()
      #expect(try trial.host.state() == state)
    }
  }
}
