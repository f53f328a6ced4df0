import Testing

@testable import FlowExplore

/// Transitions whose runs share continuations, compared with a search that runs each of them in
/// each state.
@Suite("Continuations of transitions")
struct MoveContinuationTests {
  private func search(_ flow: String) throws -> (ExplorationReport, ReferenceSearch) {
    let explored = try Explored(flow, "explore(\"it\", { ends = function() return true end })")
    var exploration = try #require(try explored.explorations().first)
    exploration.collectsFaults = true
    exploration.verifies = true
    exploration.graph = .aldebaran
    let report = try exploration.run()
    exploration.playsAfter = 1
    let played = try exploration.run()
    // Graphs have the moves of states that were searched before something was forgotten, too.
    #expect(try report.graph?.get() == played.graph?.get())
    return (report, try ReferenceSearch(exploration, most: .max))
  }

  private func agree(_ flow: String, misses: UInt64 = .max) throws {
    let (report, plain) = try search(flow)
    #expect(report.states == plain.states)
    #expect(report.transitions == plain.transitions)
    #expect(report.found == plain.found)
    #expect(report.counts.misses < misses, "\(report.states) states")
  }

  @Test("a reducer that loops over a list needs few runs, whatever it inserts, removes and sums up")
  func cart() throws {
    try agree(
      """
      state { lines = list {}, total = 0 }
      action.add { sku = one_of { "a", "b" }, qty = integer { min = 1, max = 2 } }
      action.drop { at = integer { min = 1, max = 4 } }
      action.bump { at = integer { min = 1, max = 4 } }
      local price = { a = 3, b = 5 }
      local function sum(s) local t = 0 for _, l in ipairs(s.lines) do t = t + price[l.sku] * l.qty end return t end
      function gate.add(s) return #s.lines < 4, "full" end
      function gate.drop(s, a) return s.lines[a.at] ~= nil, "no" end
      function gate.bump(s, a) return s.lines[a.at] ~= nil and s.lines[a.at].qty < 2, "no" end
      function reduce.add(s, a) table.insert(s.lines, { sku = a.sku, qty = a.qty }); s.total = sum(s) end
      function reduce.drop(s, a) table.remove(s.lines, a.at); s.total = sum(s) end
      function reduce.bump(s, a) s.lines[a.at].qty = s.lines[a.at].qty + 1; s.total = sum(s) end
      function invariant.total(s) return s.total == sum(s) end
      """, misses: 1_600)
  }

  @Test("leaving a state gives the same result whether or not its effect is running")
  func endsOfStates() throws {
    try agree(
      """
      state { on = false }
      machine.lamp {
        initial = "off",
        off = {
          flip = "lit",
          always = { to = "lit", when = function(s) return not in_state(s, "lamp.off") end },
          effect = {
            on_error = "failed",
            run = function() race { function() sleep(1) end, function() sleep(2) end } end,
          },
        },
        lit = { flip = "off", tick = { to = "off", reenter = true } },
      }
      action.flip {}
      internal.tick {}
      internal.failed { error = string }
      function reduce.flip(s) s.on = not s.on end
      function reduce.failed(s) s.on = true end
      """)
  }

  @Test("leaving a state cancels the pending timer of its effect")
  func timersOfEffects() throws {
    try agree(
      """
      state { on = false }
      action.go {}
      action.load {}
      action.idle {}
      internal.late {}
      gate("once", { "load" }, function(s) return not s.on, "it is on" end)
      function reduce.load(s) s.on = true end
      effect.load = function() sleep(1) dispatch.late() end
      machine.m {
        initial = "rest",
        rest = { go = "work" },
        work = {
          initial = "busy",
          busy = { go = "done", effect = function() after(60, "late") end },
          done = {},
        },
      }
      """)
  }

  @Test(
    "a write of an equal value counts as a write, for dispatches of effects too",
    arguments: [
      "s.c = s.c % 3 if not s.f then s.c = 2 end",
      "s.c = s.c % 3 if s.f then return end s.c = 2",
      "s.row.c = s.row.c % 3 if not s.f then s.row.c = 2 end",
      "s.list[1] = s.list[1] % 3 if not s.f then s.list[1] = 2 end",
      "s.map.k = s.map.k % 3 if not s.f then s.map.k = 2 end",
      "s.row = s.row if not s.f then s.row.c = (s.row.c + 1) % 3 end",
      "s.text = s.text if not s.f then s.text = s.text == \"b\" and \"a\" or \"b\" end",
      "s.none = s.none if not s.f then s.none = not s.none or nil end",
    ], ["dispatch.flip()", "after(0, \"flip\")", "local _ = view.f() dispatch.flip()", "emit()"])
  func unchanged(body: String, effect: String) throws {
    try agree(
      """
      state {
        c = integer { min = 0, max = 2, default = 0 }, f = boolean { default = false }, row = { c = 0 }, list = { 0 },
        map = map { k = 0 }, text = one_of { "a", "b", default = "a" }, none = optional(boolean),
      }
      action.go {}
      action.flip {}
      action.set { v = integer { min = 0, max = 2 } }
      function view.f(s) return s.f end
      function reduce.go(s) \(body) end
      function reduce.flip(s) s.f = not s.f end
      function reduce.set(s, a) s.c = a.v s.row.c = a.v s.list[1] = a.v s.map.k = a.v end
      effect.go = { run = function(self, a, t) \(effect == "emit()" ? "" : effect) end }
      """)
  }

  /// Reducers over a list of numbers, of which each wants something else to be remembered of what it has read.
  @Test(
    "the writes of a reducer do not depend on values that its continuation does not hold",
    arguments: [
      // Writes of a value that was there before, and was read.
      "local x = s.n; for _, v in ipairs(s.at) do x = x < v and v or x end s.n = x",
      "local x = s.n > 1; for _, v in ipairs(s.at) do x = x or v > 1 end s.n = 2",
      // Elements that move, and have been read.
      "local n = 0 for _, v in ipairs(s.at) do n = n + v end if n > 3 then table.remove(s.at, 1) end",
      "table.remove(s.at, 1) local n = 0 for _, v in ipairs(s.at) do n = n + v end s.n = n % 3",
      "local x = table.remove(s.at, a.i) for _, v in ipairs(s.at) do if v == x then s.n = 1 return end end table.insert(s.at, 1, x)",
      "table.insert(s.at, a.i, 1) local n = 0 for _, v in ipairs(s.at) do n = n + v end s.n = n % 3",
      // Which keys there are.
      "for i = 1, #s.at do if s.at[i] == 2 then s.by[\"k\" .. i] = true end end",
      "for i = 1, #s.at do s.by[\"k\" .. i] = s.at[i] > 1 or nil end",
      "local n = 0 for _, v in ipairs(s.at) do n = n + v end s.last = n > 2 and \"many\" or nil",
      // Tables that come and go.
      "local n = 0 for _, v in ipairs(s.at) do n = n + v end s.box = { n = n % 2, of = { n > 2 } }",
      "s.box = { n = s.n, of = { s.n > 1 } } for _, v in ipairs(s.at) do if v == a.i then s.n = (s.n + 1) % 3 end end",
      "s.box.of[1] = not s.box.of[1] for _, v in ipairs(s.at) do if v == 2 then s.box = { n = v, of = {} } return end end",
      "local box = s.box for _, v in ipairs(s.at) do if v == 2 then box = { n = 0, of = { true } } end end s.box = box",
      // The order of elements.
      "table.sort(s.at) local last = 0 for i, v in ipairs(s.at) do if v == last then s.n = i % 3 end last = v end",
      "for i = 1, #s.at - 1 do if s.at[i] > s.at[i + 1] then s.at[i], s.at[i + 1] = s.at[i + 1], s.at[i] return end end",
      // Errors, and what is refused on the way.
      "local n = 0 for _, v in ipairs(s.at) do n = n + v end if n == 4 then error(\"four of \" .. #s.at) end",
      "for i, v in ipairs(s.at) do if v == 2 then s.n = s.at[i + 1] end end",
    ])
  func writes(body: String) throws {
    try agree(
      """
      state {
        at = { 0, 1, 2 }, n = integer { min = 0, max = 9, default = 0 }, by = map {}, last = optional(string),
        box = { n = 0, of = { false } },
      }
      action.turn { i = integer { min = 1, max = 3 } }
      action.set { v = integer { min = 0, max = 2 } }
      action.go { i = integer { min = 1, max = 2 } }
      function gate.turn(s, a) return s.at[a.i] ~= nil end
      function reduce.turn(s, a) s.at[a.i] = (s.at[a.i] + 1) % 3 end
      function reduce.set(s, a) s.n = a.v end
      function gate.go(s)
        local n = 0
        for _, v in ipairs(s.at) do n = n + v end
        return n > 0 and #s.at < 5 and #s.at > 1, "it has " .. n
      end
      function reduce.go(s, a) \(body) end
      """)
  }

  @Test("a continuation ends at a dispatch, a random draw or a call of the host")
  func host() throws {
    try agree(
      """
      state { at = { 0, 0, 0 }, n = 0, seen = 0 }
      machine.door { initial = "open", open = { go = "shut" }, shut = { back = "open" } }
      gatekeeper.once { go = "attempt", back = "reset" }
      action.turn { i = integer { min = 1, max = 3 } }
      action.go {}
      internal.back { n = integer { min = 0, max = 6 } }
      function reduce.turn(s, a) s.at[a.i] = (s.at[a.i] + 1) % 3 end
      function reduce.go(s)
        local n = random(0, 1)
        for _, v in ipairs(s.at) do n = n + v end
        s.n = n % 4
      end
      function view.sum(s) local n = 0 for _, v in ipairs(s.at) do n = n + v end return n end
      function effect.go() dispatch("back", { n = view.sum() }) end
      function reduce.back(s, a)
        for i, v in ipairs(s.at) do if v == 2 then s.seen = (a.n + i) % 3 return end end
      end
      """)
  }
}
