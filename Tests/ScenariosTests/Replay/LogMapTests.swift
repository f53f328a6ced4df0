import LuaRuntime
import Testing

@testable import Scenarios

@Suite struct LogMapTests {
  private static let flow = """
    state { sum = 0 }
    action.add { amount = integer { max = 5 } }
    function reduce.add(s, a) s.sum = s.sum + a.amount end
    function invariant.small(s) return s.sum < 9, "sum " .. s.sum end
    """
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func map(_ text: String, limits: Limits = Limits()) throws -> LogMap {
    try LogMap(folder.write(text, to: "map.lua"), limits: limits) { _ in }
  }

  /// Returns the answer for a row of the function with this body.
  private func answer(_ body: String, _ row: Value = [:], isCSV: Bool = true) throws
    -> LogMap.Answer
  {
    try map("return function(row)\n\(body)\nend").answer(row, isCSV: isCSV)
  }

  @Test("a map turns a row's columns into an action and a payload")
  func event() throws {
    #expect(
      try answer(
        "return row.kind .. \"!\", { n = math.tointeger(row.n), tags = { row.kind } }",
        ["kind": "a", "n": "12"])
        == .event(action: "a!", payload: ["n": 12, "tags": ["a"]]))
    #expect(try answer("return \"a\", {}") == .event(action: "a", payload: [:]))
    #expect(try answer("return \"a\"") == .named("a"))
  }

  @Test("nil skips the row, with a reason if there is one")
  func skipped() throws {
    #expect(try answer("return nil, \"not complete\"") == .skipped("not complete"))
    #expect(try answer("return false") == .skipped("no reason given"))
    #expect(try answer("") == .skipped("no reason given"))
  }

  @Test(
    "an invalid result of a map is an error that says what is expected",
    arguments: [
      ("return 1", "map.lua returns a number as the action; it must be a name"),
      ("return \"\"", "map.lua returns an empty string as the action; it must be a name"),
      ("return \"a\", 1", "map.lua returns a number as the payload; it must be a table"),
      ("return nil, {}", "map.lua returns a table as the reason; it must be a string"),
      ("return row.amuont", "map.lua:2: the log has no column \"amuont\"; did you mean amount?"),
      ("error(\"no\")", "map.lua:2: no"), ("error(\"no\", 0)", "map.lua:2: no"),
      ("return (now())", "map.lua:2: a row has no clock to ask"),
      ("return (may(\"x\"))", "map.lua:2: a row has no flow to ask"),
      (
        "return (random())",
        "map.lua:2: a script has no random(); only reducers and effects have it"
      ),
      ("sleep(1)", "map.lua:2: a script cannot sleep; only an effect can"),
      (
        "return io.open(\"x\")",
        "map.lua:2: global io is not defined; print writes to the host's log, and a capability of the host can do more"
      ),
      ("while true do end", "map.lua:2: the instruction limit is reached (10000000)"),
    ])
  func faults(body: String, reason: String) throws {
    #expect(try answer(body, ["amount": "1"]) == .malformed(reason))
  }

  @Test("a payload that is not plain data makes its row malformed, and the next row is read")
  func noData() throws {
    let map = try map(
      "return function(row) return \"a\", { f = row.n == \"1\" and print or 2 } end")
    guard case .malformed(let reason) = map.answer(["n": "1"], isCSV: true) else {
      Issue.record("a function is no plain data")
      return
    }
    #expect(reason.contains("function"))
    #expect(map.answer(["n": "2"], isCSV: true) == .event(action: "a", payload: ["f": 2]))
  }

  @Test("a missing field of a JSON line is nil")
  func open() throws {
    #expect(
      try answer(
        "return row.x and \"x\" or row.kind, { n = row.n }", ["kind": "k", "n": 1.5], isCSV: false)
        == .event(action: "k", payload: ["n": 1.5]))
  }

  @Test("the memory of a map is limited like a flow's")
  func memory() throws {
    var limits = Limits()
    limits.memory = 4 << 20
    let map = try map(
      "return function() local t = {} for i = 1, 1e6 do t[i] = {} end end", limits: limits)
    guard case .malformed(let reason) = map.answer([:], isCSV: true) else {
      Issue.record("so much memory is not there")
      return
    }
    #expect(reason.contains("memory"))
  }

  @Test("a map can require modules in its folder, and none outside of it")
  func modules() throws {
    try folder.write("return { name = \"coin\" }", to: "names.lua")
    let map = try map("local names = require(\"names\") return function() return names.name end")
    #expect(map.answer([:], isCSV: true) == .named("coin"))
    #expect(throws: ScriptError.self) { try self.map("require(\"../x\")") }
  }

  @Test(
    "a file that returns no function cannot be loaded",
    arguments: [
      (
        "return 3",
        "map.lua returns a number; it must return the function that maps rows: "
          + "return function(row) ... end"
      ),
      (
        "function map_row() end",
        "map.lua returns nothing; it must return the function that maps rows: "
          + "return function(row) ... end"
      ),
      ("retur 3", "map.lua:1: syntax error near '3'"),
    ])
  func noFunction(text: String, message: String) throws {
    #expect {
      _ = try map(text)
    } throws: { error in
      "\(error)".hasPrefix(message)
    }
  }

  @Test("skipped rows are counted separately, and unreadable ones are malformed")
  func counts() throws {
    let map = try map(
      """
      return function(row)
        if row.note == "skip" then return nil, "a note" end
        return row["do"], { amount = math.tointeger(row.amount) }
      end
      """)
    let log = """
      case,do,at,amount,note
      a,add,0,1,
      a,add,0,9,
      a,add,0,1,skip
      b,add,0,5,
      b,add,0,5,
      b,,0,1,
      ,add,0,1,
      c,add,0
      c,kick,0,1,
      """
    let historyValues = try Replayed(log, flow: LogMapTests.flow) { $0.map = map }
    #expect(
      historyValues.counts == """
        3 cases, 0 of them fit whole
        9 rows: 2 passed, 0 refused, 3 failed, 3 malformed, 1 skipped by the map
        """)
    #expect(
      historyValues.lines.contains(
        "{\"line\":4,\"reason\":\"a note\",\"type\":\"skipped\"}\n0 printed"))
    #expect(
      try Replayed(log, flow: LogMapTests.flow) {
        $0.map = map
        $0.isFresh = true
      } == historyValues)
  }

  @Test("skipped rows are reported by reason, regardless of the values in it")
  func reasons() throws {
    let map = try map(
      """
      return function(row)
        if row.amount == "0" then return nil, "nothing" end
        return nil, "row " .. row.amount .. " is not ours"
      end
      """)
    let replayed = try Replayed(
      "case,do,at,amount\na,add,0,1\na,add,0,0\na,add,0,2\n", flow: LogMapTests.flow
    ) { $0.map = map }
    #expect(
      replayed.report.hasSuffix(
        """
        3 rows: 0 passed, 0 refused, 0 failed, 0 malformed, 3 skipped by the map

        skipped by the map:
          2  row 1 is not ours  (with other values too; first: line 2)
          1  nothing  (first: line 3)

        """))
  }

  @Test("a map that reads a duplicate column gets an error, and another does not")
  func doubled() throws {
    let log = "case,do,at,note,note\na,add,0,1,2\n"
    let body = "return function(row) return \"add\", { amount = #row.%@ } end"
    func replayed(_ column: String) throws -> Replayed {
      let map = try map(body.replacing("%@", with: column))
      return try Replayed(log, flow: LogMapTests.flow) { $0.map = map }
    }
    #expect(try replayed("do_").lines.contains { $0.contains("the log has no column") })
    #expect(
      try replayed("note").lines.contains {
        $0.contains("map.lua:1: the header names the column \\\"note\\\" twice")
      })
    #expect(try replayed("at").counts.contains("1 passed"))
  }

  @Test("with a map the log needs no column for the action")
  func noAction() throws {
    let map = try map(
      "return function(row) return \"add\", { amount = math.tointeger(row.amount) } end")
    let replayed = try Replayed("case,amount\na,1\na,2\n", flow: LogMapTests.flow) {
      $0.map = map
      $0.timeColumn = ""
    }
    #expect(replayed.counts.contains("2 passed"))
  }

  @Test(
    "a map that returns a name only keeps the columns as the payload", arguments: ["csv", "jsonl"])
  func nameAlone(kind: String) throws {
    let map = try map("return function(row) return row.what:lower() end")
    let log =
      kind == "csv"
      ? "case,at,what,amount\nx,0,ADD,3\nx,1,ADD,9\n"
      : """
      {"case":"x","at":0,"what":"ADD","amount":3}
      {"case":"x","at":1,"what":"ADD","amount":9}
      """
    let replayed = try Replayed(log, flow: LogMapTests.flow) { $0.map = map }
    #expect(replayed.counts.hasSuffix("2 rows: 1 passed, 0 refused, 1 failed, 0 malformed"))
    #expect(replayed.report.contains("amount must be an integer of at most 5"))
  }
}
