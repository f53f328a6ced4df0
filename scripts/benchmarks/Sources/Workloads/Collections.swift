/// A flow with one action that works on collections, by its parts.
private struct Collection {
  /// As `Workload` has them.
  let key: String
  let name: String
  let limit: Double
  /// The initial state, as Lua's fields.
  let state: String
  /// Lua code that fills the state's fields before the measurement: a declaration cannot have a loop.
  var filling = ""
  /// The payload's fields: the declaration, and what is dispatched in turn.
  var declared = ""
  var payloads: [String] = ["{}"]
  /// The bodies of gate rule, reducer and invariant.
  var gate = "return true"
  let reducer: String
  var invariant: String?
  /// How many a round has.
  var count = 10

  /// Fills the list at that field with so many elements.
  private static func list(_ field: String, _ count: Int, _ element: String) -> String {
    "for i = 1, \(count) do s.\(field)[i] = \(element) end"
  }

  private static let entities = list(
    "entities", 500, "{ x = i, y = i + 0.5, dx = 0.5, dy = 1.5, hp = 100 }")
  private static let tick = """
    for _, e in ipairs(s.entities) do
      e.x = e.x + e.dx
      e.y = e.y + e.dy
    end
    """
  private static let records = list(
    "rows", 100, "{ id = i, title = \"row \" .. i, done = i % 2 == 0 }")
  private static let log = list(
    "log", 10_000, "{ id = i, from = \"ann\", text = \"hello there\" }")
  private static let append = """
    s.log[#s.log + 1] = { id = #s.log + 1, from = a.from, text = a.text }
    """
  private static let lines = list(
    "lines", 200, "{ sku = \"s\" .. i, qty = i % 7 + 1, cents = 100 + i }")
  private static let chat = [
    "{ from = \"ann\", text = \"hello\" }", "{ from = \"bob\", text = \"hi, ann\" }",
  ]
  private static let twelve = (1...12).map { "f\($0)" }
  private static let thirty = (1...30).map { "f\($0)" }

  static let all = [
    Collection(
      key: "tick", name: "a tick over 500 entities, 1,000 writes", limit: 6,
      state: "entities = list {}",
      filling: entities, reducer: tick, count: 5),
    Collection(
      key: "tickreplace", name: "the same, and one entity replaced", limit: 7,
      state: "entities = list {}",
      filling: entities,
      reducer: tick + "\ns.entities[7] = { x = 1, y = 2, dx = 0.5, dy = 1.5, hp = 100 }", count: 5),
    Collection(
      key: "numbers", name: "500 numbers written in a list", limit: 10,
      state: "numbers = list {}",
      filling: list("numbers", 500, "i"),
      reducer: "local numbers = s.numbers\nfor i = 1, #numbers do numbers[i] = numbers[i] + 1 end"),
    Collection(
      key: "filter", name: "filter 100 records into a new list", limit: 10,
      state: "rows = list {}",
      filling: records,
      reducer: """
        local kept = {}
        for _, row in ipairs(s.rows) do
          if row.id > 0 then kept[#kept + 1] = row end
        end
        s.rows = kept
        """),
    Collection(
      key: "filterhalf", name: "filter 50 records, and 50 fresh ones", limit: 7,
      state: "rows = list {}",
      filling: records,
      reducer: """
        local kept = {}
        for _, row in ipairs(s.rows) do
          if row.done then kept[#kept + 1] = row end
        end
        for i = 1, 50 do kept[#kept + 1] = { id = i, title = "fresh", done = false } end
        s.rows = kept
        """),
    Collection(
      key: "record", name: "a record put over a record", limit: 15,
      state: "users = map { ann = { age = 30, name = \"Ann\", admin = false } }",
      declared: "age = integer, name = string",
      payloads: ["{ age = 31, name = \"Ann B.\" }", "{ age = 30, name = \"Ann\" }"],
      reducer: "s.users.ann = { age = a.age, name = a.name, admin = false }", count: 100),
    Collection(
      key: "append", name: "chat: append to a list of 10,000", limit: 13,
      state: "log = list {}", filling: log,
      declared: "from = string, text = string", payloads: chat, reducer: append, count: 20),
    Collection(
      key: "remove", name: "the same, and `table.remove(log, 1)`", limit: 1.6,
      state: "log = list {}",
      filling: log, declared: "from = string, text = string", payloads: chat,
      reducer: append + "table.remove(s.log, 1)", count: 20),
    Collection(
      key: "invariant", name: "an invariant over 200 lines", limit: 3,
      state: "lines = list {}, n = 0",
      filling: lines,
      reducer: "s.n = s.n % 200 + 1\ns.lines[s.n].qty = s.lines[s.n].qty + 1",
      invariant: """
        local total = 0
        for _, line in ipairs(s.lines) do total = total + line.qty * line.cents end
        return total >= 0
        """),
    Collection(
      key: "order", name: "order with 200 lines, total over all", limit: 2.7,
      state: "lines = list {}, total = 0",
      filling: lines,
      reducer: """
        local total = 0
        for _, line in ipairs(s.lines) do total = total + line.qty * line.cents end
        s.lines[3].qty = s.lines[3].qty % 9 + 1
        s.total = total
        """),
    Collection(
      key: "form", name: "form of 30 fields, validated by gates", limit: 2.2,
      state: thirty.map { "\($0) = \"some text\"" }.joined(separator: ", ") + ", sent = 0",
      gate: """
        \(thirty.map { "if #s.\($0) < 3 or #s.\($0) > 40 then return false, \"\($0)\" end" }
          .joined(separator: "\n"))
        return true
        """,
      reducer: "s.sent = s.sent + 1", count: 50),
    Collection(
      key: "twelve", name: "twelve scalar fields", limit: 9,
      state: twelve.map { "\($0) = 0" }.joined(separator: ", "),
      reducer: twelve.map { "s.\($0) = s.\($0) + 1" }.joined(separator: "\n"), count: 100),
    Collection(
      key: "sixkeys", name: "paths of six keys, texts of 60 letters", limit: 12,
      state: """
        a = map { b = { c = { d = { e = { note = "\(String(repeating: "x", count: 60))", n = 0 } } } } }
        """,
      declared: "note = string",
      payloads: ["1", "2"].map { "{ note = \"\(String(repeating: "y", count: 59))\($0)\" }" },
      reducer: "local e = s.a.b.c.d.e\ne.note = a.note\ne.n = e.n + 1", count: 100),
    Collection(
      key: "inventory", name: "inventory, nested maps", limit: 9,
      state: """
        places = map { chest = { slots = map { gold = { n = 5 }, wood = { n = 1 } } } }, moves = 0
        """,
      declared: "from = string, to = string",
      payloads: ["{ from = \"gold\", to = \"wood\" }", "{ from = \"wood\", to = \"gold\" }"],
      gate: "return s.places.chest.slots[a.from].n > -10000000",
      reducer: """
        local slots = s.places.chest.slots
        slots[a.from].n = slots[a.from].n - 1
        slots[a.to].n = slots[a.to].n + 1
        s.moves = s.moves + 1
        """, count: 100),
    Collection(
      key: "amount", name: "counter with one integer in its payload", limit: 9,
      state: "count = 0",
      declared: "by = integer", payloads: (1...10).map { "{ by = \($0) }" },
      reducer: "s.count = s.count + a.by", count: 100),
    Collection(
      key: "increment", name: "counter", limit: 5.3,
      state: "count = 0", reducer: "s.count = s.count + 1", count: 100),
  ]

  private var functions: String {
    """
    function gate.go(s, a)
    \(gate)
    end
    function reduce.go(s, a)
    \(reducer)
    end
    """
  }

  private var invariantFunction: String {
    invariant.map { "function invariant.holds(s)\n\($0)\nend" } ?? ""
  }

  /// `fill` makes its lists as long as they are to be.
  private var flow: String {
    """
    state { \(state) }
    action.go { \(declared) }
    action.fill {}
    function reduce.fill(s) \(filling) end
    \(functions)
    \(invariantFunction)
    """
  }

  private var bare: String {
    """
    local function list(t) return t end
    local function map(t) return t end
    local gate, reduce, invariant = {}, {}, {}
    \(functions)
    \(invariantFunction)
    local s = { \(state) }
    \(filling)
    return s, \(payloads[0]), gate.go, reduce.go, invariant.holds
    """
  }

  var workload: Workload {
    Workload(
      key: key, name: name, limit: limit, flow: flow, bare: bare,
      actions: payloads.map { (name: "go", payload: $0) },
      filling: filling.isEmpty ? nil : "fill", count: count)
  }
}

extension Workload {
  /// Everything that is measured.
  public static let all = Collection.all.map(\.workload) + [ring]
}
