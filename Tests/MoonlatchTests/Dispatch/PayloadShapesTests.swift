import FlowHosting
import LuaRuntime
import Testing

/// Reading fields of a payload that its action does not declare.
@Suite struct PayloadShapesTests {
  /// Returns a trial of a flow with an action that reads a field in a function.
  private func reading(_ expression: String, in function: String = "reduce") throws -> Trial {
    try Trial(
      """
      state { seen = none }
      action.pay { amount = integer, note = optional(string), item = optional { sku = string, tag = optional(string) },
        lines = list_of { { qty = integer } }, by = map_of { { name = string }, key = string }, any = any { default = 1 } }
      action.other { reason = string }
      action.bare {}
      function \(function).pay(s, a) \(function == "gate" ? "return" : "s.seen =") \(expression) end
      function reduce.bare(s, a) s.seen = a.amount end
      """)
  }

  private static let payload: Value = [
    "amount": 3, "item": ["sku": "a"], "lines": [["qty": 1]], "by": ["x": ["name": "ann"]],
    "any": ["deep": 1],
  ]

  @Test(
    "reading an undeclared field of a payload is an error that names the nearest one",
    arguments: ["reduce", "gate"])
  func undeclared(function: String) throws {
    for (expression, message) in [
      ("a.amuont", "the payload of pay has no field amuont; did you mean amount?"),
      ("a.reason", "the payload of pay has no field reason"),
      ("a.item.sk", "the payload of pay.item has no field sk; did you mean sku?"),
      ("a.lines[1].qyt", "the payload of pay.lines[...] has no field qyt; did you mean qty?"),
      ("a.by.x.nmae", "the payload of pay.by[...] has no field nmae; did you mean name?"),
      ("a[1]", "the payload of pay is a record and has no field [1]"),
    ] {
      let trial = try reading(expression, in: function)
      for _ in 1...2 {
        let outcome = try trial.host.dispatch("pay", PayloadShapesTests.payload)
        #expect(outcome.failure?.message.contains(message) == true, "\(outcome)")
      }
      #expect(try trial.state("seen") == .nil)
    }
  }

  @Test(
    "a declared field without a value is nil, and what may have any fields has any",
    arguments: [
      "a.note", "a.item.tag", "a.lines[2]", "a.by.y", "a.any.shallow",
      "rawget(a, 'amuont')",
    ])
  func absent(expression: String) throws {
    let trial = try reading(expression)
    #expect(try trial.host.dispatch("pay", PayloadShapesTests.payload).isPassed)
    #expect(try trial.state("seen") == .nil)
  }

  @Test("the length of a payload and a walk over it are as without declared fields")
  func walked() throws {
    let trial = try Trial(
      """
      state { seen = none }
      action.pay { amount = integer, note = optional(string) }
      action.bare {}
      function reduce.pay(s, a)
        s.seen = #a
        for name, value in pairs(a) do s.seen = s.seen + value end
      end
      function reduce.bare(s, a) s.seen = #a + table.count(a) end
      """)
    try trial.play("pay", ["amount": 3])
    #expect(try trial.state("seen") == 3)
    try trial.play("bare")
    #expect(try trial.state("seen") == 0)
  }

  @Test("an action without a payload has no fields, whatever was dispatched before")
  func empty() throws {
    let trial = try reading("a.amount")
    for _ in 1...2 {
      #expect(try trial.host.dispatch("pay", PayloadShapesTests.payload).isPassed)
      let message = try trial.host.dispatch("bare").failure?.message
      #expect(message?.contains("the payload of bare has no field amount") == true)
    }
  }

  @Test("two actions with the same fields and values have their own optional ones")
  func alternating() throws {
    let trial = try Trial(
      """
      state { seen = none }
      action.one { n = integer, left = optional(string) }
      action.two { n = integer, right = optional(string) }
      function reduce.one(s, a) s.seen = a.left end
      function reduce.two(s, a) s.seen = a.left end
      """)
    for number in 1...3 {
      #expect(try trial.host.dispatch("one", ["n": .integer(number)]).isPassed)
      #expect(try !trial.host.dispatch("two", ["n": .integer(number)]).isPassed)
    }
  }

  @Test("a payload that is put into the state is a copy with the state's own fields")
  func stored() throws {
    let trial = try Trial(
      """
      state { items = list {}, empty = none }
      action.add { item = { name = optional(string) } }
      function reduce.add(s, a) table.insert(s.items, a.item) s.empty = s.items[1].whatever end
      """)
    #expect(try trial.host.dispatch("add", ["item": [:]]).isPassed)
    #expect(try trial.host.dispatch("add", ["item": ["name": "x"]]).isPassed)
    #expect(try trial.host.state()["items"]?[1] == ["name": "x"])
  }

  // MARK: Functions of several actions

  @Test("a rule of several actions reads the fields of each, and no others")
  func shared() throws {
    let trial = try Trial(
      """
      state { seen = "" }
      action.pay { amount = integer } action.refund { reason = string } action.other { text = string }
      gate("either", { "pay", "refund" }, function(s, a) return a.amount == nil or a.reason == nil end)
      gate("third", { "pay", "refund" }, function(s, a, name) return name == "pay" or a.text == nil end)
      local function both(s, a) s.seen = (a.reason or "none") end
      reduce.pay = both
      reduce.refund = both
      """)
    #expect(try trial.host.dispatch("pay", ["amount": 1]).isPassed)
    #expect(try trial.state("seen") == "none")
    let message = try trial.host.dispatch("refund", ["reason": "late"]).failure?.message
    #expect(message?.contains("the payload of refund has no field text") == true)
  }

  @Test("an effect raises an error for an undeclared field, also after a wait and in a branch")
  func effects() throws {
    let trial = try Trial(
      """
      state {}
      action.go { n = integer }
      action.wait { n = integer }
      action.branch { n = integer }
      function effect.go(self, a) print(a.m) end
      function effect.wait(self, a) sleep(1) print(a.m) end
      function effect.branch(self, a) all { function() sleep(1) print(a.m) end } end
      """)
    for action in ["go", "wait", "branch"] {
      try trial.play(action, ["n": 1])
      try trial.advance(2)
      let message = "the payload of \(action) has no field m"
      #expect(trial.reports.take().contains { $0.contains(message) }, "\(action)")
    }
    #expect(trial.printed.all == [])
  }

  @Test("a state effect reads the fields of each action that enters its state, and no others")
  func stateEffects() throws {
    let trial = try Trial(
      """
      state {}
      action.load { id = string } action.retry { times = integer } action.stop { why = string }
      machine.track {
        initial = "idle",
        idle = { load = "loading", retry = "loading" },
        loading = {
          stop = "idle",
          effect = function(self, a) print(a.id, a.times) print(a.why) end,
        },
      }
      """)
    for (action, payload, line): (String, Value, String) in [
      ("load", ["id": "x"], "x\tnil"), ("retry", ["times": 2], "nil\t2"),
    ] {
      try trial.play(action, payload)
      #expect(trial.printed.take() == [line])
      #expect(
        trial.reports.take().contains { $0.contains("the payload of \(action) has no field why") })
      try trial.play("stop", ["why": "y"])
    }
  }

  @Test("functions that run for any action read the fields of all actions, and no others")
  func ofStates() throws {
    let trial = try Trial(
      """
      state { seen = none }
      action.load { id = string } action.stop { why = string }
      machine.track {
        initial = "idle",
        idle = { load = "loading" },
        loading = {
          on_enter = function(s, a) s.seen = a.why end,
          stop = "idle",
          on_exit = function(s, a) s.seen = a.whyy end,
        },
      }
      """)
    #expect(try trial.host.dispatch("load", ["id": "x"]).isPassed)
    let message = try trial.host.dispatch("stop", ["why": "y"]).failure?.message
    #expect(message?.contains("the payload of stop has no field whyy; did you mean why?") == true)
  }
}
