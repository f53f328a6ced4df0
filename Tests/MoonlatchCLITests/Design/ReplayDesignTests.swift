import Testing

/// Rules of ContractOfHosts.md, section 12, as sentences with a test each.
@Suite("Rules of recorded logs") struct ReplayDesignTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.write(
      """
      state { n = 0, text = "" }
      action.add { by = optional(integer), text = optional(string) }
      action.rang {}
      machine.bell { initial = "off", off = { add = "on" },
        on = { add = "on", rang = "off", after = { rang = 1 } } }
      function reduce.add(s, a) s.n = s.n + (a.by or 100) s.text = a.text or "none" end
      function reduce.rang(s) s.n = 0 end
      function invariant.seen(s) return s.n < 100 or s.text == "7", "n " .. s.n .. " " .. s.text end
      effect("echo", "add", function() dispatch.rang() end)
      """, to: "flow.lua")
  }

  private func replay(_ rows: String) throws -> Ran {
    try moonlatch(
      "replay", "flow.lua", "-", in: folder,
      input: "case:concept:name,concept:name,time:timestamp,by,text\n" + rows)
  }

  @Test(
    """
    `replay` turns effects and timers off, reads CSV text by the declared type, takes an empty cell \
    as a missing field.
    """)
  func replay() throws {
    // Had the timer or the effect sent the bell home, its own `rang` would be refused.
    let quiet = try replay("a,add,2020-01-01,7,8\na,rang,2020-01-02,,\na,rang,2020-01-03,,\n")
    #expect(quiet.output.contains("3 rows: 2 passed, 1 refused, 0 failed, 0 malformed\n"))
    // 7 is added as a number, and the second 7 is text; the empty cells are nil in the reducer.
    #expect(try replay("a,add,2020-01-01,,7\n").output.contains("1 passed"))
    #expect(try replay("a,add,2020-01-01,,\n").output.contains("n 100 none"))
  }
}
