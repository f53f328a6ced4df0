import Testing

@testable import FlowHosting

/// The field of a record's machine: write access, and the same name elsewhere.
@Suite struct RecordFieldsTests {
  @Test(
    "only the machine writes its field of a record, even in new and removed records",
    arguments: [
      (
        "s.players.ann.stage = \"out\"",
        "state.players.ann.stage: only its machine can change this field"
      ),
      ("s.players.ann.stage = nil", "only its machine can change this field"),
      (
        "local it = s.players.ann s.players.ann = nil it.stage = \"out\" s.players.ann = it",
        "only its machine can change this field"
      ),
      (
        "s.players.bob = { lives = 1, stage = \"out\" }",
        "state.players.bob.stage: only its machine can change this field: leave it out"
      ),
      ("s.players = { bob = { stage = \"out\" } }", "state.players.bob.stage: only its machine"),
      ("s.players.bob = { 1, 2 }", "a list cannot have a machine; only a record can"),
      (
        "s.players.bob = map { [5] = 1 }",
        "a map with integer keys cannot have a machine; only a record can"
      ),
    ])
  func guarded(_ body: String, _ message: String) throws {
    let host = try FlowHost(
      source: RecordMachinesTests.lobby
        + "\naction.break_it {}\nfunction reduce.break_it(s) \(body) end")
    _ = try host.dispatch("join", ["id": "ann"])
    let before = try host.state()
    let failure = try #require(try host.dispatch("break_it").failure)
    #expect(failure.message.contains(message))
    #expect(try host.state() == before)
    #expect(try host.dispatch("ready", ["id": "ann"]).commit != nil)
  }

  @Test("a field of the same name elsewhere is an ordinary one")
  func elsewhere() throws {
    let host = try FlowHost(
      source: """
        state { players = map {}, other = map {} }
        action.go {}
        action.back {}
        action.up { id = string }
        machine.stage { each = "players", which = "id", initial = "a", a = { up = "b" }, b = {} }
        function reduce.go(s)
          s.players.x = { n = 1 }
          s.other.x = { stage = "mine" }
          s.other.x.stage = "still mine"
        end
        function reduce.back(s)
          s.other.y = s.players.x
          s.players.x = nil
          s.players.z = s.other.x
          s.other.x = nil
          s.other.y.stage = "free"
        end
        """)
    #expect(try host.dispatch("go").commit != nil)
    #expect(try host.state()["players"] == ["x": ["n": 1, "stage": "a"]])
    #expect(try host.state()["other"] == ["x": ["stage": "still mine"]])
    _ = try host.dispatch("up", ["id": "x"])
    let outcome = try host.dispatch("back")
    #expect(outcome.failure?.message.contains("only its machine can change") == true)
  }

  @Test("a removed record becomes an ordinary one, and an added record enters the initial state")
  func comesAndGoes() throws {
    let host = try FlowHost(
      source: """
        state { players = map {}, other = map { q = { n = 7, stage = "was mine" } } }
        action.go {}
        action.free {}
        action.up { id = string }
        machine.stage { each = "players", which = "id", initial = "a", a = { up = "b" }, b = {} }
        function reduce.go(s)
          s.players.q = s.other.q
          s.other.q = nil
          s.other.x = s.players.x
          s.players.x = nil
        end
        action.begin {}
        function reduce.begin(s) s.players.x = { n = 1 } end
        function reduce.free(s) s.other.x.stage = "free" end
        """)
    _ = try host.dispatch("begin")
    _ = try host.dispatch("up", ["id": "x"])
    let before = try host.state()
    #expect(try host.dispatch("go").commit != nil)
    let after = try host.state()
    #expect(after["players"] == ["q": ["n": 7, "stage": "a"]])
    #expect(after["other"] == ["x": ["n": 1, "stage": "b"]])
    #expect(try host.dispatch("free").commit != nil)
    #expect(try host.dispatch("up", ["id": "q"]).commit != nil)
    _ = try host.undo(3)
    #expect(try host.state() == before)
    _ = try host.redo(1)
    #expect(try host.state() == after)
  }
}
