import FlowHosting
import Testing

/// A user scope with nested messages, whose effects run the function in their payload's `run`.
private func app(_ more: String = "") -> String {
  """
  state { session = none, message = none, n = 0 }
  action.log_in { id = integer } action.log_out {} action.show { id = optional(integer) }
  action.rename {} action.inside {} action.outside {} action.bump {}
  local kept = {}
  scope.root { make = { clock = function(self) return { name = "clock" } end } }
  scope.user {
    key = function(s) return s.session and s.session.id end,
    actions = { "rename", "log_out", "inside" },
    private = { "secret" },
    make = {
      profile = function(self) return { title = "user " .. self.key } end,
      secret = function(self) return "hidden" end,
      open_secret = function(self) return self:secret() end,
    },
  }
  scope.message { parent = "user", key = function(s) return s.message end, actions = { "show_it" },
    make = { title = function(self) return self.parent:profile().title .. "/" .. self.key end } }
  action.show_it {}
  function reduce.log_in(s, a) s.session = { id = a.id } end
  function reduce.log_out(s) s.session = nil end
  function reduce.show(s, a) s.message = a.id end
  function reduce.bump(s) s.n = s.n + 1 end
  \(more)
  """
}

private func scopes(_ scopes: inout HostScopes) {
  scopes.root.provide("fetch") { (url: String) in "got \(url)" }
  scopes["user"].provide("save") { (text: String) in "saved \(text)" }
}

/// Rules of ContractOfHosts.md, section 8, as sentences with a test each.
@Suite("scope") struct ScopeDesignTests {
  @Test(
    """
    A scope is open in a state when its `key(s)` and those of its parents are neither nil nor \
    false; step 2 asks exactly this, so what is open follows from the state alone.
    """)
  func open() throws {
    let trial = try Trial(app())
    #expect(
      try trial.play("rename")
        == "refused by scope user: it is locked: scope user needs its key")
    try trial.play("show", ["id": 3])
    #expect(
      try trial.play("show_it")
        == "refused by scope message: it is locked: scope user needs its key")
    try trial.play("log_in", ["id": 1])
    #expect(try trial.play("rename") == "rename passed (#3)")
    #expect(try trial.play("show_it") == "show_it passed (#4)")
    try trial.host.undo(3)
    #expect(try trial.play("rename").hasPrefix("refused by scope user"))
    let keyed = try Trial(
      """
      state { on = false } action.turn {} action.use {}
      scope.s { key = function(s) return s.on end, actions = { "use" } }
      function reduce.turn(s) s.on = not s.on end
      """)
    #expect(try keyed.play("use").hasPrefix("refused by scope s"))
    try keyed.play("turn")
    #expect(try keyed.play("use") == "use passed (#2)")
  }

  @Test(
    """
    Keys are compared by value: a changed key closes the scope and opens a new one, so let the key \
    be what must not change (an id).
    """)
  func keys() throws {
    let trial = try Trial(
      """
      state { id = { n = 1 }, name = "a" } action.set { n = integer } action.hold {} action.use {}
      local held
      scope.s { key = function(s) return s.id end, actions = { "hold", "use" } }
      function reduce.set(s, a) s.id = { n = a.n } end
      function effect.hold(self) held = self end
      function effect.use(self) print(self == held, pcall(function() return held.key.n end)) end
      """)
    try trial.play("hold")
    try trial.play("set", ["n": 1])
    try trial.play("use")
    try trial.play("set", ["n": 2])
    try trial.play("use")
    #expect(
      trial.printed.all == [
        "true\ttrue\t1", "false\tfalse\tflow.lua:6: scope s is closed (since set, #4)",
      ])
  }

  @Test(
    """
    `root` is always open; `scope.root { make = ... }` may be declared, without key and parent.
    """)
  func root() throws {
    let trial = try Trial(app("function effect.outside(self) print(self:clock().name) end"))
    try trial.play("outside")
    #expect(trial.printed.all == ["clock"])
    #expect(
      faults(of: "state {} action.a {} scope.root { key = function() return 1 end }") == [
        "flow.lua:1: scope root is always open and has no key"
      ])
    #expect(
      faults(of: "state {} action.a {} scope.root { parent = 'x' } scope.x { key = print }") == [
        "flow.lua:1: scope root is always open and has no parent"
      ])
  }

  @Test("An action belongs to at most one scope.")
  func owner() {
    #expect(
      faults(
        of: """
          state {} action.a {}
          scope.x { key = function() end, actions = { "a" } }
          scope.y { key = function() end, actions = { "a" } }
          scope.root { actions = { "a" } }
          """) == [
          "flow.lua:2: action a has two owners: scope root (flow.lua:4) and scope x",
          "flow.lua:3: action a has two owners: scope root (flow.lua:4) and scope y",
        ])
  }

  @Test(
    """
    Each opening has one instance: `key`, `parent`, its factories as methods (a new thing for each \
    call), and the capabilities that the host provides to the scope.
    """)
  func instance() throws {
    let trial = try Trial(
      app(
        """
        function effect.inside(self)
          print(self.key, self.parent:clock().name, self:profile() == self:profile(), self:save("x"))
          if kept.user then print(kept.user == self) end
          kept.user = self
        end
        """), scopes: scopes)
    try trial.play("log_in", ["id": 7])
    try trial.play("inside")
    try trial.play("inside")
    let line = "7\tclock\tfalse\tsaved x"
    #expect(trial.printed.all == [line, line, "true"])
  }

  @Test(
    """
    A name is looked up in the scope, then in its parents; children see parents, never the reverse; \
    `private = { "name" }` keeps factories from children.
    """)
  func lookUp() throws {
    let trial = try Trial(
      app(
        """
        function effect.show_it(self)
          print(self:title(), self:clock().name, self:fetch("u"), self:save("v"), self:open_secret())
          print(pcall(function() return self:secret() end))
        end
        function effect.outside(self) print(pcall(function() return self:profile() end)) end
        function effect.inside(self) print(self:secret()) end
        """), scopes: scopes)
    try trial.play("log_in", ["id": 7])
    try trial.play("show", ["id": 3])
    try trial.play("show_it")
    try trial.play("outside")
    try trial.play("inside")
    #expect(
      trial.printed.all == [
        "user 7/3\tclock\tgot u\tsaved v\thidden",
        "false\tflow.lua:25: scope message has no secret",
        "false\tflow.lua:27: scope root has no profile", "hidden",
      ])
  }

  @Test(
    """
    `self:unlock("user")` hands an effect of the parent the instance; `self:unlock("user", key)` \
    makes another by hand, which lets no action pass and closes with the effect at the latest.
    """)
  func unlock() throws {
    let trial = try Trial(
      app(
        """
        function effect.outside(self)
          local own = self:unlock("user", 9)
          kept.own = own
          print(own:profile().title)
          sleep(1)
          print(own:profile().title)
        end
        function effect.bump(self) print(self:unlock("user"):profile().title) end
        function effect.show() print(pcall(function() return kept.own:profile() end)) end
        """))
    try trial.play("outside")
    #expect(try trial.play("rename").hasPrefix("refused by scope user"))
    try trial.advance(1)
    try trial.play("show")
    try trial.play("log_in", ["id": 7])
    try trial.play("bump")
    #expect(
      trial.printed.all == [
        "user 9", "user 9",
        "false\tflow.lua:31: scope user is closed (since the end of effect.outside, #1)", "user 7",
      ])
  }

  @Test("Unlocking without a key raises `scope user is locked: it needs its key`.")
  func locked() throws {
    let trial = try Trial(
      app(
        """
        function effect.outside(self)
          print(pcall(function() return self:unlock("user") end))
          print(pcall(function() return self:unlock("user", nil) end))
          print(pcall(function() return self:unlock("user", false) end))
        end
        """))
    try trial.play("outside")
    #expect(
      trial.printed.all
        == (24...26).map { "false\tflow.lua:\($0): scope user is locked: it needs its key" })
  }

  @Test(
    """
    A scope closes when its key is gone or changed and with its parent; one made by hand also at \
    `<close>` and `:close()`.
    """)
  func closing() throws {
    let trial = try Trial(
      app(
        """
        function effect.inside(self) kept.user = self end
        function effect.show_it(self) kept.message = self end
        function effect.bump()
          for _, name in ipairs { "user", "message" } do
            print(name, pcall(function() return kept[name].key end))
          end
        end
        function effect.outside(self)
          local one = self:unlock("user", 1)
          do local two <close> = self:unlock("user", 2) kept.two = two end
          one:close()
          one:close()
          print(pcall(function() return one.key end))
          print(pcall(function() return kept.two.key end))
        end
        """))
    try trial.play("log_in", ["id": 7])
    try trial.play("show", ["id": 3])
    try trial.play("inside")
    try trial.play("show_it")
    try trial.play("show", ["id": 4])
    try trial.play("bump")
    try trial.play("show_it")
    try trial.play("log_in", ["id": 8])
    try trial.play("bump")
    try trial.play("outside")
    let place = "flow.lua:27: scope"
    #expect(
      trial.printed.all == [
        "user\ttrue\t7", "message\tfalse\t\(place) message is closed (since show, #5)",
        "user\tfalse\t\(place) user is closed (since log_in, #8)",
        "message\tfalse\t\(place) message is closed (since log_in, #8)",
        "false\tflow.lua:35: scope user is closed (since close(), #10)",
        "false\tflow.lua:36: scope user is closed (since close(), #10)",
      ])
  }

  @Test(
    """
    Children close first, newest first; `self:defer(f)` clean-ups run last in, first out, while \
    capabilities still work.
    """)
  func cleanUps() throws {
    let trial = try Trial(
      app(
        """
        function effect.inside(self)
          self:defer(function() print("user 1", self:save("it")) end)
          self:defer(function() print("user 2", self:profile().title) end)
          for n = 1, 2 do
            local child = self:unlock("message", n)
            child:defer(function() print("message", child.key, child:save("c")) end)
          end
          sleep(5)
        end
        """), scopes: scopes)
    try trial.play("log_in", ["id": 7])
    try trial.play("inside")
    try trial.play("log_out")
    #expect(trial.told() == [])
    #expect(
      trial.printed.all == [
        "message\t2\tsaved c", "message\t1\tsaved c", "user 2\tuser 7", "user 1\tsaved it",
      ])
  }

  @Test(
    """
    After closing, every method and capability of the scope raises, however it was captured: \
    `scope user is closed (since log_out, #12)`; plain data stays; only `parent` can still be read, \
    so that the effect of `log_out` can do its work.
    """)
  func revoked() throws {
    let trial = try Trial(
      app(
        """
        function effect.inside(self)
          kept.self, kept.save, kept.make, kept.defer = self, self.save, self.profile, self.defer
          kept.profile = self:profile()
        end
        local function told(f) print((select(2, pcall(f)))) end
        function effect.log_out(self)
          told(function() return kept.self:save("x") end)
          told(function() return kept.save(kept.self, "x") end)
          told(function() return kept.make(kept.self) end)
          told(function() return kept.defer(kept.self, print) end)
          told(function() return self:unlock("message", 1) end)
          told(function() return self.key end)
          print(kept.profile.title, self.parent:clock().name)
        end
        """), scopes: scopes)
    for _ in 1...9 { try trial.play("bump") }
    try trial.play("log_in", ["id": 7])
    try trial.play("inside")
    try trial.play("log_out")
    let sentence = "scope user is closed (since log_out, #12)"
    #expect(
      trial.printed.all.dropLast().map { $0.hasSuffix(sentence) }
        == Array(repeating: true, count: 6))
    #expect(trial.printed.all.last == "user 7\tclock")
  }

  @Test("A script can leave the sandbox only through the host's scopes.")
  func sandbox() throws {
    let trial = try Trial(
      app("function effect.outside(self) print(self:fetch('u')) end"), scopes: scopes)
    try trial.play("outside")
    #expect(trial.printed.all == ["got u"])
    for name in ["io", "os", "debug", "package", "fetch"] {
      #expect(faults(of: "state {} action.a {} \(name)()").count == 1)
    }
  }

  @Test("an action caused in an earlier scope instance is refused in the next one")
  func staleScopeInstance() throws {
    let trial = try Trial(
      app(
        "function effect.bump() after(5, 'rename') end"
          + "\nfunction effect.inside() dispatch.bump() end"))
    try trial.play("log_in", ["id": 1])
    try trial.play("inside")
    try trial.play("log_in", ["id": 2])
    try trial.advance(5)
    #expect(
      trial.told() == [
        "rename from the queue was refused by scope user: stale: the scope instance in which "
          + "this chain began is closed (since log_in, #4)"
      ])
  }

  @Test("an effect that fails or is dropped closes the scopes that it unlocked")
  func dropped() throws {
    let trial = try Trial(
      app(
        """
        function effect.outside(self)
          local user = self:unlock("user", 1)
          user:defer(function() print("closed") end)
          error("died")
        end
        function effect.bump(self)
          self:unlock("user", 2):defer(function() print("dropped") end)
          sleep(5)
        end
        local thread
        function effect.rename(self)
          thread = coroutine.wrap(function()
            local own <close> = self:unlock("message", 3)
            own:defer(function() print("wrapped") end)
            coroutine.yield()
          end)
          thread()
        end
        """))
    try trial.play("outside")
    #expect(trial.printed.take() == ["closed"])
    try trial.play("bump")
    try trial.host.undo()
    #expect(trial.printed.take() == ["dropped"])
    try trial.play("log_in", ["id": 1])
    try trial.play("rename")
    #expect(trial.printed.take() == ["wrapped"])
  }
}
