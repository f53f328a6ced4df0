import LuaRuntime
import Testing

@testable import FlowHosting
@testable import FlowKernel
@testable import FlowLanguage

/// A machine for each record of a list, a map or a record.
@Suite struct RecordMachinesTests {
  static let lobby = """
    state { players = map {}, log = list {} }
    action.join { id = string } action.leave { id = string } action.ready { id = string }
    action.unready { id = string } action.hit { id = string }
    action.start {} action.finish {} action.rename { from = string, to = string }
    action.clear {} action.copy { from = string, to = string } action.swap { a = string, b = string }
    machine.lobby {
      initial = "open",
      open    = { join = true, leave = true, start = { to = "running",
        when = function(s) return next(s.players), "nobody is here" end } },
      running = { leave = true, finish = "open" },
    }
    machine.stage {
      each    = "players", which = "id", without = { join = true },
      initial = "waiting",
      waiting = { ready = "ready", start = { refuse = "not ready" }, leave = true },
      ready   = { unready = "waiting", start = "playing", leave = true,
        on_enter = function(s, a, it, id) table.insert(s.log, id .. " is " .. it.stage) end },
      playing = {
        leave = true,
        hit = { { to = "out", when = function(s, a, it) return it.lives <= 1 end },
                { reduce = function(s, a, it, id) it.lives = it.lives - 1 end } },
      },
      out     = { leave = true },
      ["*"]   = { finish = "waiting" },
    }
    function reduce.join(s, a)  s.players[a.id] = { lives = 2 } end
    function reduce.leave(s, a) s.players[a.id] = nil end
    function reduce.clear(s) s.players = map {} end
    function reduce.rename(s, a)
      local it = s.players[a.from]
      s.players[a.from] = nil
      s.players[a.to] = it
    end
    function reduce.copy(s, a) s.players[a.to] = s.players[a.from] end
    function reduce.swap(s, a)
      s.players[a.a], s.players[a.b] = s.players[a.b], s.players[a.a]
    end
    """

  func lobby() throws -> FlowHost { try FlowHost(source: Self.lobby) }

  func stage(_ id: String, in host: FlowHost) throws -> String? {
    try host.state()["players"]?[id]?["stage"]?.stringValue
  }

  @Test("a new record enters the initial state, and the patch has the whole record")
  func birth() throws {
    let host = try lobby()
    let commit = try #require(try host.dispatch("join", ["id": "ann"]).commit)
    #expect(try stage("ann", in: host) == "waiting")
    #expect(
      commit.writes.description.contains(
        #"players.ann: nil -> { lives = 2, stage = "waiting" }"#))
  }

  @Test("an action takes a transition of the named record's machine only")
  func named() throws {
    let host = try lobby()
    for id in ["ann", "bob"] { _ = try host.dispatch("join", ["id": .string(id)]) }
    #expect(try host.dispatch("ready", ["id": "bob"]).commit != nil)
    #expect(try stage("ann", in: host) == "waiting")
    #expect(try stage("bob", in: host) == "ready")
    #expect(try host.state()["log"] == ["bob is ready"])
  }

  @Test("an action for a missing record is refused")
  func missing() throws {
    let host = try lobby()
    #expect(
      try host.dispatch("ready", ["id": "zoe"]).refusal?.reason == #"there is no players["zoe"]"#)
    #expect(
      try host.dispatch("ready", ["id": "a b"]).refusal?.description
        == #"refused by machine stage: there is no players["a b"]"#)
  }

  @Test("a value that cannot be a key names no record, and the refusal has no memory address in it")
  func noKey() throws {
    let host = try FlowHost(
      source: """
        state { players = map { a = { n = 1 } } }
        action.go { id = any }
        machine.stage { each = "players", which = "id", initial = "x", x = { go = true } }
        """)
    #expect(try host.dispatch("go", ["id": "a"]).commit != nil)
    #expect(
      try host.dispatch("go", ["id": [1, 2]]).refusal?.reason == "there is no players[table]")
    #expect(try host.dispatch("go", ["id": true]).refusal?.reason == "there is no players[boolean]")
    #expect(try host.dispatch("go", ["id": 1.5]).refusal?.reason == "there is no players[1.5]")
  }

  @Test("a refusal names the record's state and the states in which the action is possible")
  func impossible() throws {
    let host = try lobby()
    _ = try host.dispatch("join", ["id": "ann"])
    #expect(
      try host.dispatch("hit", ["id": "ann"]).refusal?.reason
        == #"hit is not possible for players["ann"] in waiting (possible in: playing)"#)
  }

  @Test("an action without the key concerns all records, and one refusal refuses it for all")
  func all() throws {
    let host = try lobby()
    #expect(try host.dispatch("start").refusal?.reason == "nobody is here")
    for id in ["bob", "ann"] { _ = try host.dispatch("join", ["id": .string(id)]) }
    #expect(
      try host.dispatch("start").refusal?.reason
        == #"start is not possible for players["ann"]: not ready"#)
    _ = try host.dispatch("ready", ["id": "ann"])
    #expect(
      try host.dispatch("start").refusal?.reason
        == #"start is not possible for players["bob"]: not ready"#)
    _ = try host.dispatch("ready", ["id": "bob"])
    #expect(try host.dispatch("start").commit != nil)
    #expect(try stage("ann", in: host) == "playing")
    #expect(try stage("bob", in: host) == "playing")
    #expect(try host.state()["lobby"] == "running")
    #expect(try host.dispatch("finish").commit != nil)
    #expect(try stage("bob", in: host) == "waiting")
  }

  @Test("guards and reducers of a record's machine get the record and its key")
  func functions() throws {
    let host = try lobby()
    for (action, id) in [("join", "ann"), ("ready", "ann")] {
      _ = try host.dispatch(action, ["id": .string(id)])
    }
    _ = try host.dispatch("start")
    _ = try host.dispatch("hit", ["id": "ann"])
    #expect(try host.state()["players"]?["ann"] == ["lives": 1, "stage": "playing"])
    _ = try host.dispatch("hit", ["id": "ann"])
    #expect(try host.state()["players"]?["ann"] == ["lives": 1, "stage": "out"])
  }

  @Test("a record moved within its collection keeps its state, and a copy enters the initial state")
  func moves() throws {
    let host = try lobby()
    for (action, id) in [("join", "ann"), ("ready", "ann"), ("join", "bob")] {
      _ = try host.dispatch(action, ["id": .string(id)])
    }
    #expect(try host.dispatch("rename", ["from": "ann", "to": "eve"]).commit != nil)
    #expect(try stage("eve", in: host) == "ready")
    #expect(try stage("ann", in: host) == nil)
    #expect(try host.dispatch("swap", ["a": "eve", "b": "bob"]).commit != nil)
    #expect(try stage("bob", in: host) == "ready")
    #expect(try stage("eve", in: host) == "waiting")
    #expect(try host.dispatch("copy", ["from": "bob", "to": "ida"]).commit != nil)
    #expect(try stage("ida", in: host) == "waiting")
    #expect(try stage("bob", in: host) == "ready")
  }

  @Test("undo and redo restore records and their states")
  func undo() throws {
    let host = try lobby()
    for (action, id) in [("join", "ann"), ("ready", "ann"), ("join", "bob"), ("leave", "ann")] {
      _ = try host.dispatch(action, ["id": .string(id)])
    }
    let last = try host.state()
    _ = try host.undo()
    #expect(try stage("ann", in: host) == "ready")
    #expect(try host.dispatch("unready", ["id": "ann"]).commit != nil)
    _ = try host.undo()
    _ = try host.redo()
    #expect(try stage("ann", in: host) == "waiting")
    _ = try host.undo(2)
    #expect(try stage("bob", in: host) == nil)
    _ = try host.undo(2)
    #expect(try host.state()["players"] == [:])
    _ = try host.dispatch("join", ["id": "ann"])
    #expect(try stage("ann", in: host) == "waiting")
    _ = last
  }

  @Test("records of the initial state enter the machine's initial state, in closed records too")
  func initial() throws {
    let host = try FlowHost(
      source: """
        state { ends = { a = { sent = 0 }, b = { sent = 0 } }, rows = list { { n = 1 }, { n = 2 } } }
        action.open { at = one_of { "a", "b" } }
        action.tick { row = integer }
        action.replace {}
        machine.status { each = "ends", which = "at", initial = "closed", closed = { open = "opened" },
          opened = {} }
        machine.phase { each = "rows", which = "row", initial = "new", new = { tick = "old" }, old = {} }
        function reduce.replace(s) s.ends.a = { sent = 5 } table.remove(s.rows, 1) end
        """)
    #expect(
      try host.state()["ends"] == [
        "a": ["sent": 0, "status": "closed"], "b": ["sent": 0, "status": "closed"],
      ])
    #expect(try host.dispatch("open", ["at": "b"]).commit != nil)
    #expect(try host.dispatch("tick", ["row": 2]).commit != nil)
    #expect(try host.dispatch("tick", ["row": 3]).refusal?.reason == "there is no rows[3]")
    _ = try host.dispatch("open", ["at": "a"])
    #expect(try host.dispatch("replace").commit != nil)
    #expect(try host.state()["ends"]?["a"] == ["sent": 5, "status": "closed"])
    #expect(try host.state()["rows"] == [["n": 2, "phase": "old"]])
  }

  @Test("nested records are identified by two keys, and the first alone means all below it")
  func within() throws {
    let host = try FlowHost(
      source: """
        state { orders = map {} }
        action.order { order = string }
        action.add { order = string, item = string }
        action.pack { order = string, item = string }
        action.ship { order = string, items = list_of(string) }
        action.ship_all { order = string }
        action.cancel {}
        machine.status {
          each = "orders.*.items", which = { "order", "item" }, which_in = { ship = "items" },
          initial = "new",
          new = { pack = "packed", cancel = "gone" }, packed = { ship = "sent", ship_all = "sent",
            cancel = "gone" },
          sent = { cancel = { refuse = "it is sent" } }, gone = { final = true },
        }
        function reduce.order(s, a) s.orders[a.order] = { items = map {} } end
        function reduce.add(s, a) s.orders[a.order].items[a.item] = { n = 1 } end
        """)
    for order in ["o1", "o2"] {
      _ = try host.dispatch("order", ["order": .string(order)])
      for item in ["x", "y"] {
        _ = try host.dispatch("add", ["order": .string(order), "item": .string(item)])
      }
    }
    #expect(try host.dispatch("pack", ["order": "o1", "item": "x"]).commit != nil)
    #expect(
      try host.dispatch("pack", ["order": "o1", "item": "q"]).refusal?.reason
        == #"there is no orders["o1"].items["q"]"#)
    #expect(
      try host.dispatch("ship", ["order": "o1", "items": ["x", "y"]]).refusal?.reason
        == #"ship is not possible for orders["o1"].items["y"] in new (possible in: packed)"#)
    #expect(try host.dispatch("ship_all", ["order": "o1"]).commit != nil)
    #expect(try host.state()["orders"]?["o1"]?["items"]?["x"]?["status"] == "sent")
    #expect(try host.state()["orders"]?["o1"]?["items"]?["y"]?["status"] == "new")
    #expect(
      try host.dispatch("cancel").refusal?.reason
        == #"cancel is not possible for orders["o1"].items["x"]: it is sent"#)
    #expect(
      try host.dispatch("ship_all", ["order": "o2"]).refusal?.reason
        == "ship_all is not possible for any of orders.*.items (possible in: packed)")
  }

  @Test("after all records are removed none has a state, and a new one enters the initial state")
  func clear() throws {
    let host = try lobby()
    for id in ["a", "b"] { _ = try host.dispatch("join", ["id": .string(id)]) }
    #expect(try host.dispatch("clear").commit != nil)
    #expect(
      try host.dispatch("finish").refusal?.reason
        == "finish is not possible in open (possible in: running)")
    _ = try host.dispatch("join", ["id": "a"])
    #expect(try stage("a", in: host) == "waiting")
  }

  @Test("a failed dispatch leaves every record unchanged")
  func rollback() throws {
    let host = try FlowHost(
      source: Self.lobby
        + """

        action.fail { id = string }
        function reduce.fail(s, a)
          local old = s.players
          s.players = map {}
          s.players.new = { lives = 9 }
          s.players.kept = old[a.id]
          error("no")
        end
        """)
    for (action, id) in [("join", "ann"), ("ready", "ann"), ("join", "bob")] {
      _ = try host.dispatch(action, ["id": .string(id)])
    }
    let before = try host.state()
    #expect(try host.dispatch("fail", ["id": "ann"]).failure != nil)
    #expect(try host.state() == before)
    #expect(try host.dispatch("unready", ["id": "ann"]).commit != nil)
    _ = try host.dispatch("join", ["id": "cid"])
    #expect(try stage("cid", in: host) == "waiting")
  }

  @Test("several hosts of one flow have separate records")
  func cast() throws {
    let flow = try LoadedFlow(source: Self.lobby)
    for round in 1...4 {
      let host = try FlowHost(flow)
      _ = try host.dispatch("join", ["id": .string("p\(round)")])
      #expect(try stage("p\(round)", in: host) == "waiting")
      #expect(try host.dispatch("ready", ["id": .string("p\(round)")]).commit != nil)
    }
  }

  static let nested = """
    state { players = map {} }
    action.join { id = string } action.power { id = string } action.mute { id = string }
    action.play { id = string }
    machine.player {
      each = "players", which = "id", without = { join = true },
      initial = "off",
      off = { power = "on" },
      on = {
        power = "off", parallel = { "transport", "sound" },
        transport = { initial = "stopped", stopped = { play = "playing" },
          playing = { initial = "normal", normal = { play = "fast" }, fast = { play = true } } },
        sound = { initial = "audible", audible = { mute = "muted" }, muted = { mute = "audible" } },
      },
      join = true,
    }
    function reduce.join(s, a) s.players[a.id] = {} end
    """

  @Test("regions of a record's machine have their own fields in the record")
  func regions() throws {
    let host = try FlowHost(source: Self.nested)
    for (action, id) in [
      ("join", "a"), ("join", "b"), ("power", "a"), ("play", "a"), ("mute", "a"),
    ] {
      #expect(try host.dispatch(action, ["id": .string(id)]).commit != nil)
    }
    #expect(
      try host.state()["players"] == [
        "a": ["player": "on", "transport": "playing.normal", "sound": "muted"],
        "b": ["player": "off"],
      ])
    _ = try host.dispatch("power", ["id": "a"])
    #expect(try host.state()["players"]?["a"] == ["player": "off"])
    _ = try host.undo()
    #expect(try host.dispatch("play", ["id": "a"]).commit != nil)
    #expect(try host.state()["players"]?["a"]?["transport"] == "playing.fast")
  }

  func engine(_ source: String) throws -> Engine {
    try Engine(LoadedFlow(source: source), limits: Limits(), log: ScriptLog { _ in })
  }

  @Test("given records start in their given states, and the rest has defaults")
  func given() throws {
    let engine = try engine(Self.nested)
    #expect(
      engine.merge([
        "players": [
          "a": ["player": "on", "transport": "playing"], "b": ["player": "off"], "c": [:],
        ]
      ]) == nil)
    #expect(
      try engine.state()["players"] == [
        "a": ["player": "on", "transport": "playing.normal", "sound": "audible"],
        "b": ["player": "off"], "c": ["player": "off"],
      ])
    #expect(engine.merge(["players": ["b": ["player": "on"]]]) == nil)
    #expect(
      try engine.state()["players"]?["b"] == [
        "player": "on", "transport": "stopped", "sound": "audible",
      ])
    let before = try engine.state()
    #expect(
      engine.merge(["players": ["b": ["player": "onn"]]])?.message
        == "state.players.b.player: its machine has no state onn; did you mean on?")
    #expect(
      engine.merge(["players": ["b": ["player": "off", "sound": "muted"]]])?.message.contains(
        "not active") == true)
    #expect(
      engine.merge(["players": ["d": ["player": 4]]])?.message
        == "state.players.d.player: the state of a machine must be a string")
    #expect(try engine.state() == before)
  }
}
