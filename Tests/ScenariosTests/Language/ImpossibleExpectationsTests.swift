import Testing

@testable import Scenarios

/// Expectations and `given` against the types of the state.
@Suite struct ImpossibleExpectationsTests {
  private static let flow = """
    local item = { sku = string { pattern = "^%u%d+$" }, qty = integer { min = 1 },
      status = one_of { "new", "sent", default = "new" } }
    state {
      items = list_of { item, max_length = 2 }, hp = integer { default = 1, min = 0 },
      address = optional { street = string }, pos = { x = number { default = 0 }, y = 0 },
      players = map_of { { lives = integer { default = 3 } }, key = string { max_length = 5 } },
      scores = map_of { integer, key = integer { min = 1 } }, anything = optional(any), note = "",
    }
    machine.stage { each = "players", which = "id", initial = "waiting", waiting = { ready = "playing" }, playing = {} }
    action.ready { id = string } action.add { item = item }
    function reduce.add(s, a) table.insert(s.items, a.item) end
    """

  @Test(
    "an expectation that the state can never meet is an error of the scenario, at its line",
    arguments: [
      (
        "expect { items = { { statsu = \"new\" } } }",
        "state.items[1] has no field statsu; did you mean status?"
      ),
      (
        "expect { items = { { status = \"snet\" } } }",
        "state.items[1].status must be one of \"new\", \"sent\", got \"snet\"; did you mean \"sent\"?"
      ),
      (
        "expect { items = { { quantity = 2 } } }",
        "state.items[1] has no field quantity; did you mean qty?"
      ),
      (
        "expect { items = { [2] = { qty = 0 } } }",
        "state.items[2].qty must be an integer of at least 1, got 0"
      ),
      (
        "expect { items = { { sku = \"a1\" } } }",
        "state.items[1].sku must be a string that matches \"^%u%d+$\", got \"a1\""
      ),
      (
        "expect { items = { {}, {}, {} } }",
        "state.items must be a list of at most 2 records, got 3"
      ),
      (
        "expect { items = { a = 1 } }",
        "state.items must be a list of at most 2 records, got { a = 1 }"
      ),
      ("expect { hp = \"one\" }", "state.hp must be an integer of at least 0, got \"one\""),
      (
        "expect { hp = 0.5 }",
        "state.hp must be an integer of at least 0, got 0.5; x // y gives a whole number"
      ),
      ("expect { hp = none }", "state.hp always has a value (it is an integer of at least 0)"),
      ("expect { pos = { x = true } }", "state.pos.x must be a number, got true"),
      ("expect { [\"pos.x\"] = true }", "state.pos.x must be a number, got true"),
      (
        "expect { [\"items[1].qty\"] = 0 }",
        "state.items[1].qty must be an integer of at least 1, got 0"
      ),
      ("expect { address = { town = \"B\" } }", "state.address has no field town"),
      (
        "expect { players = { ann = { lifes = 2 } } }",
        "state.players.ann has no field lifes; did you mean lives?"
      ),
      (
        "expect { players = { ann = { stage = \"plaing\" } } }",
        "state.players.ann.stage must be one of \"playing\", \"waiting\", got \"plaing\"; did you mean \"playing\"?"
      ),
      (
        "expect { players = { bernhard = { lives = 2 } } }",
        "the key of state.players.bernhard must be a string of at most 5 characters, got \"bernhard\""
      ),
      (
        "expect { scores = { [0] = 1 } }",
        "the key of state.scores[0] must be an integer of at least 1, got 0"
      ),
      ("expect.state { hp = \"x\" }", "state.hp must be an integer of at least 0, got \"x\""),
      (
        "pass.add { item = { sku = \"A1\", qty = 1 } } expect.change { hp = \"x\" }",
        "state.hp must be an integer of at least 0, got \"x\""
      ),
      ("given { hp = \"x\" }", "given: state.hp must be an integer of at least 0, got \"x\""),
      (
        "given { items = { { sku = \"A1\" } } }",
        "given: state.items[1].qty must be an integer of at least 1, but is missing"
      ),
      (
        "given { items = { { sku = \"A1\", qty = 1, quantity = 1 } } }",
        "given: state.items[1] has no field quantity; did you mean qty?"
      ),
    ])
  func impossible(_ body: String, _ sentence: String) throws {
    #expect(try Played.verdict(of: body, flow: Self.flow) == "ERROR a.scenario.lua:3: " + sentence)
  }

  @Test(
    "a possible expectation is compared, with matchers and untyped fields too",
    arguments: [
      "expect { items = {}, hp = 1.0, address = none, anything = none, note = \"\" }",
      "expect { players = { ann = none } }",
      "given { players = { ann = {} } } expect { players = { ann = { lives = 3, stage = \"waiting\" } } }",
      "expect { hp = near(1, 0.5), items = one_of { {}, 5 }, pos = { x = any, y = 0 } }",
      "given { anything = { deep = { 1 } } } expect { anything = { deep = { 1 } } }",
      "given { scores = map { [2] = 5 } } expect { scores = { [2] = 5 } }",
      "pass.add { item = { sku = \"A1\", qty = 1 } } expect.change { [\"items[1].sku\"] = \"A1\", [\"items[1].qty\"] = 1, [\"items[1].status\"] = \"new\" }",
    ])
  func possible(_ body: String) throws {
    #expect(try Played.verdict(of: body, flow: Self.flow) == "ok it")
  }

  @Test("a possible expectation that does not hold is a mismatch")
  func different() throws {
    #expect(
      try Played.verdict(of: "expect { hp = 2, items = { { qty = 1 } } }", flow: Self.flow)
        .hasPrefix("FAIL a.scenario.lua:3: the state is not as expected | hp: 2, found 1"))
  }
}
