import Testing

/// Guards of `always` that only compare and calculate with fields of the state, and similar ones
/// that do more.
@Suite struct PlainConditionsTests {
  /// A machine that goes on where the condition agrees, and back where the action `reset` is taken.
  private static func flow(_ state: String, _ condition: String, _ more: String = "") -> String {
    """
    state { \(state) }
    action.set { field = string, to = any }
    action.reset {}
    local LIMIT, limits = 3, { most = 3 }
    \(more)
    machine.door { initial = "shut", reset = "shut", shut = { always = { to = "open", when = \(condition) } }, open = {} }
    function reduce.set(s, a) s[a.field] = a.to end
    """
  }

  @Test(
    "a guard is evaluated again once something that it reads was written",
    arguments: [
      "function(s) return s.n > LIMIT end", "function(s) return not (s.n <= 3) end",
      "function(s) if s.on == nil and s.n > 3 then return true end return false, 'no' end",
      "function(s) return s.n - 3 > 0 and s.name ~= 'a_name_of_many_more_bytes_than_forty_it_is_long' end",
      "function(s) return s.n > limits.most end",
      "function(s) return (s.n .. ''):len() > 1 or s.n > 3 end",
      "function(s) local state = s return state.n > 3 end",
      "function(s, a) return a == nil and s.n > 3 end",
      "function(...) return (...).n > 3 end", "function(s) return s['n'] > 3 end",
      "function(s) for _, each in ipairs { s.n } do return each > 3 end end",
    ])
  func asked(condition: String) throws {
    let trial = try Trial(
      Self.flow("n = 0, m = 0, on = none, name = 'x'", condition))
    try trial.play("set", ["field": "m", "to": 5])
    #expect(try trial.state("door") == "shut")
    try trial.play("set", ["field": "n", "to": 3])
    #expect(try trial.state("door") == "shut")
    try trial.play("set", ["field": "n", "to": 4])
    #expect(try trial.state("door") == "open")
    try trial.host.undo()
    #expect(try trial.state("door") == "shut")
    try trial.play("set", ["field": "n", "to": 5])
    #expect(try trial.state("door") == "open")
  }

  @Test("writes of a failed dispatch do not affect the guards of the next one")
  func takenBack() throws {
    let trial = try Trial(
      Self.flow("n = 0, m = 0", "function(s) return s.n > 3 end")
        + "\nfunction invariant.low(s) return s.m < 10, 'm is high' end\naction.both {}"
        + "\nfunction reduce.both(s) s.n = 9 s.m = 10 end")
    #expect(try trial.play("both").contains("m is high"))
    #expect(try trial.state("door") == "shut")
    try trial.play("set", ["field": "m", "to": 1])
    #expect(try trial.state("door") == "shut")
    try trial.play("set", ["field": "n", "to": 9])
    #expect(try trial.state("door") == "open")
  }

  @Test("changes in nested tables are noticed as deep as the guard reads")
  func tables() throws {
    let trial = try Trial(
      """
      state { cart = { total = 0 }, items = list {}, other = list {} }
      action.pay {} action.add {} action.swap {} action.replace {}
      machine.money { initial = "none", none = { always = { to = "some", when = function(s) return s.cart.total > 1 end } }, some = {} }
      machine.things { initial = "none", none = { always = { to = "some", when = function(s) return #s.items > 1 end } }, some = {} }
      machine.same { initial = "other", other = { always = { to = "same", when = function(s) return s.items == s.other end } }, same = {} }
      function reduce.pay(s) s.cart.total = s.cart.total + 1 end
      function reduce.add(s) s.items[#s.items + 1] = 1 end
      function reduce.replace(s) s.cart = { total = 7 } end
      """)
    try trial.play("pay")
    #expect(try trial.state("money") == "none")
    try trial.play("pay")
    #expect(try trial.state("money") == "some")
    try trial.play("add")
    #expect(try trial.state("things") == "none")
    try trial.play("add")
    #expect(try trial.state("things") == "some")
    try trial.host.undo()
    try trial.host.undo()
    try trial.host.undo()
    #expect(try trial.state("money") == "none")
    try trial.play("replace")
    #expect(try trial.state("money") == "some")
    #expect(try trial.state("same") == "other")
  }

  @Test("a field whose table is replaced or removed counts as changed")
  func whole() throws {
    let trial = try Trial(
      """
      state { job = none }
      action.begin {} action.finish {}
      machine.work { initial = "idle",
        idle = { always = { to = "busy", when = function(s) return s.job ~= nil end } },
        busy = { always = { to = "idle", when = function(s) return s.job == nil end } } }
      function reduce.begin(s) s.job = { n = 1 } end
      function reduce.finish(s) s.job = nil end
      """)
    for _ in 1...3 {
      try trial.play("begin")
      #expect(try trial.state("work") == "busy")
      try trial.play("finish")
      #expect(try trial.state("work") == "idle")
    }
  }

  @Test("a guard can read the state of another machine as a field")
  func machines() throws {
    let trial = try Trial(
      """
      action.go {} action.back {}
      machine.first { initial = "a", a = { go = "b" }, b = { back = "a" } }
      machine.second { initial = "x",
        x = { always = { to = "y", when = function(s) return s.first == "b" end } },
        y = { always = { to = "x", when = function(s) return s.first == "a" end } } }
      """)
    for _ in 1...3 {
      try trial.play("go")
      #expect(try trial.state("second") == "y")
      try trial.play("back")
      #expect(try trial.state("second") == "x")
    }
  }

  @Test("an error in a guard has its line")
  func wrong() throws {
    let trial = try Trial(
      Self.flow("n = 0, name = 'x'", "\nfunction(s) return s.n > 3 and s.name > 3 end"))
    let failed = try trial.play("set", ["field": "n", "to": 4])
    #expect(failed.contains("attempt to compare number with string"), "\(failed)")
    #expect(failed.contains("flow.lua:7"), "\(failed)")
    #expect(try trial.state("n") == 0)
    let misspelt = try Trial(Self.flow("n = 0", "function(s) return s.n > 3 and s.m > 3 end"))
    let said = try misspelt.play("set", ["field": "n", "to": 4])
    #expect(said.contains("m"), "\(said)")
    #expect(try misspelt.state("n") == 0)
  }
}
