import FlowHosting
import FlowKernel
import LuaRuntime
import Testing

@Suite struct DeclarationTests {
  @Test(
    "rules and effects for many actions are an error if their combinations are too many",
    arguments: [
      ("effect('eN', '*', function() end)", "effect e251"),
      ("gate('gN', '*', function() return true end)", "gate g251"),
      ("effect('eN', all, function() end)", "effect e251"),
      ("gate('gN', all, function() return true end)", "gate g251"),
    ])
  func tooManyTogether(declaration: String, title: String) {
    let flow = """
      local all = {}
      for i = 1, 400 do action["a" .. i] {} all[i] = "a" .. i end
      for i = 1, COUNT do \(declaration.replacing("N'", with: "' .. i")) end
      """
    #expect(faults(of: flow.replacing("COUNT", with: "250")) == [])
    #expect(
      faults(of: flow.replacing("COUNT", with: "400")) == [
        "flow.lua:3: \(title): all actions together have more than 100000 rules and effects; a "
          + "rule or effect of several actions counts once for each"
      ])
  }

  @Test("all errors of a flow are reported together, in the order of the file")
  func allAtOnce() {
    let flow = """
      state { coins = 0, bad = error }
      action.coin { amount = integer { min = 1, top = 3 } }
      action.push {}
      action.push {}
      function reduce.coin(s, a) end
      function reduce.cion(s, a) end
      function gate.push(s) return true end
      function gate.push(s) return true end
      gate("powered", { "coin", "pusch" }, function(s) return true end)
      gate("broken", { "coin" })
      view.takings = 5
      action.wrong = 3
      action["x"] "y"
      reduce[7] = function() end
      invariant.fine = function(s) return true end
      action.typed { a = 5, b = { "x" }, c = list_of("x") }
      """
    #expect(
      faults(of: flow) == [
        "flow.lua:1: state.bad: a function is not plain data",
        "flow.lua:2: integer has no constraint top (it takes default, max, min, samples, secret)",
        "flow.lua:4: action.push is declared twice: here and at flow.lua:3",
        "flow.lua:6: reduce.cion: there is no action cion; did you mean coin?",
        "flow.lua:8: gate.push is declared twice: here and at flow.lua:7",
        "flow.lua:9: gate powered: there is no action pusch; did you mean push?",
        "flow.lua:10: gate broken needs a function: gate(\"broken\", { \"action\" }, function(s, a) ... end)",
        "flow.lua:11: view.takings must be a function, not a number",
        "flow.lua:12: an action is declared by a call: action.wrong { field = type }",
        "flow.lua:13: action.x takes the fields of its payload in a table: action.x {}",
        "flow.lua:14: reduce needs a name in quotes, not 7",
        "flow.lua:16: action typed.a: a number is not a type (boolean, integer, number, string, any, one_of, "
          + "list_of, map_of, optional, or a table of fields)",
        "flow.lua:16: action typed.b: the fields of a payload need names, not 1",
        "flow.lua:16: list_of: a string is not a type (boolean, integer, number, string, any, one_of, "
          + "list_of, map_of, optional, or a table of fields)",
      ])
  }

  @Test(
    "a contradictory constraint is an error",
    arguments: [
      ("integer { min = 'a' }", "integer: min must be a number, got a"),
      ("number { max = 0 / 0 }", "number: max must be a number, got nan"),
      ("integer { min = 3, max = 1 }", "integer: min is larger than max"),
      ("string { max_length = -1 }", "string: max_length must be a count, such as 10, got -1"),
      ("string { min_length = 3, max_length = 1 }", "string: min_length is larger than max_length"),
      ("string { pattern = '[' }", "string: pattern must be a Lua pattern, got ["),
      ("string { pattern = 7 }", "string: pattern must be a Lua pattern, got 7"),
      ("any { default = error }", "any.default: a function is not plain data"),
      ("any { samples = 3 }", "any: samples must be a list of values, got 3"),
      ("one_of {}", "one_of takes the values to choose from: one_of { \"a\", \"b\" }"),
      ("one_of { 'a', error }", "one_of[2]: a function is not plain data"),
      ("integer(3)", "integer takes its constraints in a table: integer { ... }"),
      ("string(3)", "string takes its constraints in a table: string { max_length = 20 }"),
    ])
  func constraints(type: String, message: String) {
    #expect(faults(of: "state {}\naction.go { f = \(type) }") == ["flow.lua:2: \(message)"])
  }

  @Test(
    "a default or sample that does not fit its own type is an error",
    arguments: [
      (
        "integer { min = 1, default = 0 }",
        "as a default, f must be an integer of at least 1, got 0"
      ),
      (
        "one_of { 'a', 'b', default = 'c' }",
        "as a default, f must be one of \"a\", \"b\", got \"c\""
      ),
      (
        "string { pattern = '^%a$', default = '1' }",
        "as a default, f must be a string that matches \"^%a$\", got \"1\""
      ),
      (
        "list_of { integer { samples = { 1, 'x' } } }",
        "as a sample, f[] must be an integer, got \"x\""
      ),
      ("{ x = boolean { default = 1 } }", "as a default, f.x must be a boolean, got 1"),
      ("optional(number { samples = { true } })", "as a sample, f must be a number, got true"),
    ])
  func examples(type: String, message: String) {
    #expect(
      faults(of: "state {}\n\naction.go { f = \(type) }") == ["flow.lua:3: action go: \(message)"])
  }

  @Test("a cyclic type, or one that is nested endlessly, is an error")
  func endlessTypes() {
    let cycle = faults(of: "local t = {}\nt.x = t\naction.go(t)")
    #expect(cycle.count == 1)
    #expect(cycle.first?.contains("values are nested more than 100 deep") == true)
    #expect(
      faults(of: "local t = {} for i = 1, 50000 do t = { x = t } end action.go(t)").count == 1)
  }

  @Test(
    "a flow that declares nothing is an error that says how to start",
    arguments: ["", "-- only a comment\n", "local x = 1"])
  func nothing(source: String) {
    #expect(
      faults(of: source)
        == ["flow.lua: this flow declares nothing; begin with state { ... } and action.NAME {}"])
  }

  @Test("a syntax error is reported with its line, also the last one")
  func syntax() {
    #expect(faults(of: "state {}\nlocal = 1") == ["flow.lua:2: <name> expected near '='"])
    #expect(faults(of: "state {}\n\nif") == ["flow.lua:3: unexpected symbol near <eof>"])
  }

  @Test("an error while the file runs is reported with the others")
  func runtime() {
    #expect(
      faults(of: "action.a {}\naction.a {}\nlocal x = nil + 1") == [
        "flow.lua:2: action.a is declared twice: here and at flow.lua:1",
        "flow.lua:3: attempt to perform arithmetic on a nil value",
      ])
    #expect(faults(of: "error({ message = 'mine' })") == ["flow.lua:1: mine"])
    #expect(faults(of: "error('no place', 0)") == ["flow.lua:1: no place"])
  }

  @Test("an undefined global is an error with the nearest name")
  func undefinedGlobal() {
    #expect(
      faults(of: "state {}\nactoin.go {}")
        == ["flow.lua:2: global actoin is not defined; did you mean action?"])
  }

  @Test("an endless file ends at the limit")
  func endless() {
    #expect {
      try FlowHost(
        source: "while true do end",
        options: HostOptions(limits: Limits(instructionsPerLoad: 100_000)))
    } throws: { ($0 as? ScriptError)?.kind == .limit }
    #expect { try FlowHost(source: "local s = 'x' while true do s = s .. s end") } throws: {
      ($0 as? ScriptError)?.kind == .memory
    }
  }

  @Test("names that are not valid Lua identifiers work in brackets")
  func oddNames() throws {
    let host = try FlowHost(
      source: """
        state { n = 0 }
        action["T02 Check"] { ["the amount"] = integer }
        reduce["T02 Check"] = function(s, a) s.n = a["the amount"] end
        gate["T02 Check"] = function(s, a) return a["the amount"] > 0, "too little" end
        view["the n"] = function(s) return s.n end
        """)
    #expect(try host.dispatch("T02 Check", ["the amount": 3]).isPassed)
    #expect(
      try host.dispatch("T02 Check", ["the amount": 0]).description
        == "refused by gate T02 Check: too little")
    #expect(try host.view("the n") == 3)
  }

  @Test("a function declared under two names is one function, shown with its first name")
  func sharedFunction() throws {
    let host = try FlowHost(
      source: """
        state { n = 0 }
        action.cancel {}
        action.idle {}
        function reduce.cancel(s) error("no") end
        reduce.idle = reduce.cancel
        """)
    #expect(
      try host.failure(of: "idle")?.script?.traceback == ["flow.lua:4: in function 'reduce.cancel'"]
    )
    #expect(
      try host.failure(of: "cancel")?.script?.traceback == [
        "flow.lua:4: in function 'reduce.cancel'"
      ])
  }

  @Test("a library function can be a rule, located at its declaration")
  func libraryFunction() throws {
    #expect(
      faults(of: "state {}\naction.a {}\nfunction gate.a() return true end\ngate.a = math.abs")
        == ["flow.lua:4: gate.a is declared twice: here and at flow.lua:3"])
    #expect(
      faults(of: "state {}\nreduce.nothing = error")
        == ["flow.lua:2: reduce.nothing: there is no action nothing"])
  }

  // MARK: After loading

  @Test(
    "declarations and assignments to globals are rejected after loading",
    arguments: [
      (
        "x = 1",
        "global x cannot be set: globals are read-only after loading (data belongs in the state, or in a local)"
      ),
      ("config.limit = 2", "this table is read-only: \"limit\" cannot be set"),
      ("config.inner.x = 2", "this table is read-only: \"x\" cannot be set"),
      ("reduce.other = function() end", "this table is read-only: \"other\" cannot be set"),
      ("action.other {}", "action.other is allowed only while the flow loads"),
      ("state { n = 1 }", "state is allowed only while the flow loads"),
      (
        "gate('g', '*', function() return true end)",
        "gate is allowed only while the flow loads"
      ),
      ("string.mine = 1", "this table is read-only: \"mine\" cannot be set"),
      ("local y = undefinedName", "global undefinedName is not defined"),
    ])
  func frozen(code: String, message: String) throws {
    let host = try FlowHost(
      source: going(
        code,
        more: "config = { limit = 1, inner = { x = 1 } }\nmath.huge = math.huge\n"
          .replacing("math.huge = math.huge\n", with: "")))
    #expect(try host.failure()?.message == message)
  }

  @Test("a flow can use its own globals and functions")
  func globals() throws {
    let host = try FlowHost(
      source: going(
        "s.n = helper(config.limit)",
        more: "config = { limit = 5 }\nfunction helper(n) return n * 2 end"))
    #expect(try host.passing()?.writes.description == "n: 1 -> 10")
  }

  @Test(
    "a state type without an initial value is an error that says what to write, at the field's line"
  )
  func typesAsValues() {
    let flow = """
      state {
        hp = integer,
        speed = number,
        alive = boolean,
        name = string,
        any = any,
        side = one_of { "left", "right" },
        size = integer { default = 5 },
        level = integer { min = 2 },
        short = string { max_length = 3 },
        rows = list_of(integer),
        bag = map_of(string),
        user = {
          note = optional(string),
          tags = list_of,
        },
        fine = 0,
      }
      action.go { n = integer { default = integer }, side = one_of { "a", string } }
      """
    func fault(_ line: Int, _ path: String, _ type: String, _ example: String) -> String {
      "flow.lua:\(line): state.\(path): \(type) has no initial value; write \(type) { default = "
        + "\(example) } or optional(\(type))"
    }
    #expect(
      faults(of: flow) == [
        fault(2, "hp", "integer", "0"), fault(3, "speed", "number", "0"),
        fault(4, "alive", "boolean", "false"), fault(5, "name", "string", "\"\""),
        fault(6, "any", "any", "\"\""),
        "flow.lua:7: state.side: one_of has no initial value; write one_of { \"left\", \"right\", "
          + "default = \"left\" } or optional(one_of { \"left\", \"right\" })",
        "flow.lua:9: state.level: integer has no initial value; write integer { ..., default = 2 } or "
          + "optional(integer { ... })",
        "flow.lua:10: state.short: string has no initial value; write string { ..., default = \"\" } or "
          + "optional(string { ... })",
        "flow.lua:15: state.user.tags: list_of takes the type of its elements: list_of(string)",
        "flow.lua:19: integer.default: integer is a type, not a value",
        "flow.lua:19: one_of[2]: string is a type, not a value",
      ])
  }

  @Test("an error in a state of many lines has its own line")
  func linesOfState() {
    let flow = """
      state {
        a = 1,
        b = { c = { 1,
          print } },
        ["d e"] = function() end,
      }
      state { f = 1,
        a = 2 }
      """
    #expect(
      faults(of: flow) == [
        "flow.lua:4: state.b.c[2]: a function is not plain data",
        "flow.lua:5: state[\"d e\"]: a function is not plain data",
      ])
    let twice = """
      state {
        a = 1,
        b = 2,
      }
      state { c = 1,
        b = 2 }
      """
    #expect(faults(of: twice) == ["flow.lua:6: state.b is declared twice: here and at flow.lua:1"])
  }
}
