import Testing

private let loader = """
  state { url = none }
  action.load { after = number { default = 1 } } action.stop {} action.free {}
  action.loaded {} action.failed {} action.retry {}
  gatekeeper.phase {
    load   = { attempt = "loading", unless = "loaded" },
    loaded = { reset = "loading", attempt = "loaded" },
    failed = { reset = "loading" },
    stop   = { reset = "loading" },
    free   = { reset = "loaded" },
  }
  function effect.load(self, a) sleep(a.after) dispatch.loaded() end
  """

/// Rules of ContractOfHosts.md, section 6, as sentences with a test each.
@Suite("gatekeeper") struct GatekeeperDesignTests {
  @Test("A gatekeeper without options is yes/no, and one with options is a set of them.")
  func forms() throws {
    let yesNo = try Trial(
      """
      state {} action.load {} action.loaded {} action.failed {} action.peek {}
      gatekeeper.loading { load = "attempt", loaded = "reset", failed = "reset", peek = "unless" }
      """)
    #expect(try yesNo.play("load") == "load passed (#1)")
    #expect(
      try yesNo.play("load") == "refused by gatekeeper loading: the passage is held since load (#1)"
    )
    #expect(try yesNo.play("peek").hasPrefix("refused by gatekeeper loading: "))
    #expect(try yesNo.play("failed") == "failed passed (#2)")
    #expect(try yesNo.play("peek") == "peek passed (#3)")
    let options = try Trial(loader)
    try options.play("load")
    try options.advance(1)
    #expect(
      try options.play("load")
        == "refused by gatekeeper phase: \"loaded\" is held since loaded (#2)")
  }

  @Test(
    """
    The table is the whole policy: which action attempts a passage, under which condition, and \
    which resets it.
    """)
  func policy() throws {
    let trial = try Trial(loader)
    #expect(try trial.play("load") == "load passed (#1)")
    #expect(try trial.play("load").hasPrefix("refused by gatekeeper phase"))
    #expect(try trial.play("stop") == "stop passed (#2)")
    #expect(try trial.play("load") == "load passed (#3)")
    try trial.advance(1)
    #expect(try trial.play("load").hasPrefix("refused by gatekeeper phase"))
    try trial.play("free")
    #expect(try trial.play("load").hasSuffix("passed (#6)"))
  }

  @Test(
    """
    `attempt`, `reset` and `unless` take an option, a list of options (all or none), or a function \
    of `(s, a)` that returns one of these (`attempt = function(s, a) return a.url end`).
    """)
  func choices() throws {
    let trial = try Trial(
      """
      state {}
      action.get { url = string } action.got { url = string } action.both {} action.neither {}
      action.many { urls = list_of(string) } action.check { url = string }
      gatekeeper.net {
        get     = { attempt = function(s, a) return a.url end },
        got     = { reset = function(s, a) return a.url end },
        both    = { attempt = { "a", "b" } },
        neither = { reset = { "a", "b" } },
        many    = { attempt = function(s, a) return a.urls end },
        check   = { unless = function(s, a) return { a.url } end },
      }
      """)
    try trial.play("get", ["url": "b"])
    #expect(try trial.play("both") == "refused by gatekeeper net: \"b\" is held since get (#1)")
    #expect(try trial.play("get", ["url": "a"]) == "get passed (#2)")
    #expect(try trial.play("neither") == "neither passed (#3)")
    #expect(try trial.play("both") == "both passed (#4)")
    #expect(try trial.play("many", ["urls": ["c", "a"]]).contains("\"a\" is held since both (#4)"))
    #expect(try trial.play("get", ["url": "c"]) == "get passed (#5)")
    #expect(try trial.play("check", ["url": "c"]).contains("\"c\" is held since get (#5)"))
    #expect(try trial.play("got", ["url": "c"]) == "got passed (#6)")
    #expect(try trial.play("check", ["url": "c"]) == "check passed (#7)")
  }

  @Test("An entry with only `unless` is a pure check.")
  func check() throws {
    let trial = try Trial(
      """
      state {} action.take {} action.look {}
      gatekeeper.k { take = { attempt = "x" }, look = { unless = "x" } }
      """)
    try trial.play("look")
    #expect(try trial.play("take") == "take passed (#2)")
    #expect(try trial.play("look") == "refused by gatekeeper k: \"x\" is held since take (#2)")
  }

  @Test(
    """
    Checks come first and look at what is held before the action; nothing is taken when any of them \
    refuses; taking and resetting happen inside the transition.
    """)
  func atomic() throws {
    let trial = try Trial(
      """
      state { fails = false }
      action.seize {} action.swap {} action.two {} action.fail {} action.set {}
      gatekeeper.a { seize = { attempt = "x" }, swap = { reset = "x", unless = "x" },
        two = { attempt = "y" }, fail = { attempt = "z" } }
      gatekeeper.b { seize = { attempt = "x" }, two = { unless = "x" } }
      function reduce.fail(s) error("no") end
      function reduce.set(s) s.fails = gate end
      """)
    try trial.play("seize")
    #expect(try trial.play("swap") == "refused by gatekeeper a: \"x\" is held since seize (#1)")
    #expect(try trial.play("two") == "refused by gatekeeper b: \"x\" is held since seize (#1)")
    #expect(try trial.play("fail") == "flow.lua:6: no")
    let scenario = try Trial(
      """
      state {} action.two {} action.ask {} action.seize {}
      gatekeeper.a { two = { attempt = "y" } }
      gatekeeper.b { seize = { attempt = "x" }, two = { unless = "x" } }
      function effect.ask() print(gatekeeper.a:may_pass("y")) end
      """)
    try scenario.play("seize")
    try scenario.play("two")
    try scenario.play("ask")
    #expect(scenario.printed.all == ["true"])
  }

  @Test(
    """
    A passage remembers the transition that took it, and a refusal says so: \
    `refused by gatekeeper phase: "loading" is held since load (#41)`.
    """)
  func holder() throws {
    let trial = try Trial(
      """
      state {} action.load {} action.tick {}
      gatekeeper.phase { load = { attempt = "loading" } }
      """)
    for _ in 1...40 { try trial.play("tick") }
    try trial.play("load")
    #expect(
      try trial.play("load")
        == "refused by gatekeeper phase: \"loading\" is held since load (#41)")
  }

  @Test(
    """
    An action dispatched by an effect or a timer carries its cause, and with it, for each option, \
    the newest passage that the chain of causes took.
    """)
  func causes() throws {
    let trial = try Trial(loader)
    try trial.play("load")
    try trial.advance(1)
    #expect(try trial.host.commits.map(\.cause) == [nil, 1])
    #expect(try trial.host.commits.map(\.action) == ["load", "loaded"])
    let twice = try Trial(
      """
      state {} action.take {} action.again {} action.done {} action.other {}
      gatekeeper.k { take = { attempt = "x" }, again = { reset = "x", attempt = "x" },
        done = { reset = "x" } }
      function effect.take() after(1, "again") end
      function effect.again() after(1, "done") end
      """)
    try twice.play("take")
    try twice.advance(2)
    #expect(twice.told() == [])
    #expect(try twice.host.commits.map(\.cause) == [nil, 1, 2])
  }

  @Test(
    """
    A reset from such a chain passes only while that very passage is held; otherwise it is refused \
    as stale, so that a late completion can never free somebody else's passage.
    """)
  func overlapping() throws {
    let trial = try Trial(loader)
    try trial.play("load", ["after": 10])
    try trial.play("stop")
    try trial.play("load", ["after": 20])
    try trial.advance(10)
    #expect(
      trial.told() == [
        "loaded from the queue was refused by gatekeeper phase: stale: \"loading\" that this chain "
          + "took is now held since load (#3)"
      ])
    #expect(
      try trial.play("load") == "refused by gatekeeper phase: \"loading\" is held since load (#3)")
    try trial.advance(10)
    #expect(trial.told() == [])
    #expect(try trial.host.commits.last?.action == "loaded")
    #expect(try trial.host.commits.last?.cause == 3)
  }

  @Test("the completion of a cancelled upload is stale after the next upload has begun")
  func upload() throws {
    let trial = try Trial(
      """
      state { done = 0 }
      action.upload { works = boolean } action.failed {} action.retry {} action.abort {}
      action.uploaded {}
      gatekeeper.uploading { upload = "attempt", abort = "reset", uploaded = "reset" }
      function reduce.uploaded(s) s.done = s.done + 1 end
      function effect.upload(self, a) sleep(1) dispatch(a.works and "uploaded" or "failed") end
      function effect.failed() after(5, "retry") end
      function effect.retry() sleep(10) dispatch.uploaded() end
      """)
    try trial.play("upload", ["works": false])
    try trial.advance(7)
    #expect(try trial.host.commits.map(\.action) == ["upload", "failed", "retry"])
    #expect(try trial.play("abort") == "abort passed (#4)")
    try trial.advance(8.5)
    #expect(try trial.play("upload", ["works": true]) == "upload passed (#5)")
    try trial.advance(0.5)
    #expect(
      trial.told() == [
        "uploaded from the queue was refused by gatekeeper uploading: stale: the passage that this "
          + "chain took is now held since upload (#5)"
      ])
    #expect(try trial.state("done") == 0)
    try trial.advance(0.5)
    #expect(try trial.state("done") == 1)
    #expect(trial.told() == [])
  }

  @Test(
    """
    A dispatch from outside, and a chain that never took the option, resets whoever holds it; \
    resetting what nobody holds changes nothing.
    """)
  func resets() throws {
    let trial = try Trial(
      """
      state {} action.load {} action.stop {} action.watch {}
      gatekeeper.k { load = { attempt = "x" }, stop = { reset = "x" } }
      function effect.watch() dispatch.stop() end
      """)
    #expect(try trial.play("stop") == "stop passed (#1)")
    try trial.play("load")
    #expect(try trial.play("stop") == "stop passed (#3)")
    try trial.play("load")
    try trial.play("watch")
    #expect(trial.told() == [])
    #expect(try trial.play("load") == "load passed (#7)")
    #expect(try trial.host.commits.allSatisfy(\.writes.changes.isEmpty))
  }

  @Test(
    """
    An action may reset and attempt the same option: the passage is handed over, and what the \
    earlier holder still had under way is stale.
    """)
  func handedOver() throws {
    let trial = try Trial(
      """
      state {} action.load {} action.reload {} action.loaded {}
      gatekeeper.k { load = { attempt = "x" }, reload = { reset = "x", attempt = "x" },
        loaded = { reset = "x" } }
      function effect.load() after(5, "loaded") end
      """)
    try trial.play("load")
    #expect(try trial.play("reload") == "reload passed (#2)")
    #expect(try trial.play("load") == "refused by gatekeeper k: \"x\" is held since reload (#2)")
    try trial.advance(5)
    #expect(
      trial.told() == [
        "loaded from the queue was refused by gatekeeper k: stale: \"x\" that this chain took is "
          + "now held since reload (#2)"
      ])
  }

  @Test(
    """
    `gatekeeper.phase:may_pass("loading")` and `:holder("loading")` (nil, or action, revision, \
    time) can be read in rules, views, effects and scenarios; a yes/no keeper takes no option.
    """)
  func reading() throws {
    let trial = try Trial(
      """
      state { x = false } action.load {} action.stop {} action.ask {} action.ruled {} action.wrong {}
      gatekeeper.phase { load = { attempt = "loading" }, stop = { reset = "loading" } }
      gatekeeper.one { load = "attempt", stop = "reset" }
      function gate.ruled() return gatekeeper.phase:may_pass("loading"), "busy" end
      function view.busy() return not gatekeeper.one:may_pass() end
      function effect.ask() print(gatekeeper.phase:holder("loading")) print(gatekeeper.one:holder()) end
      function reduce.wrong(s) s.x = gatekeeper.one:may_pass() end
      """)
    try trial.play("ask")
    #expect(try trial.host.view("busy") == false)
    try trial.advance(2)
    try trial.play("load")
    #expect(try trial.host.view("busy") == true)
    #expect(try trial.play("ruled") == "refused by gate ruled: busy")
    try trial.play("ask")
    #expect(trial.printed.all == ["nil", "nil", "load\t2\t2.0", "load\t2\t2.0"])
    #expect(try trial.play("wrong").contains("a reducer cannot use a gatekeeper"))
  }
}
