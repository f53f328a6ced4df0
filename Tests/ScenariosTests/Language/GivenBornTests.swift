import Testing

@testable import Scenarios

/// `given.born`, the creation time of a scenario's case.
@Suite struct GivenBornTests {
  private let flow = """
    state { sent = none, n = 0, born = none, first = none, rows = map { r = { note = 1 } } }
    action.send {} action.look {} action.row { id = string } action.skip {}
    local function until_nine() return 9 * 3600 - (born() + now()) % 86400 end
    machine.m {
      initial = "waiting",
      waiting = { send = "sent", skip = "sent", after = { send = until_nine } },
      sent = {},
    }
    machine.at { each = "rows", which = "id", field = "at", initial = "off", off = { row = "on", after = { row = until_nine } }, on = {} }
    machine.early { initial = "young", young = { after = { look = 60 } } }
    function reduce.send(s) s.sent = date(born() + now()).hour end
    function reduce.look(s) s.n = s.n + 1 s.born = date(born()).year end
    """

  private func verdict(_ body: String) throws -> String { try Played.verdict(of: body, flow: flow) }

  @Test("given.born sets the start of the clock, which advances with time, also after a restart")
  func clock() throws {
    let body = """
      given.born("2026-11-27T08:00:00Z")
      expect.equal(date(born() + now()).hour, 8)
      advance("59m59s")
      expect { sent = none, m = "waiting" }
      expect.machine.at.r("off")
      restart()
      expect.equal(date(born()).year, 2026)
      advance(1)
      expect { sent = 9, m = "sent" }
      expect.machine.at.r("on")
      """
    #expect(try verdict(body) == "ok it")
    #expect(try verdict(body.replacing("restart()", with: "")) == "ok it")
  }

  @Test("without given.born the year is 1970")
  func without() throws {
    #expect(
      try verdict("expect.equal(born(), 0) advance(9 * 3600) expect { sent = 9 }") == "ok it")
  }

  @Test("given.born may precede or follow given, and the last one counts for all timers")
  func beside() throws {
    for body in [
      "given { n = 5 } given.born(\"2000-01-01T08:59:50Z\")",
      "given.born(\"2000-01-01T08:59:50Z\") given { n = 5 }",
      "given.born(\"2000-01-01T01:00:00Z\") given.born(\"2000-01-01T08:59:50Z\") given { n = 5 }",
    ] {
      #expect(
        try verdict(
          body + "\nadvance(9) expect { sent = none } advance(1) expect { sent = 9 } advance(60)\n"
            + "expect { n = 6, born = 2000 } advance(100) expect { n = 6 }") == "ok it", "\(body)")
    }
    #expect(
      try verdict(
        "given { m = \"sent\" } given.born(\"2000-01-01T08:59:50Z\") advance(99) expect { sent = none }"
      )
        == "ok it")
  }

  @Test(
    "given.born with an invalid time is an error with its line",
    arguments: [
      "\"soon\"": "not \"soon\"", "\"2026-11-31T10:00:00Z\"": "not \"2026-11-31T10:00:00Z\"",
      "5": "not 5", "": "not nil", "{}": "given.born needs a string",
    ])
  func wrong(argument: String, said: String) throws {
    let found = try verdict("\ngiven.born(\(argument))")
    #expect(found.hasPrefix("ERROR a.scenario.lua:4: given.born needs a "), "\(found)")
    #expect(found.contains(said), "\(found)")
  }

  @Test("given.born must come before the first action, and inside a scenario")
  func place() throws {
    #expect(
      try verdict("pass.skip() given.born(\"2026-11-27\")")
        == "ERROR a.scenario.lua:3: given.born must come before the first action")
    #expect(
      try Played("given.born(\"2026-11-27\")", flow: flow).verdicts.joined()
        .contains("a.scenario.lua:2: given.born belongs inside a scenario"))
  }

  @Test("an unknown word of given is an error with the nearest one")
  func unknown() throws {
    #expect(
      try verdict("given.borne(\"2026-11-27\")")
        == "ERROR a.scenario.lua:3: there is no given.borne; did you mean born?")
  }
}
