import LuaRuntime
import Testing

@testable import FlowKernel
@testable import FlowLanguage

/// Types of records with machines, of given states, and of the states of an earlier text.
@Suite struct TypedRecordsTests {
  private static let players = """
    state {
      players = map_of { name = string, lives = integer { min = 0, default = 3 } },
      benched = map_of { name = string, lives = integer { min = 0, default = 3 } },
      seen = 0,
    }
    action.join { id = string }
    for _, name in ipairs { "ready", "hit", "bench" } do action[name] { id = string } end
    function reduce.join(s, a) s.players[a.id] = { name = a.id } end
    function reduce.hit(s, a) local p = s.players[a.id]; p.lives = p.lives - 1 end
    function reduce.bench(s, a) s.benched[a.id] = s.players[a.id]; s.players[a.id] = nil end
    machine.stage { each = "players", which = "id", without = { join = true }, initial = "waiting",
      waiting = { ready = "playing", join = true }, playing = { hit = true, bench = true, join = true } }
    """

  @Test("a machine's field belongs to the record's type, and exists once the record does")
  func machines() throws {
    let trial = try Trial(Self.players)
    try trial.play("join", ["id": "ann"])
    #expect(try trial.state("players") == ["ann": ["name": "ann", "lives": 3, "stage": "waiting"]])
    try trial.play("ready", ["id": "ann"])
    for _ in 0..<3 { #expect(try trial.play("hit", ["id": "ann"]).contains("passed")) }
    #expect(
      try trial.play("hit", ["id": "ann"]).contains(
        "state.players.ann.lives must be an integer of at least 0, got -1"))
    try trial.host.undo(4)
    #expect(try trial.state("players") == ["ann": ["name": "ann", "lives": 3, "stage": "waiting"]])
    try trial.host.redo(4)
    #expect(try trial.state("players") == ["ann": ["name": "ann", "lives": 0, "stage": "playing"]])
  }

  @Test("a record that moves to another collection loses the machine's field")
  func benched() throws {
    let trial = try Trial(Self.players)
    try trial.play("join", ["id": "ann"])
    try trial.play("ready", ["id": "ann"])
    try trial.play("bench", ["id": "ann"])
    #expect(try trial.state("benched") == ["ann": ["name": "ann", "lives": 3]])
    #expect(try trial.state("players") == [:])
  }

  @Test("a script cannot write the machine's field, not even in a new record")
  func guarded() throws {
    let trial = try Trial(
      Self.players + """

        action.cheat {} action.bring {}
        function reduce.cheat(s) s.players.ann.stage = "playing" end
        function reduce.bring(s) s.players.bob = { name = "bob", stage = "playing" } end
        """)
    try trial.play("join", ["id": "ann"])
    #expect(
      try trial.play("cheat").contains(
        "state.players.ann.stage: only its machine can change this field")
    )
    #expect(try trial.play("bring").contains("only its machine can change this field"))
  }

  @Test(
    "a machine and a type of the same records must be compatible",
    arguments: [
      (
        "p = map_of { stage = string }", "string",
        "state.p: machine stage adds the field stage to these records itself; leave it out of the type"
      ),
      (
        "p = map_of(integer)", "string",
        "machine stage: each = \"p\": its elements are an integer"
      ),
      (
        "p = map_of { { n = string }, key = integer }", "string",
        "id names a record of p for machine stage, whose keys are integers"
      ),
      (
        "p = map_of { n = string }", "integer",
        "id names a record of p for machine stage, whose keys are strings"
      ),
    ])
  func faults(_ field: String, _ key: String, _ message: String) {
    let error = #expect(throws: FlowError.self) {
      try Trial(
        "state { \(field) }\naction.go { id = \(key) }\nmachine.stage { each = \"p\", which = \"id\", initial = \"a\", a = { go = \"b\" }, b = {} }"
      )
    }
    #expect(error?.description.contains(message) == true, "\(error?.description ?? "")")
  }

  // MARK: Given

  private func engine(_ source: String) throws -> Engine {
    try Engine(LoadedFlow(source: source), limits: Limits(), log: ScriptLog { _ in })
  }

  @Test("a given state is completed and checked")
  func given() throws {
    let engine = try engine(Self.players)
    #expect(engine.merge(["players": ["ann": ["name": "Ann", "stage": "playing"]]]) == nil)
    #expect(
      try engine.state()["players"] == ["ann": ["name": "Ann", "lives": 3, "stage": "playing"]])
    #expect(
      engine.merge(["players": ["bob": ["lives": 1]]])?.message.contains(
        "state.players.bob.name must be a string, but is missing") == true)
    #expect(
      engine.merge(["players": ["ann": ["lives": -1]]])?.message.contains(
        "state.players.ann.lives must be an integer of at least 0, got -1") == true)
    #expect(try engine.state()["players"]?["bob"] == nil)
  }

  // MARK: Another text

  @Test("a reload adds new fields, or reports all values that do not fit and changes nothing")
  func reload() throws {
    func flow(_ qty: String, more: String = "") -> String {
      """
      state { items = list_of { sku = string, qty = integer\(qty)\(more) }, n = 0 }
      action.add { qty = integer }
      function reduce.add(s, a) table.insert(s.items, { sku = "A", qty = a.qty }) end
      """
    }
    let trial = try Trial(flow(""))
    for qty in [0, 5, -1] { try trial.play("add", ["qty": .integer(qty)]) }
    let before = try trial.host.state()
    let error = #expect(throws: (any Error).self) {
      _ = try trial.host.reload(to: LoadedFlow(source: flow(" { min = 1 }")))
    }
    let message = error.map { "\($0)" } ?? ""
    #expect(
      message.contains(
        "the state does not fit: state.items[1].qty must be an integer of at least 1, got 0; "
          + "state.items[3].qty must be an integer of at least 1, got -1"), "\(message)")
    #expect(try trial.host.state() == before)
    _ = try trial.host.reload(
      to: LoadedFlow(source: flow(" { min = -1 }", more: ", note = string { default = \"none\" }")))
    #expect(try trial.state("items")[1]?["note"] == "none")
    #expect(
      try trial.play("add", ["qty": -2]).contains(
        "state.items[4].qty must be an integer of at least -1"))
  }

  @Test("an untyped state becomes typed by a reload where it fits")
  func becomesTyped() throws {
    let trial = try Trial(
      "state { all = map { a = { n = 1.0 } } } action.set {} function reduce.set(s) s.all.a.n = 2.5 end"
    )
    let typed =
      "state { all = map_of { n = integer } } action.set {} function reduce.set(s) s.all.a.n = 7 end"
    _ = try trial.host.reload(to: LoadedFlow(source: typed))
    #expect(try trial.state("all") == ["a": ["n": .integer(1)]])
    try trial.play("set")
    #expect(try trial.state("all") == ["a": ["n": 7]])
    #expect(throws: (any Error).self) {
      _ = try trial.host.reload(
        to: LoadedFlow(source: "state { all = list_of { n = integer } } action.set {}"))
    }
  }
}
