import LuaRuntime
import Testing

@testable import FlowHosting

/// Actions that name one record: the arguments of its machine's functions, also if the record
/// changes meanwhile.
@Suite struct NamedRecordsTests {
  private static let flow = """
    state { players = map {}, told = list {}, count = 0 }
    action.fill { ids = list_of(string) }
    action.up { id = string }
    action.shift { id = string, to = string }
    action.drop { id = string }
    action.anew { id = string }
    action.fail { id = string }
    action.plain {}
    local function tell(s, ...)
      local parts = {}
      for i = 1, select("#", ...) do parts[i] = tostring((select(i, ...))) end
      table.insert(s.told, table.concat(parts, " "))
    end
    local function told(s, a, it, id) tell(s, it.n, it.stage, id) end
    machine.stage {
      each = "players", which = "id", initial = "a",
      a = { up = { to = "b", when = function(s, a, it, id) return it.n > 0, id .. " is empty" end, reduce = told } },
      b = { up = "a", on_exit = function(s, a, it, id) it.n = it.n + 1 end, on_enter = told },
      ["*"] = {
        shift = { reduce = told }, drop = { to = "b", reduce = told }, anew = { to = "b", reduce = told },
        fail = { to = "b", reduce = function(s, a, it) it.n = 9 error("no") end },
      },
    }
    function reduce.fill(s, a) for n, id in ipairs(a.ids) do s.players[id] = { n = n - 1 } end end
    function reduce.shift(s, a)
      local it = s.players[a.id]
      s.players[a.id] = nil
      s.players[a.to] = it
    end
    function reduce.drop(s, a) s.players[a.id] = nil end
    function reduce.anew(s, a) s.players[a.id] = { n = 70 } end
    function gate.up(...) return select("#", ...) == 2, "the gate got a record" end
    function reduce.plain(...)
      local s = ...
      s.count = select("#", ...)
    end
    function view.count(s) return count_in(s, "stage.b") end
    """

  private func host(_ ids: [String]) throws -> FlowHost {
    let host = try FlowHost(source: Self.flow)
    _ = try host.dispatch("fill", ["ids": .list(ids.map(Value.string))])
    return host
  }

  private func told(_ host: FlowHost) throws -> [String] {
    try host.state()["told"]?.listValue?.compactMap(\.stringValue) ?? []
  }

  private func entries(_ value: Value?) -> [Int: Value] {
    guard case .map(let entries)? = value else { return [:] }
    return entries
  }

  @Test("guards, reducers and entry functions get the named record, and other machines do not")
  func handedOver() throws {
    let host = try host(["x", "y", "z"])
    for id in ["y", "z", "y", "z", "z"] {
      #expect(try host.dispatch("up", ["id": .string(id)]).commit != nil)
    }
    #expect(try told(host) == ["1 b y", "1 b y", "2 b z", "2 b z", "3 b z", "3 b z"])
    #expect(try host.state()["players"]?["y"] == ["n": 2, "stage": "a"])
    #expect(try host.dispatch("plain").commit != nil)
    #expect(try host.state()["count"] == 2)
  }

  @Test("a refusing guard names its record, and later functions do not get that record")
  func refused() throws {
    let host = try host(["x", "y"])
    #expect(try host.dispatch("up", ["id": "x"]).refusal?.reason == "x is empty")
    #expect(try host.dispatch("plain").commit != nil)
    #expect(try host.state()["count"] == 2)
    #expect(try host.dispatch("up", ["id": "y"]).commit != nil)
    #expect(try host.dispatch("up", ["id": "q"]).refusal?.reason == "there is no players[\"q\"]")
    #expect(try told(host) == ["1 b y", "1 b y"])
  }

  @Test("a record that the action's reducer moves is passed under its new key")
  func shifted() throws {
    let host = try host(["x", "y"])
    #expect(try host.dispatch("shift", ["id": "y", "to": "z"]).commit != nil)
    #expect(try told(host) == ["1 a z"])
    #expect(try host.dispatch("up", ["id": "z"]).commit != nil)
    #expect(try host.dispatch("up", ["id": "y"]).refusal?.reason == "there is no players[\"y\"]")
    _ = try host.undo(2)
    #expect(try host.dispatch("up", ["id": "y"]).commit != nil)
  }

  @Test("the functions of a record that the action's reducer removes or replaces are not called")
  func gone() throws {
    let host = try host(["x", "y"])
    #expect(try host.dispatch("drop", ["id": "y"]).commit != nil)
    #expect(try told(host) == [])
    #expect(try host.state()["players"] == ["x": ["n": 0, "stage": "a"]])
    #expect(try host.dispatch("anew", ["id": "x"]).commit != nil)
    #expect(try host.state()["players"] == ["x": ["n": 70, "stage": "a"]])
    #expect(try told(host) == [])
  }

  @Test("a failure after the record was moved leaves the record where it was")
  func failed() throws {
    let host = try host(["x", "y"])
    let before = try host.state()
    for id in ["y", "x", "y"] {
      #expect(try host.dispatch("fail", ["id": .string(id)]).failure != nil)
      #expect(try host.state() == before)
    }
    #expect(try host.dispatch("up", ["id": "y"]).commit != nil)
  }

  @Test("count_in is correct after each transition, once it has been called")
  func counted() throws {
    let host = try host(["x", "y", "z"])
    #expect(try host.dispatch("up", ["id": "y"]).commit != nil)
    #expect(try host.view("count") == 1)
    #expect(try host.dispatch("up", ["id": "z"]).commit != nil)
    #expect(try host.view("count") == 2)
    #expect(try host.dispatch("up", ["id": "y"]).commit != nil)
    #expect(try host.view("count") == 1)
    #expect(try host.dispatch("fail", ["id": "x"]).failure != nil)
    #expect(try host.view("count") == 1)
  }

  @Test("patches have the record's path, however long it is")
  func patches() throws {
    let long = String(repeating: "long", count: 12)
    let host = try FlowHost(
      source: """
        state { \(long) = map {}, deep = map {} }
        action.fill { ids = list_of(string) }
        action.up { id = string }
        action.turn { outer = integer, inner = string }
        machine.stage { each = "\(long)", which = "id", initial = "a", a = { up = "b" }, b = { up = "a" } }
        machine.side {
          each = "deep.*.\(long)", which = { "outer", "inner" }, initial = "l",
          l = { turn = { to = "r", when = function(s, a, it, outer, inner) return outer == 7 and inner == "i" end } },
          r = { turn = "l" },
        }
        function reduce.fill(s, a)
          for _, id in ipairs(a.ids) do s.\(long)[id] = {} end
          s.deep[7] = { \(long) = map { i = {}, j = {} } }
        end
        """)
    let key = String(repeating: "key", count: 20)
    _ = try host.dispatch("fill", ["ids": [.string(key), "k"]])
    for id in [key, "k", key, "k"] {
      let commit = try #require(try host.dispatch("up", ["id": .string(id)]).commit)
      #expect(commit.writes.changes.map(\.path.description) == ["\(long).\(id).stage"])
    }
    let turned = try #require(
      try host.dispatch("turn", ["outer": 7, "inner": "i"]).commit)
    #expect(turned.writes.changes.count == 1)
    #expect(try host.dispatch("turn", ["outer": 7, "inner": "j"]).refusal != nil)
    #expect(
      try host.dispatch("turn", ["outer": 8, "inner": "i"]).refusal?.reason == "there is no deep[8]"
    )
    #expect(
      entries(try host.state()["deep"])[7]?["\(long)"] == ["i": ["side": "r"], "j": ["side": "l"]])
    _ = try host.undo()
    #expect(try host.dispatch("turn", ["outer": 7, "inner": "i"]).commit != nil)
  }

  @Test("a record is found by a numeric key, whether Lua stores it in the array or hash part")
  func numbers() throws {
    let host = try FlowHost(
      source: """
        state { rows = map {} }
        action.fill { ids = list_of(integer) }
        action.up { id = number }
        machine.stage { each = "rows", which = "id", initial = "a", a = { up = "b" }, b = { up = "a" } }
        function reduce.fill(s, a) for _, id in ipairs(a.ids) do s.rows[id] = {} end end
        """)
    let ids = [5, 1, 2, 3, 4, -7, 1 << 40, 0]
    _ = try host.dispatch("fill", ["ids": .list(ids.map(Value.integer))])
    for id in ids {
      #expect(try host.dispatch("up", ["id": .integer(id)]).commit != nil)
      #expect(entries(try host.state()["rows"])[id]?["stage"] == "b")
    }
    #expect(try host.dispatch("up", ["id": 5.0]).commit != nil)
    #expect(try host.dispatch("up", ["id": 5.5]).refusal?.reason == "there is no rows[5.5]")
  }
}
