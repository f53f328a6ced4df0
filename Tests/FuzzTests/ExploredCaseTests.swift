import FuzzTargets
import Testing

/// Explorations of random flows, compared with a search without learning.
///
/// Each path to a failure runs as a scenario that fails at its last line.
@Suite struct ExploredCaseTests {
  @Test(
    "exploration reaches the states of a plain search, and each finding is reproduced by a scenario",
    arguments: 1...8 as ClosedRange<UInt64>)
  func random(seed: UInt64) throws {
    var count = ExploredCase.Count()
    try ExploredCase.play(seed: seed, most: 60, &count)
    #expect(count.flows == 1)
  }

  /// Explores a flow, and gives how many scenarios were played.
  private func play(_ flow: String, _ exploration: String) throws -> Int {
    var count = ExploredCase.Count()
    try ExploredCase.play(flow, exploring: exploration, most: 500, &count)
    #expect(count.whole == 1)
    return count.counterexamples
  }

  /// A session that is closed while a page is loaded in it.
  private static let session = """
    state { user = optional(integer { min = 1, max = 2 }), busy = false, lost = 0 }
    action.login { id = integer { min = 1, max = 2 } }
    action.logout {}
    action.load { n = integer { min = 1, max = 2 } }
    internal.loaded { n = integer { min = 1, max = 2 } }
    internal.failed { n = integer { min = 1, max = 2 } }
    scope.session {
      key = function(s) return s.user end,
      actions = { "load" },
      make = { title = function(self) return "session" end },
    }
    function gate.login(s) return not s.user, "somebody is there" end
    function gate.load(s) return not s.busy and s.lost < 2, "one is loaded" end
    function reduce.login(s, a) s.user = a.id end
    function reduce.logout(s) s.user = none end
    function reduce.load(s) s.busy = true end
    function reduce.loaded(s) s.busy = false end
    function reduce.failed(s, a) s.busy = false; s.lost = a.n end
    effect.load = {
      on_error = "failed",
      run = function(self, a) sleep(1) dispatch.loaded { n = a.n } end,
    }
    """

  @Test("an effect whose scope closes does not finish, as in a running flow")
  func scopes() throws {
    let played = try play(
      ExploredCaseTests.session,
      """
      explore("it", function()
        never("lost", function(s) return s.lost == 2 end)
        always("nobody waits", function(s) return s.user or not s.busy end)
        step("lost by one who leaves", function(before, after, action)
          return after.lost == before.lost or action.name ~= "logout"
        end)
      end)
      """)
    #expect(played == 3)
  }

  @Test(
    "an effect among several of one name ends by its own payload, and also if its result is refused"
  )
  func names() throws {
    let flow = """
      state { one = "", two = "", last = 0 }
      action.load { n = integer { min = 1, max = 2 } }
      internal.loaded { n = integer { min = 1, max = 2 } }
      function gate.load(s, a)
        return s.last < 2 and (a.n == 1 and s.one or s.two) == "", "it is loaded"
      end
      function gate.loaded(s, a) return a.n == 2 or s.two == "there", "not yet" end
      function reduce.load(s, a)
        if a.n == 1 then s.one = "waits" else s.two = "waits" end
        s.last = a.n
      end
      function reduce.loaded(s, a) if a.n == 1 then s.one = "there" else s.two = "there" end end
      effect.load = function(self, a) sleep(1) dispatch.loaded { n = a.n } end
      """
    let played = try play(
      flow,
      """
      explore("it", function()
        never("two alone", function(s) return s.one == "waits" and s.two == "there" end)
        never("both", function(s) return s.one == "there" and s.two == "there" end)
      end)
      """)
    #expect(played > 1)
  }

  @Test("a run that leaves the bounds leaves only unsatisfied liveness properties undecided")
  func leaving() throws {
    for body in [
      "s.on = true s.n = (s.n + 1) % 4", "s.n = (s.n + 1) % 4",
      "s.on = s.n == 1 s.n = (s.n + 1) % 4",
    ] {
      _ = try play(
        """
        state { on = boolean { default = false }, n = integer { min = 0, max = 3, default = 0 } }
        action.go {}
        action.back {}
        function reduce.go(s) \(body) end
        function reduce.back(s) s.on = false end
        """,
        """
        explore("it", { within = function(s) return s.n < 2 end }, function()
          leads_to("on", function(s) return s.n < 2 end, function(s) return s.on end, { fair = { "go", "back" } })
          eventually("on", function(s) return s.on end)
        end)
        """)
    }
  }

  @Test("a loop that violates liveness is played once")
  func loops() throws {
    let played = try play(
      """
      state { n = 0 }
      machine.lamp {
        initial = "off",
        off = { flip = "on" },
        on = { flip = "off", after = { { 5, "off" } } },
      }
      action.flip {}
      action.count {}
      function gate.count(s) return s.n < 2 end
      function reduce.count(s) s.n = s.n + 1 end
      """,
      """
      explore("it", function()
        eventually("two", function(s) return s.n == 2 end, { fair = { "flip" } })
        leads_to("off again", function(s) return s.lamp == "on" end,
          function(s) return s.n == 1 end)
      end)
      """)
    #expect(played == 2)
  }

  /// It counts the seconds that have passed when somebody asks, and something is due after four.
  private static let clock = """
    state { asked = 0, rung = false }
    action.ask {}
    action.start {}
    internal.ring {}
    function gate.start(s) return s.asked == 0 and not s.rung, "it is too late" end
    function reduce.ask(s) s.asked = now() end
    function reduce.ring(s) s.rung = true end
    machine.alarm {
      initial = "idle",
      idle = { start = "set" },
      set = { ring = "idle", after = { ring = 4 } },
    }
    """

  @Test("bounded time is part of a state, with the declared steps, and can be read")
  func time() throws {
    let played = try play(
      ExploredCaseTests.clock,
      """
      explore("it", { time = { up_to = 6, step = 3 } }, function()
        never("asked at the stop before it rings", function(s) return s.asked == 3 and not s.rung end)
        never("rung, and asked at the end", function(s) return s.rung and s.asked == 6 end)
        always("in time", function(s) return s.asked <= 6 end)
        sometimes("asked as it rings", function(s) return s.asked == 4 end)
      end)
      """)
    #expect(played == 2)
  }

  @Test("an invariant violated before queued actions run is found")
  func invariants() throws {
    let played = try play(
      """
      state { n = 0, m = 0 }
      action.up {}
      internal.back {}
      function gate.up(s) return s.n < 4 end
      function reduce.up(s) s.n = s.n + 1 end
      function reduce.back(s) s.m = s.n end
      function invariant.close(s) return s.n - s.m < 1 or s.n < 3, "they are apart" end
      function effect.up() dispatch.back() end
      """, "explore(\"it\", function() end)")
    #expect(played == 1)
  }

  @Test("the effect of a record's state ends with its record")
  func records() throws {
    let played = try play(
      """
      state { jobs = map_of { { n = integer { default = 0 } }, key = string {}, max_length = 1 }, ran = 0 }
      action.add { id = one_of { "a" } }
      action.drop { id = one_of { "a" } }
      internal.done { id = string { samples = { "a" } } }
      machine.job {
        each = "jobs", which = "id", without = { add = true }, initial = "runs",
        runs = { done = "rests", effect = { run = function(self, a, it, key) sleep(1) dispatch.done { id = key } end } },
        rests = {},
        add = true, drop = true,
      }
      function reduce.add(s, a) s.jobs[a.id] = { n = 1 } end
      function reduce.drop(s, a) s.jobs[a.id] = nil end
      function reduce.done(s) s.ran = math.min(1, s.ran + 1) end
      """, "explore(\"it\", function() never(\"ran\", function(s) return s.ran == 1 end) end)")
    #expect(played == 1)
  }
}
