import Foundation
import Testing

/// `moonlatch replay`.
@Suite struct ReplayCommandTests {
  private let folder: TemporaryFolder
  private static let header = "case:concept:name,concept:name,time:timestamp,amount\n"

  init() throws {
    folder = try TemporaryFolder()
    try folder.write(ReplayCommandTests.flow, to: "flow.lua")
  }

  private static let flow = """
    state { locked = true, coins = 0, at = 0.0 }
    action.coin { amount = integer { min = 1 } }
    action.push {}
    function gate.push(s) return not s.locked, "insert a coin first" end
    function reduce.coin(s, a) s.coins = s.coins + a.amount s.locked = false s.at = now() end
    function reduce.push(s) s.locked = true end
    """

  private func replay(_ rows: String, _ options: String...) throws -> Ran {
    try moonlatch(
      ["replay", "flow.lua", "-"] + options, in: folder,
      input: .init((ReplayCommandTests.header + rows).utf8))
  }

  @Test("each case runs in a fresh flow without effects, and every row is counted")
  func counts() throws {
    let effect = "\neffect(\"audit\", \"*\", function() dispatch.coin { amount = 1 } end)"
    try folder.write(ReplayCommandTests.flow + effect, to: "flow.lua")
    let ran = try replay(
      "a,coin,2020-01-01,2\r\na,push,2020-01-02,\nb,push,2020-01-01,\nb,coin,2020-01-02,x\n"
        + "b,kick,2020-01-02,\nb,push\nb,push,then,\n")
    #expect(
      ran.output == """
        2 cases, 1 of them fit whole
        7 rows: 2 passed, 1 refused, 2 failed, 2 malformed

        refused:
          1  push  refused by gate push: insert a coin first  (first: case b, line 4)

        failed:
          1  coin  failed (payload): action coin: amount must be an integer of at least 1, got "x"  \
        (first: case b, line 5)
          1  kick  failed (undeclared): there is no action kick  \
        (first: case b, line 6)

        """)
    #expect(
      ran.errors == """
        -:7: 2 cells, but the header names 4 columns
        -:8: no time in "time:timestamp": "then"

        """)
    #expect(ran.code == 0)
  }

  @Test("--strict exits with 1 on a refusal, and stops at a malformed row with 2")
  func strict() throws {
    #expect(try replay("a,push,2020-01-01,\n", "--strict").code == 1)
    let ran = try replay("a,push\na,coin,2020-01-01,1\n", "--strict")
    #expect(ran.output.contains("1 rows: 0 passed, 0 refused, 0 failed, 1 malformed\n"))
    #expect(ran.code == 2)
  }

  @Test("a case that resumes after other cases is malformed, unless --interleaved is given")
  func interleaved() throws {
    let rows = "a,coin,2020-01-01,1\nb,push,2020-01-01,\na,push,2020-01-02,\n"
    let ran = try replay(rows)
    #expect(ran.output.contains("3 rows: 1 passed, 1 refused, 0 failed, 1 malformed\n"))
    #expect(
      ran.errors
        == "-:4: case \"a\" had ended: its rows are not together; sort the log by case, "
        + "or use --interleaved\n")
    #expect(
      try replay(rows, "--interleaved").output.contains(
        "2 cases, 1 of them fit whole\n3 rows: 2 passed, 1 refused, 0 failed, 0 malformed\n"))
  }

  @Test("JSON lines are read by their own columns, with the payload unchanged")
  func jsonLines() throws {
    let ran = try moonlatch(
      "replay", "flow.lua", "-", "--case", "id", "--action", "do", "--time", "", in: folder,
      input: "{\"id\":1,\"do\":\"coin\",\"amount\":2}\n\n{\"id\":1,\"do\":\"push\"}\n[]\n")
    #expect(ran.output.contains("1 cases, 1 of them fit whole\n3 rows: 2 passed"))
    #expect(ran.errors == "-:4: the row is not a JSON object\n")
  }

  @Test("a log is read in any supported compression and encoding, and another format is rejected")
  func forms() throws {
    let xes = """
      <?xml version="1.0"?>
      <log><trace><string key="concept:name" value="a"/>
        <event><string key="concept:name" value="coin"/><int key="amount" value="2"/>
          <date key="time:timestamp" value="2020-01-01T00:00:00+01:00"/></event>
        <event><string key="concept:name" value="push"/>
          <date key="time:timestamp" value="2020-01-02T00:00:00+01:00"/></event>
      </trace></log>
      """
    let packed = try #require(
      Data(
        base64Encoded:
          "H4sIAAAAAAACA0tOLE61Ss7PS04tKLHKS8xN1UHhlGTmplqBiOKSxNwCncTc/NK8Eq5EoKLMPB0jAyMDXQNDINIxAooVlBZnIMSMdLgACjtFe1wAAAA="
      ))
    for log in [Data(xes.utf8), packed] {
      let ran = try moonlatch(["replay", "flow.lua", "-"], in: folder, input: log)
      #expect(
        ran.output == """
          1 cases, 1 of them fit whole
          2 rows: 2 passed, 0 refused, 0 failed, 0 malformed

          """)
    }
    let cut = try moonlatch(["replay", "flow.lua", "-"], in: folder, input: packed.dropLast(9))
    #expect(cut.code == 2)
    #expect(cut.errors.hasPrefix("moonlatch: the log is cut off: its compressed data ends at byte"))
    let other = try moonlatch(
      ["replay", "flow.lua", "-"], in: folder, input: Data("%PDF-1.4".utf8))
    #expect(other.code == 2)
    #expect(other.errors == "moonlatch: the log is a PDF: export what it shows as CSV\n")
  }

  @Test("deviations and the stream are written, and a case becomes a scenario that passes")
  func files() throws {
    let rows = "a,push,2020-01-01,\na,coin,2020-01-01 00:00:30,1\na,push,2020-01-02,\n"
    _ = try replay(rows, "--deviations", "d.csv", "--report", "jsonl=r.jsonl")
    func text(_ name: String) throws -> String {
      try String(contentsOf: folder.url.appending(path: name), encoding: .utf8)
    }
    #expect(
      try text("d.csv")
        == "line,case,action,outcome,by,reason\r\n2,a,push,refused,gate push,insert a coin first\r\n"
    )
    #expect(try text("r.jsonl").split(separator: "\n").count == 5)
    #expect(try text("r.jsonl").contains(#""time":30.0"#))
    try folder.write(try replay(rows, "--scenario", "a").output, to: "a.scenario.lua")
    #expect(try text("a.scenario.lua").contains("advance(30.0)\n  pass.coin({ amount = 1 })"))
    #expect(
      try moonlatch("run", "a.scenario.lua", in: folder).output.hasSuffix("1 passed, 0 failed\n"))
    #expect(try replay(rows, "--scenario", "z").code == 4)
  }

  @Test("a scenario file names its flow by a relative path, and is run after it was written")
  func into() throws {
    let rows = "a,push,2020-01-01,\na,coin,2020-01-01 00:00:30,1\n"
    try folder.write("", to: "deep/er/x")
    let ran = try replay(rows, "--scenario", "a", "--into", "deep/er/a.scenario.lua")
    #expect(ran.code == 0)
    #expect(ran.output + ran.errors == "")
    let text = try String(
      contentsOf: folder.url.appending(path: "deep/er/a.scenario.lua"), encoding: .utf8)
    #expect(text.hasPrefix("flow \"../../flow.lua\"\n"))
    #expect(try moonlatch("run", "deep", in: folder).output.hasSuffix("1 passed, 0 failed\n"))
    #expect(try replay(rows, "--into", "a.scenario.lua").code == 64)
    #expect(try replay(rows, "--scenario", "a", "--into", "a.lua").code == 64)
    #expect(try replay(rows, "--scenario", "a", "--into", "none/a.scenario.lua").code == 2)
  }

  @Test("a scenario that does not pass is reported as such, with exit code 1")
  func failing() throws {
    // A list that ends with nothing is shorter in Lua.
    try folder.write("state {} action.put { value = any }", to: "put.lua")
    try folder.write("{\"case\":\"a\",\"do\":\"put\",\"value\":[1,null]}\n", to: "put.jsonl")
    let ran = try moonlatch(
      "replay", "put.lua", "put.jsonl", "--case", "case", "--action", "do", "--time", "",
      "--scenario", "a", in: folder)
    #expect(ran.code == 1)
    #expect(ran.errors.hasPrefix("moonlatch: the scenario does not pass:\n"))
  }

  @Test("a map file turns rows into actions, and may require modules")
  func map() throws {
    try folder.write("return 100", to: "cents.lua")
    try folder.write(
      """
      local cents = require("cents")
      return function(row)
        if row["concept:name"] == "noise" then return nil, "noise" end
        print(row.amount)
        return row["concept:name"], { amount = math.tointeger(row.amount) // cents }
      end
      """, to: "map.lua")
    let rows = "a,coin,2020-01-01,200\na,noise,2020-01-01,\na,coin,2020-01-01,x\n"
    let ran = try replay(rows, "--map", "map.lua", "--report", "jsonl=r.jsonl")
    #expect(
      ran.output
        == "1 cases, 1 of them fit whole\n3 rows: 1 passed, 0 refused, 0 failed, 1 malformed, "
        + "1 skipped by the map\n\nskipped by the map:\n  1  noise  (first: line 3)\n")
    #expect(ran.errors.hasPrefix("200\nx\n-:4: map.lua:5: attempt to perform arithmetic on a nil"))
    let stream = try String(contentsOf: folder.url.appending(path: "r.jsonl"), encoding: .utf8)
    #expect(stream.contains(#"{"line":3,"reason":"noise","type":"skipped"}"#))
    #expect(try replay(rows, "--map", "map.lua", "--strict").code == 2)
    #expect(
      try replay(rows, "--map", "none.lua").errors == "moonlatch: none.lua: there is no such file\n"
    )
    try folder.write("return {}", to: "map.lua")
    #expect(try replay(rows, "--map", "map.lua").code == 2)
  }

  @Test("replaying every case from the start writes the same, byte for byte")
  func fresh() throws {
    let kinds = ["coin,2020-01-01,1", "push,2020-01-02,", "coin,2020-01-03,x", "kick,2020-01-04,"]
    var rows = ""
    for number in 0..<300 {
      for step in 0..<number % 5 { rows += "c\(number),\(kinds[(number / 5 + step * 3) % 4])\n" }
    }
    func files(_ option: String...) throws -> [String] {
      let ran = try moonlatch(
        ["replay", "flow.lua", "-", "--deviations", "d.csv", "--report", "jsonl=r.jsonl"] + option,
        in: folder, input: .init((ReplayCommandTests.header + rows).utf8))
      return [ran.output, ran.errors]
        + (try ["d.csv", "r.jsonl"].map {
          try String(contentsOf: folder.url.appending(path: $0), encoding: .utf8)
        })
    }
    #expect(try files() == (try files("--fresh")))
  }

  @Test("rows that are no events for the same reason are one line, with a count and an example")
  func grouped() throws {
    let bad = (1...2_000).map { "a,coin,then \($0),1\n" }.joined()
    let ran = try replay("a,coin,2020-01-01,1\n" + bad + "a,push\n")
    #expect(
      ran.errors == """
        -:3: no time in "time:timestamp": "then 1" (and 1999 more rows with other values)
        -:2003: 2 cells, but the header names 4 columns

        """)
    #expect(ran.code == 0)
    let failed = try replay((1...9).map { "a,coin,2020-01-01,x\($0)\n" }.joined())
    #expect(
      failed.output.hasSuffix(
        """
        failed:
          9  coin  failed (payload): action coin: amount must be an integer of at least 1, got "x1"  \
        (with other values too; first: case a, line 2)

        """))
  }

  @Test("a log without any event exits with 4 and one message, like one without rows")
  func nothingRead() throws {
    let bad = (1...2_000).map { "a,coin,then \($0),1\n" }.joined()
    let ran = try replay(bad)
    #expect(ran.code == 4)
    #expect(
      ran.errors == "moonlatch: no row of - could be read as an event: line 2: "
        + "no time in \"time:timestamp\": \"then 1\"; --time-format sets the format of times (and 1999 more rows with other values)\n"
    )
    #expect(try replay("").errors == "moonlatch: - has no rows\n")
    let lines = try moonlatch(
      "replay", "flow.lua", "-", in: folder, input: "{\"a\":1}\n{\"a\":\"x\"}\n")
    #expect(lines.code == 4)
    #expect(lines.errors.hasSuffix("no case in \"case:concept:name\" (and 1 more row)\n"))
    let xes = try moonlatch(
      "replay", "flow.lua", "-", in: folder,
      input: "<log><trace><event/><event/></trace></log>")
    #expect(xes.code == 4)
    #expect(xes.errors.hasSuffix("line 1: no action in \"concept:name\" (and 1 more row)\n"))
    try folder.write("return function(row) return nil, \"row \" .. row.amount end", to: "map.lua")
    let skipped = try replay("a,coin,2020-01-01,1\na,coin,2020-01-01,2\n", "--map", "map.lua")
    #expect(skipped.code == 4)
    #expect(
      skipped.errors == "moonlatch: no row of - could be read as an event: "
        + "0 malformed, 2 skipped by the map\n")
    #expect(try replay(bad, "--strict").code == 2)
  }

  @Test("ambiguous times are rejected with advice to use --time-format, in every input format")
  func ambiguous() throws {
    for (time, formats) in [
      ("10/11/2011 01:45:40 PM", "dd/mm/yyyy or mm/dd/yyyy"),
      ("10-11-2011", "dd-mm-yyyy or mm-dd-yyyy"), ("40827.5", "seconds or days"),
    ] {
      let message =
        "moonlatch: the times in \"time:timestamp\" can be \(formats), as \"\(time)\" "
        + "in line 2: say with --time-format which\n"
      let ran = try replay("a,coin,\(time),1\n")
      #expect((ran.code, ran.errors) == (2, message))
      let lines = try moonlatch(
        "replay", "flow.lua", "-", in: folder,
        input: "\n{\"case:concept:name\":\"a\",\"concept:name\":\"coin\",\"amount\":1,"
          + "\"time:timestamp\":\"\(time)\"}\n")
      #expect((lines.code, lines.errors) == (2, message))
      let xes = """

        <log><trace><event><string key="concept:name" value="coin"/><int key="amount" value="1"/>\
        <string key="time:timestamp" value="\(time)"/></event></trace></log>
        """
      let events = try moonlatch("replay", "flow.lua", "-", in: folder, input: xes)
      #expect((events.code, events.errors) == (2, message))
      let format = String(formats.split(separator: " ")[2])
      #expect(try replay("a,coin,\(time),1\n", "--time-format", format).code == 0)
    }
  }

  @Test("a log that cannot be read exits with 2 and the reason, and an empty log with 4")
  func unloadable() throws {
    #expect(try replay("").code == 4)
    let missing = try moonlatch("replay", "flow.lua", "none.csv", in: folder)
    #expect(missing.errors == "moonlatch: none.csv cannot be read: No such file or directory\n")
    #expect(missing.code == 2)
    let column = try replay("a,push,2020-01-01,\n", "--case", "id")
    #expect(column.errors.contains("the log has no column \"id\"; name it with --case"))
    #expect(column.code == 2)
    #expect(try replay("", "--report", "xml=f").code == 64)
  }

  @Test(
    "an output file that cannot be written exits with 2 and its name",
    arguments: ["--deviations", "--report"])
  func unwritable(option: String) throws {
    let value = (option == "--report" ? "jsonl=" : "") + "none/file"
    let ran = try replay("a,push,2020-01-01,\n", option, value)
    #expect(ran.errors == "moonlatch: none/file cannot be written: No such file or directory\n")
    #expect(ran.output == "")
    #expect(ran.code == 2)
  }

  @Test(
    "the rows read are the sum of the passed, refused, failed and malformed ones", arguments: 0..<4)
  func sum(seed: Int) throws {
    let kinds = [
      "a,coin,2020-01-01,1", "b,push,2020-01-01,", "a,kick,2020-01-02,", "c,coin,2020-01-01,x",
      "b,push", "c,push,then,", ",push,2020-01-01,", "\"d\"d,push,2020-01-01,", "a,,2020-01-01,",
    ]
    var number = seed * 7_919 + 1
    let rows = (0..<60).map { _ in
      number = (number * 1_103_515_245 + 12_345) % 2_147_483_648
      return kinds[number / 65_536 % kinds.count]
    }
    for options in [[], ["--interleaved"]] {
      let ran = try moonlatch(
        ["replay", "flow.lua", "-"] + options, in: folder,
        input: .init((ReplayCommandTests.header + rows.joined(separator: "\n")).utf8))
      let line = try #require(ran.output.split(separator: "\n").dropFirst().first)
      let counts = line.split { !$0.isNumber }.compactMap { Int($0) }
      #expect(counts.count == 5)
      #expect(counts.first == 60)
      #expect(counts.dropFirst().reduce(0, +) == 60)
    }
  }
}
