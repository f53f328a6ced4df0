import Foundation
import LuaRuntime
import Testing

/// `moonlatch explore --align`.
@Suite struct ExploreAligningTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.write(
      """
      state { paid = 0 }
      action.order {}
      action.pay { amount = number { min = 1, samples = { 10 } } }
      action.send {}
      machine.order {
        initial = "none", none = { order = "open" }, open = { pay = "paid" }, paid = { send = "sent" },
        sent = { final = true },
      }
      function gate.pay(_, a) return a.amount < 100, "that is too much" end
      function reduce.pay(s, a) s.paid = a.amount end
      """, to: "order.lua")
    try folder.write(
      """
      case:concept:name,concept:name,amount
      a,order,
      a,pay,35.5
      a,send,
      b,order,
      b,send,
      c,order,
      c,pay,500

      """, to: "log.csv")
  }

  private func explore(_ options: String...) throws -> Ran {
    try moonlatch(["explore", "order.lua"] + options, in: folder, input: Data())
  }

  @Test("a deviation in a log is reported with its line, and the exit code is 1")
  func deviates() throws {
    let ran = try explore("--align", "log.csv")
    #expect(ran.code == 1)
    #expect(ran.errors == "")
    #expect(
      ran.output == """
        order.lua: 4 states, 4 transitions, depth 4, all explored
          aligned 3 cases in 3 variants: 1 fits, 2 deviate, cost 2 of 7 events, fitness 0.714
          missing  pay before send, in 1 case, first b (log.csv:6)
          too many pay, in 1 case, first c (log.csv:8): refused by gate pay: that is too much

        """)
  }

  @Test("a fitting log exits with 0, read with the columns or the map that replay takes")
  func fits() throws {
    try folder.write("id;what;amount\na;order;\na;pay;20\na;dance;\n", to: "other.csv")
    try folder.write(
      "return function(row) if row.what == \"dance\" then return nil end return row.what end",
      to: "map.lua")
    let ran = try explore("--align", "other.csv", "--case", "id", "--map", "map.lua")
    #expect(ran.code == 0)
    #expect(
      ran.output.hasSuffix(
        """
          aligned 1 case in 1 variant: 1 fits, 0 deviate, cost 0 of 2 events, fitness 1
          skipped  1 row by the map

        """))
    let columns = try explore("--align", "other.csv", "--case", "id", "--action", "what")
    #expect(columns.code == 1)
    #expect(columns.output.contains("  too many dance, in 1 case, first a (other.csv:4): "))
  }

  @Test("a row that is no event is reported with its line, and the rest is aligned")
  func malformed() throws {
    try folder.write("case:concept:name,concept:name\n,order\na,order\n", to: "log.csv")
    let ran = try explore("--align", "log.csv")
    #expect(ran.code == 0)
    #expect(ran.errors == "log.csv:2: no case in \"case:concept:name\"\n")
    #expect(ran.output.contains("\n  skipped  1 row malformed\n"))
  }

  @Test("a log that does not belong to the flow is an error before the search")
  func noLog() throws {
    let none = try explore("--align", "none.csv")
    #expect(none.code == 2)
    #expect(none.errors == "moonlatch: none.csv cannot be read: No such file or directory\n")
    let column = try explore("--align", "log.csv", "--case", "case")
    #expect(column.code == 2)
    #expect(column.output == "")
    #expect(column.errors.contains("the log has no column \"case\""))
    try folder.write("case:concept:name,concept:name\na,dance\n", to: "log.csv")
    let foreign = try explore("--align", "log.csv")
    #expect(foreign.code == 2)
    #expect(
      foreign.errors == """
        moonlatch: no event of log.csv is named as an action of order.lua; --action names the column, \
        and --map a file that says what rows are (its events: "dance")

        """)
    try folder.write("case:concept:name,concept:name\n", to: "log.csv")
    #expect(
      try explore("--align", "log.csv").errors == "moonlatch: log.csv has no events to align\n")
  }

  @Test("a case that was given up exits with 6")
  func givenUp() throws {
    try folder.write("case:concept:name,concept:name\na,send\na,send\n", to: "log.csv")
    let ran = try explore("--align", "log.csv", "--align-steps", "1")
    #expect(ran.code == 6)
    #expect(
      ran.output.contains("  gave up  1 case, not aligned within 1 step, first a (log.csv:2)\n"))
  }

  @Test("log options need --align, and --align takes one flow")
  func options() throws {
    for options in [
      ["--case", "a"], ["--action", "a"], ["--map", "a.lua"], ["--align-steps", "5"],
    ] {
      let ran = try moonlatch(["explore", "order.lua"] + options, in: folder, input: Data())
      #expect(ran.code == 64)
      #expect(ran.errors.contains("\(options[0]) is only for --align."))
    }
    #expect(try explore("--align", "log.csv", "--align-steps", "0").code == 64)
    #expect(
      try explore("order.lua", "--align", "log.csv").errors.contains("--align is for one flow"))
  }

  @Test("the stream has each deviation, and is not written over the log")
  func stream() throws {
    _ = try explore("--align", "log.csv", "--report", "jsonl=found.jsonl")
    let lines = try String(contentsOf: folder.url.appending(path: "found.jsonl"), encoding: .utf8)
      .split(separator: "\n").map { try JSONText.value(of: String($0)) }
    let aligned = try #require(lines.first { $0["event"] == "aligned" })
    #expect(aligned["fitness"] == 0.714)
    #expect(
      aligned["deviations"]?[0] == [
        "kind": "missing", "action": "pay", "before": "send", "times": 1, "cases": 1, "case": "b",
        "line": 6,
      ])
    #expect(aligned["deviations"]?[1]?["kind"] == "too-many")
    #expect(lines.last?["exit_code"] == 1)
    #expect(try explore("--align", "log.csv", "--report", "jsonl=log.csv").code == 3)
  }
}
