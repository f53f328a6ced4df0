import LuaRuntime
import Testing

@testable import FlowHosting
@testable import FlowKernel
@testable import FlowLanguage

/// Types in `state { ... }`, which are enforced on every write.
@Suite struct TypedStateTests {
  static let item =
    "local item = { sku = string { pattern = \"^%u%d+$\" }, qty = integer { min = 1 }, "
    + "status = one_of { \"new\", \"sent\", default = \"new\" } }\n"

  /// A flow with typed places, in which `run` does what is given.
  private func trial(_ body: String, state: String = "", more: String = "") throws -> Trial {
    try Trial(
      Self.item + """
        state { \(state.isEmpty ? Self.state : state) }
        action.add { item = item }
        action.run {}
        function reduce.add(s, a) table.insert(s.items, a.item) end
        function reduce.run(s)
          \(body)
        end
        \(more)
        """, name: "order.lua")
  }

  static let state = """
    items = list_of { item, max_length = 3 }, shipped = list_of(item),
    address = optional { street = string, town = string },
    hp = integer { min = 0, max = 100, default = 100 }, rate = number { default = 1 },
    pos = { x = integer { default = 1 }, y = 2 },
    players = map_of { { name = string, lives = integer { min = 0, default = 3 } },
      key = string { max_length = 20 } },
    scores = map_of { integer, key = integer { min = 1 } }, anything = any { default = 0 }
    """

  /// Returns the first line of the outcome of the reducer's dispatch, with one item and one player in the state.
  private func outcome(_ body: String, state: String = "") throws -> String {
    let trial = try trial(body, state: state)
    if state.isEmpty { try trial.play("add", ["item": ["sku": "A1", "qty": 2]]) }
    return try trial.play("run")
  }

  // MARK: Beginning

  @Test("each field starts as its type says: with a default, empty, or without a value")
  func beginning() throws {
    #expect(
      try trial("").host.state() == [
        "items": .list([]), "shipped": .list([]), "hp": 100, "rate": 1, "pos": ["x": 1, "y": 2],
        "players": [:], "scores": [:], "anything": 0,
      ])
  }

  @Test("optional(any) starts without a value, in a record too")
  func beginningOfAny() throws {
    let trial = try Trial(
      """
      state { a = optional(any), at = { b = optional(any), c = 1 } }
      action.go {} function reduce.go(s) s.a = { 1 } s.at.b = "x" end
      action.take {} function reduce.take(s) s.a = nil s.at.b = none end
      """)
    #expect(try trial.host.state() == ["at": ["c": 1]])
    try trial.play("go")
    #expect(try trial.host.state() == ["a": [1], "at": ["b": "x", "c": 1]])
    #expect(try trial.play("take") == "take passed (#2)")
    #expect(try trial.host.state() == ["at": ["c": 1]])
  }

  @Test(
    "a type without an initial value is an error at its line",
    arguments: [
      (
        "hp = integer",
        "state.hp: integer has no initial value; write integer { default = 0 } or "
          + "optional(integer)"
      ),
      (
        "hp = integer { min = 3 }",
        "write integer { ..., default = 3 } or optional(integer { ... })"
      ),
      ("at = any", "state.at: any has no initial value"),
      ("a = list_of { integer, min_length = 1 }", "list_of has no initial value"),
      ("a = { b = { c = boolean } }", "state.a.b.c: boolean has no initial value"),
      (
        "a = optional(integer { default = 1 })",
        "state.a: an optional type cannot have a default, because a missing value is none"
      ),
      (
        "a = integer { min = 1, default = 0 }",
        "as a default, state.a must be an integer of at least 1, got 0"
      ),
      (
        "a = list { integer }",
        "state.a[1]: integer is a type, but list { ... } and map { ... } hold values"
      ),
      (
        "a = list_of { sku = string, max_length = 10 }",
        "list_of: 10 is not a type; constraints go beside the type of the elements"
      ),
      ("a = list_of { lives = 3 }", "a number is not a type"),
    ])
  func faults(_ field: String, _ message: String) {
    let error = #expect(throws: FlowError.self) {
      try Trial("state {\n  n = 0,\n  \(field),\n}\naction.go {}", name: "order.lua")
    }
    #expect(error?.description.contains(message) == true, "\(error?.description ?? "")")
    if message.hasPrefix("state.hp") {
      #expect(error?.faults.first?.line == 3)
    }
  }

  @Test("a named type can be used for payload and state, and is refined by calling it")
  func refined() throws {
    let trial = try Trial(
      """
      local cents = integer { min = 0 }
      state { total = cents { default = 5 }, seen = list_of(cents) }
      action.pay { amount = cents }
      function reduce.pay(s, a) s.total = s.total + a.amount table.insert(s.seen, a.amount) end
      """)
    try trial.play("pay", ["amount": 3])
    #expect(try trial.host.state() == ["total": 8, "seen": [3]])
    #expect(
      try trial.play("pay", ["amount": -1]).contains("amount must be an integer of at least 0"))
  }

  // MARK: Writes

  @Test(
    "a value that does not fit is an error at its line, with the expected type",
    arguments: [
      (
        "s.items[1].qty = \"two\"",
        "order.lua:13: state.items[1].qty must be an integer of at least 1, got \"two\""
      ),
      (
        "s.hp = s.hp / 8",
        "order.lua:13: state.hp must be an integer from 0 to 100, got 12.5; x // y gives a whole number"
      ),
      (
        "s.hp = -1", "order.lua:13: state.hp must be an integer from 0 to 100, got -1"
      ),
      (
        "s.items[1].status = \"snet\"",
        "order.lua:13: state.items[1].status must be one of \"new\", \"sent\", got \"snet\"; did you mean \"sent\"?"
      ),
      (
        "s.items[1].statsu = \"new\"",
        "order.lua:13: state.items[1] has no field statsu; did you mean status?"
      ),
      (
        "print(s.items[1].statsu)",
        "order.lua:13: state.items[1] has no field statsu; did you mean status?"
      ),
      (
        "table.insert(s.items, { qty = 1 })",
        "order.lua:13: state.items[2].sku must be a string that matches \"^%u%d+$\", but is missing (put here)"
      ),
      (
        "table.insert(s.items, { sku = \"A1\", statsu = 1, qty = 2 })",
        "order.lua:13: state.items[2] has no field statsu; did you mean status? (put here)"
      ),
      (
        "table.insert(s.items, { sku = \"A1\", qty = 0 })",
        "order.lua:13: state.items[2].qty must be an integer of at least 1, got 0 (put here)"
      ),
      (
        "s.items[1].sku = nil",
        "order.lua:13: state.items[1].sku: this field always has a value (declare it as optional(string) to let it be empty)"
      ),
      (
        "s.items[1].sku = none",
        "order.lua:13: state.items[1].sku: this field always has a value (declare it as optional(string) to let it be empty)"
      ),
      (
        "for i = 1, 4 do s.items[#s.items + 1] = { sku = \"A1\", qty = i } end",
        "order.lua:13: state.items must be a list of at most 3 records, got 5 when reduce.run ended"
      ),
      (
        "s.items = 5",
        "order.lua:13: state.items must be a list of at most 3 records, got 5"
      ),
      (
        "s.items = { a = { sku = \"A1\", qty = 1 } }",
        "order.lua:13: state.items must be a list of at most 3 records, got { a = { qty = 1, sku = \"A1\" } } (put here)"
      ),
      ("s.hp = {}", "order.lua:13: state.hp must be an integer from 0 to 100, got {}"),
      ("s.rate = 1 / 0", "order.lua:13: state.rate must be a number, got math.huge"),
      ("s.rate = 0 / 0", "order.lua:13: state.rate must be a number, got nan"),
      (
        "s.players[(\"x\"):rep(21)] = { name = \"\" }",
        "order.lua:13: the key of state.players.xxxxxxxxxxxxxxxxxxxxx must be a string of at most 20 characters, got \"xxxxxxxxxxxxxxxxxxxxx\""
      ),
      (
        "s.players[1] = { name = \"\" }",
        "order.lua:13: the key of state.players[1] must be a string"
      ),
      (
        "s.scores[0] = 1",
        "order.lua:13: the key of state.scores[0] must be an integer of at least 1, got 0"
      ),
      (
        "s.players.ann = {}",
        "order.lua:13: state.players.ann.name must be a string, but is missing (put here)"
      ),
      (
        "s.address = { street = \"A\" }",
        "order.lua:13: state.address.town must be a string, but is missing (put here)"
      ),
      ("s.pos.x = \"far\"", "order.lua:13: state.pos.x must be an integer, got \"far\""),
      (
        "s.pos = { x = true, y = 1 }",
        "order.lua:13: state.pos.x must be an integer, got true (put here)"
      ),
    ])
  func misfits(_ body: String, _ sentence: String) throws {
    let said = try outcome(body)
    #expect(said.hasPrefix(sentence), "\(said)")
  }

  @Test(
    "a fitting value is converted as its type says: whole numbers to integers, choices as declared")
  func normalised() throws {
    let trial = try trial(
      """
      s.hp = 50.0
      s.pos.x, s.pos.y = -0.0, "untyped"
      s.rate = 7
      s.level = 2.0
      s.anything = { 1, 2 }
      table.insert(s.items, { sku = "A1", qty = 3.0 })
      print(s.hp, s.pos.x, s.level)
      """, state: Self.state + ", level = one_of { 1, 2, default = 1 }")
    #expect(try trial.play("run") == "run passed (#1)")
    #expect(trial.printed.take() == ["50\t0\t2"])
    let state = try trial.host.state()
    #expect(state["hp"] == .integer(50))
    #expect(state["pos"] == ["x": .integer(0), "y": "untyped"])
    #expect(state["rate"] == .integer(7))
    #expect(state["items"] == [["sku": "A1", "qty": .integer(3), "status": "new"]])
    #expect(state["anything"] == [1, 2])
  }

  @Test("writing the existing value in another form is no change")
  func same() throws {
    let trial = try trial("s.hp = 100.0 s.pos.x = 1.0")
    try trial.play("run")
    #expect(try trial.host.commits.last?.writes.changes.isEmpty == true)
  }

  @Test("a value that does not fit can be caught with pcall, and nothing was written")
  func caught() throws {
    let trial = try trial("print(pcall(function() s.hp = 500 end)) s.rate = s.hp")
    #expect(try trial.play("run") == "run passed (#1)")
    #expect(
      trial.printed.take() == [
        "false\torder.lua:13: state.hp must be an integer from 0 to 100, got 500"
      ])
    #expect(try trial.state("rate") == 100)
  }

  // MARK: Tables

  @Test("a stored table is the script's own until the function ends, and then completed")
  func put() throws {
    let trial = try trial(
      """
      local it = { sku = "A1" }
      table.insert(s.items, it)
      print(s.items[1].status, it.status)
      it.qty = 4
      s.items[1].status = nil
      """,
      more: """
        machine.m { initial = "a", a = { run = "b" }, b = { on_enter = function(s) print(s.items[1].status, s.items[1].qty) s.items[1].qty = 9 end } }
        """)
    #expect(try trial.play("run") == "run passed (#1)")
    #expect(trial.printed.take() == ["nil\tnil", "new\t4"])
    #expect(try trial.state("items") == [["sku": "A1", "qty": 9, "status": "new"]])
    try trial.host.undo()
    #expect(try trial.state("items") == .list([]))
    try trial.host.redo()
    #expect(try trial.state("items") == [["sku": "A1", "qty": 9, "status": "new"]])
  }

  @Test("a stored value that does not fit fails with its own line before the next function runs")
  func failsFirst() throws {
    let trial = try trial(
      "table.insert(s.items, {})",
      more:
        "machine.m { initial = 'a', a = { run = 'b' }, b = { on_enter = function(s) print('never') end } }"
    )
    #expect(try trial.play("run").hasPrefix("order.lua:13: state.items[1].qty must be"))
    #expect(trial.printed.take() == [])
    #expect(try trial.host.revision == 0)
  }

  @Test("one table that is stored twice becomes two records, independent of the script's")
  func twice() throws {
    let trial = try trial(
      """
      local start = { name = "n" }
      s.players.a, s.players.b = start, start
      """, more: "action.hit {} function reduce.hit(s) s.players.a.lives = 0 end")
    try trial.play("run")
    try trial.play("hit")
    #expect(
      try trial.state("players") == [
        "a": ["name": "n", "lives": 0], "b": ["name": "n", "lives": 3],
      ])
  }

  @Test("lengths are checked when the function ends, so that it may insert and trim")
  func trims() throws {
    #expect(
      try outcome(
        """
        for i = 1, 9 do table.insert(s.items, { sku = "A1", qty = i }) end
        while #s.items > 3 do table.remove(s.items, 1) end
        """) == "run passed (#2)")
  }

  @Test("an empty table becomes a list or a map according to its type, and so does its patch")
  func empty() throws {
    let trial = try trial("s.players, s.items = {}, {} s.players.x = { name = 'x' }")
    try trial.play("run")
    #expect(try trial.state("players") == ["x": ["name": "x", "lives": 3]])
    #expect(try trial.state("items") == .list([]))
  }

  @Test("a removed table can be moved to a place of the same type, and is copied to others")
  func moves() throws {
    let trial = try trial(
      """
      local it = table.remove(s.items, 1)
      it.status = "sent"
      table.insert(s.shipped, it)
      s.anything = { last = s.shipped[1] }
      print(s.shipped[1] == it)
      """)
    try trial.play("add", ["item": ["sku": "A1", "qty": 2]])
    #expect(try trial.play("run") == "run passed (#2)")
    #expect(trial.printed.take() == ["true"])
    let sent: Value = ["sku": "A1", "qty": 2, "status": "sent"]
    #expect(try trial.state("shipped") == [sent])
    #expect(try trial.state("anything") == ["last": sent])
    #expect(try trial.state("items") == .list([]))
  }

  @Test("a record of another type is copied and checked where it is stored")
  func otherType() throws {
    #expect(
      try outcome("s.players.x = s.items[1]").hasPrefix(
        "order.lua:13: state.players.x has no field qty (put here)"))
  }

  @Test("optional fields and entries of maps can be removed")
  func emptied() throws {
    let trial = try trial(
      """
      s.address = { street = "A", town = "B" }
      s.address = nil
      s.players.x = { name = "x" }
      s.players.x = none
      s.scores[7] = 1
      s.scores[7] = nil
      """)
    #expect(try trial.play("run") == "run passed (#1)")
    #expect(try trial.state("address") == .nil)
    #expect(try trial.state("players") == [:])
  }

  @Test("views and rules see the typed values, and an undeclared field of an element is an error")
  func views() throws {
    let trial = try trial(
      "",
      more:
        "function view.first(s) return s.items[1] and s.items[1].qty end\nfunction view.typo(s) return s.items[1].qtty end"
    )
    #expect(try trial.host.view("first") == .nil)
    try trial.play("add", ["item": ["sku": "A1", "qty": 2]])
    #expect(try trial.host.view("first") == 2)
    let error = #expect(throws: (any Error).self) { try trial.host.view("typo") }
    #expect(
      "\(error.map { "\($0)" } ?? "")".contains(
        "state.items[1] has no field qtty; did you mean qty?"))
  }

  @Test("cloned hosts of a loaded flow check the same types")
  func cast() throws {
    let flow = try LoadedFlow(
      source:
        "state { n = integer { max = 1, default = 0 } } action.go {} function reduce.go(s) s.n = s.n + 1 end"
    )
    for _ in 0..<4 {
      let host = try FlowHost(flow)
      #expect(try host.dispatch("go").commit?.revision == 1)
      #expect(
        "\(try host.dispatch("go"))".contains("state.n must be an integer of at most 1, got 2"))
    }
  }

  @Test("a field of type any is required in a stored record, like in a payload")
  func anyField() throws {
    let host = try FlowHost(
      source: """
        local row = { note = any, n = integer { default = 0 } }
        state { rows = list_of(row) }
        action.add { row = row }
        action.bare {}
        function reduce.add(s, a) table.insert(s.rows, a.row) end
        function reduce.bare(s) table.insert(s.rows, { n = 1 }) end
        """, options: HostOptions(report: { _ in }))
    #expect(
      "\(try host.dispatch("add", ["row": [:]]))".contains("note is missing")
    )
    #expect(
      "\(try host.dispatch("bare"))".contains(
        "state.rows[1].note is missing"))
    #expect(try host.dispatch("add", ["row": ["note": 1]]).isPassed)
  }
}
