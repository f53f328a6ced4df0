import FlowExplore
import FlowKernel
import Testing

/// Learning from runs: an exploration reaches the same states as a search without learning.
@Suite("Observed runs")
struct ObservedRunTests {
  private func compare(_ text: String) throws {
    let flow = try LoadedFlow(source: text)
    let exploration = try Exploration(flow)
    let plain = try ReferenceSearch(exploration, most: 2_000)
    let report = try exploration.run()
    #expect(plain.isWhole)
    #expect(report.states == plain.states)
    #expect(report.transitions - report.outside == plain.transitions)
    #expect(report.depth == plain.depth)
  }

  @Test("removing the last element of a list reads that element")
  func taken() throws {
    try compare(
      """
      state { queue = list_of { who = integer {} }, last = 0 }
      action.ask { who = integer { min = 1, max = 3 } }
      action.serve {}
      function gate.ask(s, a) return #s.queue < 2, "there are two" end
      function reduce.ask(s, a) table.insert(s.queue, { who = a.who }) end
      function gate.serve(s) return #s.queue > 0, "nobody is there" end
      function reduce.serve(s)
        local first = table.remove(s.queue, 1)
        s.last = first.who
      end
      """)
  }

  @Test("sorting a list reads its records")
  func sorted() throws {
    try compare(
      """
      state { rows = list_of { n = integer {} } }
      action.sort {}
      action.add { n = integer { min = 0, max = 1 } }
      function reduce.sort(s)
        table.sort(s.rows, function(one, other) return one.n < other.n end)
      end
      function reduce.add(s, a)
        if #s.rows < 2 then table.insert(s.rows, { n = a.n }) end
      end
      """)
  }

  @Test(
    "library functions that depend on the length of a list read the length",
    arguments: [
      "s.seen = #table.concat(s.line)", "s.seen = select(\"#\", table.unpack(s.line))",
      "s.seen = table.remove(s.line) or 0",
      "table.sort(s.line, function(one, other) return one < other end)",
      "if #s.line < 3 and not pcall(table.insert, s.line, 2, 1) then s.seen = 5 end",
      "table.move(s.line, 1, #s.line, 1)", "for _ in ipairs(s.line) do s.seen = 1 end",
      "s.seen = next(s.line) or 0", "for _ in pairs(s.line) do s.seen = 1 end",
    ])
  func lengths(_ line: String) throws {
    try compare(
      """
      state { line = list {}, seen = 0 }
      action.ask {}
      action.add { n = integer { min = 0, max = 1 } }
      action.clear {}
      function reduce.ask(s) \(line) end
      function gate.add(s) return #s.line < 3, "it is full" end
      function reduce.add(s, a) table.insert(s.line, a.n) end
      function reduce.clear(s) s.seen = 0 end
      """)
  }

  @Test("a replaced table that is used afterwards is read")
  func replaced() throws {
    try compare(
      """
      state { here = { n = 0 }, there = { n = 1 }, seen = 0 }
      action.count {}
      action.swap {}
      action.clear {}
      function reduce.count(s) s.here.n = (s.here.n + 1) % 3 end
      function reduce.swap(s) s.here, s.there = s.there, s.here end
      function reduce.clear(s)
        local old = s.there
        s.there = { n = 2 }
        s.seen = old.n
      end
      """)
  }

  @Test("a table that is moved and then written is read in its other fields")
  func moved() throws {
    try compare(
      """
      state {
        todo = list_of { id = integer {}, times = integer { default = 0 } },
        done = list_of { id = integer {}, times = integer { default = 0 } },
        sum  = 0,
      }
      action.add { id = integer { min = 1, max = 2 } }
      action.finish {}
      action.forget {}
      function gate.add(s) return #s.todo + #s.done < 3, "it is enough" end
      function reduce.add(s, a) table.insert(s.todo, { id = a.id, times = a.id }) end
      function gate.finish(s) return #s.todo > 0, "there is nothing to do" end
      function reduce.finish(s)
        local it = table.remove(s.todo)
        it.times = 1
        table.insert(s.done, it)
        s.sum = it.id + it.times
      end
      function gate.forget(s) return #s.done > 0, "nothing is done" end
      function reduce.forget(s)
        table.sort(s.done, function(one, other) return one.id < other.id end)
        local it = s.done[1]
        s.done = list {}
        s.sum = it.id
      end
      """)
  }

  @Test("a map whose keys are removed is read with its former content")
  func emptied() throws {
    try compare(
      """
      state { seats = map_of { { name = string { samples = { "ann", "bob" } } } }, who = "" }
      action.sit { seat = one_of { "a", "b" }, name = one_of { "ann", "bob" } }
      action.leave { seat = one_of { "a", "b" } }
      action.close {}
      function reduce.sit(s, a) s.seats[a.seat] = { name = a.name } end
      function gate.leave(s, a) return s.seats[a.seat], "nobody sits there" end
      function reduce.leave(s, a)
        local guest = s.seats[a.seat]
        s.seats[a.seat] = nil
        s.who = guest.name
      end
      function reduce.close(s)
        local seats = s.seats
        s.seats = {}
        local names = ""
        for _, key in ipairs { "a", "b" } do names = names .. (seats[key] and seats[key].name or "-") end
        s.who = names
      end
      """)
  }

  @Test("moved elements give the same states, whatever was written to them before or after")
  func spliced() throws {
    try compare(
      """
      state { line = list_of { who = integer {}, late = boolean { default = false } }, seen = 0 }
      action.join { who = integer { min = 1, max = 2 } }
      action.push { who = integer { min = 1, max = 2 } }
      action.serve {}
      action.skip { place = integer { min = 1, max = 3 } }
      local function has_room(s) return #s.line < 3, "it is full" end
      gate.join, gate.push = has_room, has_room
      function reduce.join(s, a) table.insert(s.line, { who = a.who }) end
      function reduce.push(s, a)
        table.insert(s.line, 1, { who = a.who })
        if s.line[2] then s.line[2].late = true end
      end
      function gate.serve(s) return #s.line > 1, "nobody waits" end
      function reduce.serve(s)
        local first = table.remove(s.line, 1)
        s.seen = s.line[1].who + first.who
        s.line[#s.line].late = not s.line[#s.line].late
      end
      function gate.skip(s, a) return #s.line >= a.place, "nobody is there" end
      function reduce.skip(s, a)
        local it = table.remove(s.line, a.place)
        it.late = true
        table.insert(s.line, it)
      end
      """)
  }

  @Test(
    "an element that is moved away and back is unchanged",
    arguments: [
      "table.insert(s.queue, 1, a.x); table.remove(s.queue, 1)",
      "if #s.queue > 1 then table.insert(s.queue, 1, table.remove(s.queue, 2)); table.insert(s.queue, 2, table.remove(s.queue, 1)) end",
      "s.queue[1] = a.x; table.insert(s.queue, 1, 0); table.remove(s.queue, 1)",
      "table.insert(s.queue, 1, 0); if #s.queue > 1 then s.queue[2] = a.x end; table.remove(s.queue, 1)",
    ])
  func back(_ change: String) throws {
    try compare(
      """
      state { queue = list {} }
      action.push { x = integer { min = 1, max = 2 } }
      action.both { x = integer { min = 1, max = 2 } }
      function gate.push(s) return #s.queue < 3 end
      function reduce.push(s, a) table.insert(s.queue, a.x) end
      function reduce.both(s, a)
        \(change)
      end
      """)
  }

  @Test("a record that is moved away and back, and then written, has the new value")
  func recordBack() throws {
    try compare(
      """
      state { queue = list_of { who = integer {}, n = integer { default = 0 } } }
      action.push { x = integer { min = 1, max = 2 } }
      action.both { x = integer { min = 1, max = 2 } }
      function gate.push(s) return #s.queue < 2 end
      function reduce.push(s, a) table.insert(s.queue, { who = a.x }) end
      function gate.both(s) return #s.queue > 0 end
      function reduce.both(s, a)
        table.insert(s.queue, 1, { who = 0 })
        table.remove(s.queue, 1)
        s.queue[1].n = a.x
      end
      """)
  }

  @Test("elements of any shape can be moved")
  func shapes() throws {
    try compare(
      """
      state { scalars = list_of(integer), mixed = list {}, deep = list_of { tags = list_of(integer), n = integer {} } }
      action.add { n = integer { min = 1, max = 2 } }
      action.shift {}
      action.sort {}
      function gate.add(s) return #s.scalars < 2, "it is full" end
      function reduce.add(s, a)
        table.insert(s.scalars, 1, a.n)
        table.insert(s.mixed, 1, a.n == 1 and { x = #s.mixed } or { y = 1 })
        table.insert(s.deep, 1, { tags = list { a.n, #s.deep }, n = a.n })
      end
      function gate.shift(s) return #s.scalars > 0, "it is empty" end
      function reduce.shift(s)
        table.remove(s.scalars, 1)
        table.remove(s.mixed, 1)
        local it = table.remove(s.deep, 1)
        if s.deep[1] then table.insert(s.deep[1].tags, 1, it.tags[1]); table.remove(s.deep[1].tags) end
      end
      function reduce.sort(s)
        table.sort(s.scalars)
        if #s.scalars == 2 then table.remove(s.scalars, 1); table.insert(s.scalars, 2) end
      end
      """)
  }
}
