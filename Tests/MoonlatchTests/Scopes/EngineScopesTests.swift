import LuaRuntime
import Testing

/// Open scopes, which follow from the state.
@Suite struct EngineScopesTests {
  private let flow = """
    state { user = false, page = false, n = 0 }
    action.log_in { id = integer } action.log_out {} action.turn { page = any } action.idle {}
    action.swap { id = integer } action.fail { id = any }
    action.rename {} action.write {}
    scope.user { key = function(s) return s.user end, actions = { "rename" } }
    scope.editor {
      parent = "user", key = function(s) return s.page end, actions = { "write" },
      make = { watch = function(self) self:defer(function() print("closed", self.key) end) end },
    }
    function effect.rename(self) self:unlock("editor"):watch() end
    function reduce.log_in(s, a) s.user = a.id end
    function reduce.log_out(s) s.user = false end
    function reduce.turn(s, a) s.page = a.page end
    function reduce.swap(s, a) s.user = false s.user = a.id end
    function reduce.fail(s, a) s.user, s.page = a.id, a.id error("no") end
    function reduce.idle(s) s.n = s.n + 1 end
    """

  private func open(_ trial: Trial) throws -> [String] {
    try [("user", "rename"), ("editor", "write")].compactMap { scope, action in
      try trial.host.may(action).isGranted ? scope : nil
    }
  }

  @Test("scopes open and close with their keys, across transitions that do not change them")
  func keys() throws {
    let trial = try Trial(flow)
    #expect(try open(trial) == [])
    try trial.play("turn", ["page": 1])
    try trial.play("idle")
    #expect(try open(trial) == [])
    try trial.play("log_in", ["id": 7])
    #expect(try open(trial) == ["user", "editor"])
    try trial.play("idle")
    try trial.play("turn", ["page": false])
    #expect(try open(trial) == ["user"])
    try trial.play("idle")
    try trial.play("turn", ["page": 2])
    try trial.play("log_out")
    #expect(try open(trial) == [])
    try trial.play("idle")
    try trial.play("log_in", ["id": 7])
    #expect(try open(trial) == ["user", "editor"])
  }

  @Test("a child closes and reopens with its parent, though its own key is unchanged")
  func children() throws {
    let trial = try Trial(flow)
    try trial.play("turn", ["page": 1])
    try trial.play("log_in", ["id": 7])
    try trial.play("rename")
    try trial.play("swap", ["id": 7])
    try trial.play("idle")
    #expect(trial.printed.take() == [])
    try trial.play("swap", ["id": 8])
    #expect(trial.printed.take() == ["closed\t1"])
    #expect(try open(trial) == ["user", "editor"])
    try trial.play("rename")
    try trial.play("idle")
    try trial.play("turn", ["page": 2])
    #expect(trial.printed.take() == ["closed\t1"])
  }

  @Test("a failed transition opens and closes no scope, then or later")
  func failures() throws {
    let trial = try Trial(flow)
    try trial.play("fail", ["id": 5])
    try trial.play("idle")
    #expect(try open(trial) == [])
    try trial.play("log_in", ["id": 7])
    try trial.play("turn", ["page": 1])
    try trial.play("rename")
    try trial.play("fail", ["id": false])
    try trial.play("fail", ["id": 9])
    try trial.play("idle")
    #expect(try open(trial) == ["user", "editor"])
    #expect(trial.printed.take() == [])
  }

  @Test(
    "a key computed in a transition that later fails opens nothing",
    arguments: ["the key of another scope raises an error", "the state is too large in the end"])
  func rolledBackKey(reason: String) throws {
    let trial = try Trial(
      """
      state { user = false, text = "", n = 0 }
      action.log_in { why = string } action.idle {} action.rename {} action.write {}
      scope.user { key = function(s) return s.user end, actions = { "rename" } }
      scope.writer {
        parent = "user", actions = { "write" },
        key = function(s) if s.text == "bad" then error("no key") end return s.user end,
      }
      function reduce.log_in(s, a)
        s.user = 7
        s.text = a.why:find("large") and ("x"):rep(1000) or "bad"
      end
      function reduce.idle(s) s.n = s.n + 1 end
      """, limits: Limits(state: 500))
    try trial.host.failure(of: "log_in", ["why": .string(reason)])
    try trial.play("idle")
    #expect(try !trial.host.may("rename").isGranted)
    #expect(try !trial.host.may("write").isGranted)
  }

  @Test("undo and redo open and close the scopes of each revision")
  func history() throws {
    let trial = try Trial(flow)
    try trial.play("log_in", ["id": 7])
    try trial.play("idle")
    try trial.play("turn", ["page": 1])
    try trial.play("log_out")
    try trial.host.undo()
    #expect(try open(trial) == ["user", "editor"])
    try trial.host.go(to: 2)
    #expect(try open(trial) == ["user"])
    try trial.host.go(to: 0)
    #expect(try open(trial) == [])
    try trial.host.redo(3)
    #expect(try open(trial) == ["user", "editor"])
    try trial.play("idle")
    #expect(try open(trial) == ["user", "editor"])
  }

  // MARK: Colons

  @Test(
    "a method called with a dot is an error that suggests a colon",
    arguments: [
      ("self.charge(3)", "charge"), ("self.charge()", "charge"), ("self.thing(3)", "thing"),
      ("self.unlock(\"user\")", "unlock"), ("self.defer(function() end)", "defer"),
      ("self.close()", "close"), ("self.charge({})", "charge"), ("self.charge(s)", "charge"),
    ])
  func dots(call: String, name: String) throws {
    let trial = try Trial(
      """
      state { n = 0 } action.go {}
      scope.root { make = { thing = function(self, n) return { n = n } end } }
      scope.user { key = function(s) return 1 end }
      s = "a text"
      function effect.go(self)
        print(pcall(function() \(call) end))
      end
      """
    ) { $0.root.provide("charge") { (n: Int) in n * 2 } }
    try trial.play("go")
    #expect(
      trial.printed.all == [
        "false\tflow.lua:6: \(name) is called with a colon: self:\(name)(...), not self.\(name)(...)"
      ])
  }

  @Test("a method in a local can be called with its own instance or another")
  func captured() throws {
    let trial = try Trial(
      """
      state { n = 0 } action.go {}
      scope.root { make = { thing = function(self, n) return n end } }
      scope.user { key = function(s) return 1 end }
      function effect.go(self)
        local charge, thing = self.charge, self.thing
        local user = self:unlock("user")
        print(charge(self, 3), user.charge(self, 4), thing(user, 5), user:charge(6))
      end
      """
    ) { $0.root.provide("charge") { (n: Int) in n * 2 } }
    try trial.play("go")
    #expect(trial.printed.all == ["6\t8\t5\t12"])
  }
}
