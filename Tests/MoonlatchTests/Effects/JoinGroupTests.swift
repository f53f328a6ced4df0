import FlowHosting
import LuaRuntime
import Testing

/// Concurrent functions in an effect: `all` and `race`.
@Suite struct JoinGroupTests {
  /// Plays `go`, whose effect is the body, and gives what was printed after each of the waits.
  private func lines(
    _ body: String, after waits: [Double] = [], limits: Limits = Limits()
  ) throws -> [String] {
    let trial = try trial(body, limits: limits)
    try trial.play("go")
    for wait in waits { try trial.advance(wait) }
    return trial.printed.take() + trial.told()
  }

  private func trial(_ body: String, limits: Limits = Limits()) throws -> Trial {
    try Trial(
      """
      state { seen = list {} }
      action.go {} action.note { text = string } action.stop {}
      function reduce.note(s, a) s.seen[#s.seen + 1] = a.text end
      local function later(seconds, value)
        return function() sleep(seconds) return value end
      end
      local function watched(name, seconds)
        return function()
          local guard <close> = setmetatable({}, { __close = function() print("closed " .. name) end })
          sleep(seconds)
          print("done " .. name)
          return name
        end
      end
      function effect.go(self, a)
      \(body)
      end
      """, limits: limits)
  }

  @Test("all runs its functions concurrently and returns each result by name")
  func all() throws {
    let found = try lines(
      """
      local r = all { a = later(3, "x"), b = later(2, 7), c = function() end }
      print(now(), r.a, r.b, r.c)
      local l = all { later(1, "first"), function() return "second", "more" end }
      print(now(), #l, l[1], l[2])
      """, after: [10])
    #expect(found == ["3.0\tx\t7\tnil", "4.0\t2\tfirst\tsecond"])
  }

  @Test("functions start in the order of pairs, each after the first wait of the one before")
  func order() throws {
    let found = try lines(
      """
      local function say(n) return function() print(n) sleep(1) print(n .. "!") end end
      all { b = say "b", a = function() print "a" all { y = say "y", x = say "x" } end, c = say "c" }
      print "end"
      """, after: [1])
    #expect(found == ["a", "x", "y", "b", "c", "x!", "y!", "b!", "c!", "end"])
  }

  @Test("race returns the winner's name and result, and closes the variables of the others")
  func race() throws {
    let found = try lines(
      """
      print(race { slow = watched("slow", 9), quick = watched("quick", 2) })
      print(now())
      """, after: [2, 20])
    #expect(found == ["done quick", "closed quick", "closed slow", "quick\tquick", "2.0"])
  }

  @Test("a function that ends without waiting wins a race, and later functions never start")
  func immediately() throws {
    let found = try lines(
      """
      local who, what = race {
        a = watched("a", 5), b = function() return { 1, 2 } end, c = function() print "never" end,
      }
      print(who, #what)
      """, after: [9])
    #expect(found == ["closed a", "b\t2"])
  }

  @Test("an error stops the other functions and is raised unchanged by all or race")
  func error() throws {
    let found = try lines(
      """
      local ok, why = pcall(all, {
        a = watched("a", 5), b = function() sleep(1) error({ code = 7 }) end,
      })
      print(now(), ok, why.code)
      print(pcall(function()
        return race { a = watched("a", 5), b = function() error("at once", 0) end }
      end))
      all { a = watched("a", 5), b = function() sleep(1) local x = nil + 1 end }
      """, after: [1, 1])
    #expect(
      found == [
        "closed a", "1.0\tfalse\t7", "closed a", "false\tat once", "closed a",
        "effect.go did not finish: flow.lua:23: attempt to perform arithmetic on a nil value",
      ])
  }

  @Test("functions can wait in nested functions and in pcall, and use upvalues")
  func nested() throws {
    let found = try lines(
      """
      local r = all {
        a = function()
          local ok, name, v = pcall(race, { x = later(2, "x"), y = later(1, "y") })
          return { ok, name, v }
        end,
        b = function() return all { later(3, 1), later(1, 2) } end,
      }
      print(now(), r.a[1], r.a[2], r.a[3], r.b[1], r.b[2])
      """, after: [9])
    #expect(found == ["3.0\ttrue\ty\ty\t1\t2"])
  }

  @Test("functions call capabilities, each awaited separately, and a lost race cancels its calls")
  func capabilities() async throws {
    let provider = Provider(heedsCancellation: true)
    let trial = try Trial(
      """
      state { answer = none }
      action.go {} action.done { who = string, what = string }
      function reduce.done(s, a) s.answer = a.who .. ": " .. a.what end
      view.answer = function(s) return s.answer end
      function effect.go(self)
        local who, what = race {
          card = function() return self:ask("card") end, cash = function() return self:ask("cash") end,
        }
        dispatch.done { who = who, what = what }
      end
      """
    ) { scopes in
      scopes.root.provide("ask") { (what: String) async throws in try await provider.ask(what) }
    }
    try await trial.waiting(for: "answer") {
      try trial.play("go")
      Task {
        await provider.isAsked(times: 2)
        provider.answer("paid", to: 2)
      }
    }
    #expect(try trial.state("answer") == "\(provider.asked[1]): paid".asValue)
    await provider.isCancelled()
    #expect(provider.cancelled == [provider.asked[0]])
  }

  @Test("stopping an effect stops all its functions, innermost first")
  func stopped() throws {
    let trial = try Trial(
      """
      state { open = true, why = none }
      action.go {} action.leave {} action.lost { error = string }
      scope.s { key = function(s) return s.open end, actions = { "go" } }
      function reduce.leave(s) s.open = false end
      function reduce.lost(s, a) s.why = a.error end
      local function watched(name)
        return function()
          local guard <close> = setmetatable({}, { __close = function() print("closed " .. name) end })
          sleep(5)
        end
      end
      effect.go = {
        run = function()
          local guard <close> = setmetatable({}, { __close = function() print("closed all") end })
          all { a = watched "a", b = function() all { c = watched "c", d = watched "d" } end }
        end,
        on_error = "lost",
      }
      """)
    try trial.play("go")
    let pendingWork = try trial.host.pendingWork.map(\.description)
    #expect(pendingWork == ["effect.go waits (#1)"])
    #expect(try trial.host.pendingWork.first?.dueSeconds == 5)
    try trial.play("leave")
    #expect(trial.printed.take() == ["closed a", "closed c", "closed d", "closed all"])
    #expect(try trial.state("why") == "scope s is closed (since leave, #2)")
    try trial.advance(9)
    #expect(trial.printed.take() == [])
  }

  @Test("undo, a reload and the end of the host stop an effect with its functions")
  func ends() throws {
    let body = "all { a = watched('a', 5), b = function() race { c = watched('c', 5) } end }"
    let undone = try trial(body)
    try undone.play("go")
    try undone.host.undo()
    #expect(undone.printed.take().sorted() == ["closed a", "closed c"])
    #expect(undone.told() == ["effect.go of #1 was stopped: going to #0"])
    let ended = try trial(body)
    try ended.play("go")
    let pendingWork = try ended.host.stop().map(\.description)
    #expect(pendingWork == ["effect.go waits (#1)"])
    #expect(ended.printed.take().sorted() == ["closed a", "closed c"])
  }

  @Test("dispatches and timers of a function belong to its effect")
  func dispatching() throws {
    let trial = try trial(
      """
      all {
        a = function() dispatch.note { text = "a" } sleep(1) after(1, "note", { text = "late" }) end,
        b = function() sleep(1) dispatch.note { text = "b" } end,
      }
      """)
    try trial.play("go")
    try trial.advance(3)
    #expect(try trial.state("seen") == ["a", "b", "late"])
    #expect(try trial.host.commits.map(\.cause) == [nil, 1, 1, 1])
  }

  @Test("all of nothing returns nothing; race of nothing, or of no function, is an error")
  func misuse() throws {
    let found = try lines(
      """
      print(next(all {}))
      print(pcall(race, {}))
      print(pcall(all))
      print(pcall(race, { a = 1, b = print }))
      """)
    #expect(
      found == [
        "nil", "false\tflow.lua:17: race needs at least one function",
        "false\tflow.lua:18: all takes functions by name: all { a = function() ... end, b = f }",
        "false\tflow.lua:19: race: a is a number, not a function",
      ])
    let trial = try trial("")
    for phase in ["function reduce.go() all {} end", "function gate.go() race {} return true end"] {
      let host = try FlowHost(source: "state {} action.go {}\n" + phase)
      let failure = try #require(try host.failure())
      #expect(failure.message.contains("cannot run functions concurrently; only an effect can"))
    }
    try trial.play("go")
  }

  @Test("a flow's own all and race take precedence")
  func own() throws {
    let trial = try Trial(
      """
      action.go {}
      local function race() return "local" end
      function all() return "global" end
      function effect.go() print(all {}, race {}) end
      """)
    try trial.play("go")
    #expect(trial.printed.take() == ["global\tlocal"])
  }

  @Test("an own coroutine and a comparator cannot wait for functions")
  func elsewhere() throws {
    let found = try lines(
      """
      print(coroutine.resume(coroutine.create(function() all { a = print } end)))
      print(pcall(table.sort, { 2, 1 }, function() all { a = print } end))
      """)
    #expect(found.count == 2)
    #expect(found[0].contains("only the effect itself can wait"))
    #expect(found[1].contains("cannot wait inside a comparator"))
  }

  @Test("more functions than the limit of effects are rejected before any starts")
  func tooMany() throws {
    var limits = Limits()
    limits.effects = 10
    let many = "local t = {} for i = 1, %d do t[i] = watched(i, 1) end print(pcall(all, t))"
    let eleven = try lines(many.replacing("%d", with: "11"), limits: limits)
    #expect(
      eleven == [
        "false\tflow.lua:16: 11 functions at once are too many: 10 effects may wait"
      ])
    #expect(
      try lines(
        "local t = {} for i = 1, 6 do t[i] = function() all { watched(i, 1), watched(i, 1) } end end"
          + " print(pcall(all, t))", limits: limits
      ).last?.contains("10 effects may wait") == true)
    let million = "local t = {} for i = 1, 1e6 do t[i] = print end print(pcall(race, t))"
    let found = try lines(million)
    #expect(found.count == 1)
    #expect(found[0].contains("functions at once are too many"), "\(found)")
  }

  @Test("functions nested a thousand deep use no stack of the host")
  func deep() throws {
    let body = """
      local function nest(depth)
        if depth == 0 then sleep(1) return 1 end
        return all { n = function() return nest(depth - 1) end }.n + 1
      end
      print(nest(1000))
      """
    let found = try LeastStack.run { try lines(body, after: [1]) }
    #expect(found == ["1001"])
    let dropped = try LeastStack.run {
      let trial = try trial(body)
      try trial.play("go")
      try trial.host.undo()
      return trial.told()
    }
    #expect(dropped == ["effect.go of #1 was stopped: going to #0"])
  }

  @Test("functions nested too deeply are rejected there, and the others continue")
  func deeper() throws {
    let found = try lines(
      """
      local deepest = 0
      local function nest(depth)
        deepest = depth
        local passed, why = pcall(all, { n = function() return nest(depth + 1) end })
        if not passed then print(why) end
        return depth
      end
      nest(1)
      print(deepest)
      """)
    #expect(found.count == 2 && found.last == "1001")
    #expect(found[0].hasSuffix("all and race are nested more than 1000 deep"), "\(found)")
  }

  @Test("an endless function ends its whole effect at the limit, which pcall cannot catch")
  func endless() throws {
    var limits = Limits()
    limits.instructionsPerDispatch = 100_000
    let found = try lines(
      "pcall(all, { a = watched('a', 1), b = function() while true do end end }) print 'on'",
      limits: limits)
    #expect(found.last?.contains("effect.go did not finish") == true)
    #expect(!found.contains("on"))
  }

  @Test("a function may cancel timers, and one race may follow another")
  func interwoven() throws {
    let found = try lines(
      """
      local t = after(3, "note", { text = "late" })
      print(race {
        a = function() sleep(1) return t:cancel() end, b = watched("b", 2),
      })
      for i = 1, 3 do print(race { a = later(i, i), b = later(2, "b") }) end
      """, after: [20])
    #expect(found == ["closed b", "a\ttrue", "a\t1", "a\t2", "b\tb"])
  }
}

extension String {
  fileprivate var asValue: Value { .string(self) }
}
