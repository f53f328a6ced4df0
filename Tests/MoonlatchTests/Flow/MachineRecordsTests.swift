import Testing

/// Errors in machines per record.
@Suite struct MachineRecordsTests {
  private func faults(of machine: String) -> [String] {
    MoonlatchTests.faults(
      of: """
        state { players = map {}, rows = list {}, orders = map { a = { items = list {} } } }
        action.go { id = string } action.all {} action.ship { skus = list_of(string), id = optional(string) }
        \(machine)
        """)
  }

  @Test("each and which are checked, each with a message that explains it")
  func words() {
    #expect(
      faults(
        of: """
          machine.m {
            which = "id",
            initial = "a", a = { go = "a" },
          }
          machine.n {
            each = "player",
            initial = "a", a = { go = "a" },
          }
          machine.o { each = "orders.", field = 3, which = {}, which_in = "skus", without = { go = 1 },
            initial = "a", a = { go = "a" } }
          """) == [
          "flow.lua:4: machine m: which needs each, the path of the records",
          "flow.lua:8: machine n: each = \"player\": there is no field state.player; did you mean players?",
          "flow.lua:11: machine o: each must be the path of records, such as \"orders.*.items\"",
          "flow.lua:11: machine o: field must be the name of a field of the records",
          "flow.lua:11: machine o: which must be the payload field that names the record, or a list of such fields",
          "flow.lua:11: machine o: which_in takes a table: which_in = { ACTION = \"field\" }",
          "flow.lua:11: machine o: without takes a table: without = { ACTION = true }",
        ])
  }

  @Test("the field that names the record is required, and one that names several is a list")
  func payloads() {
    #expect(
      faults(
        of: """
          machine.m {
            each = "players",
            which = "id",
            initial = "a", a = { go = "a", ship = true },
          }
          machine.n {
            each = "players",
            which = "id",
            which_in = {
              ship = "skus",
              go = "id",
              goo = "id" },
            without = { al = true },
            initial = "a", a = { go = "a", ship = true, all = true },
          }
          """) == [
          "flow.lua:5: machine m: which = \"id\" names the record of ship, but may be missing there (flow.lua:2); make it required in ship",
          "flow.lua:13: machine n: which_in.go names id, which is not a list in the payload of go (flow.lua:2)",
          "flow.lua:14: machine n: which_in: there is no action goo; did you mean go?",
          "flow.lua:15: machine n: without: there is no action al; did you mean all?",
        ])
  }

  @Test("timers for records in a list are an error, and always takes the record only")
  func timers() throws {
    #expect(
      faults(
        of: """
          machine.m { each = "rows", initial = "a", a = {
            after = { all = 1 }, all = true,
            always = { to = "b", when = function(s, a) return true end } }, b = { all = "a" } }
          machine.n { each = "orders.*.items", initial = "a",
            a = { every = { { 1, "b" } } }, b = {} }
          """) == [
          "flow.lua:4: machine m: a.after: the records of rows are in a list, where their positions change; store them in a map",
          "flow.lua:5: machine m: a.always: when must be a function of (it), where it is the record",
          "flow.lua:7: machine n: a.every: the records of orders.*.items are in a list, where their positions change; store them in a map",
        ])
    let machine = try readMachine(
      """
      state { players = map {} }
      action.go { id = string } action.all {}
      machine.m { each = "players", which = "id", initial = "a", a = { after = { go = 1 }, go = "a",
        always = { to = "b", when = function(it) return it.n end } }, b = { all = "a" } }
      """)
    #expect(machine.transitions(of: "a") == ["go inner to a", "always inner to b when"])
  }
}
