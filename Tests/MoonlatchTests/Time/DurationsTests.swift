import FlowHosting
import FlowLanguage
import LuaRuntime
import Testing

/// Durations as text, in place of seconds.
@Suite struct DurationsTests {
  @Test(
    "a duration is written as parts of a number and a unit, the longer unit first",
    arguments: [
      ("20s", 20.0), ("150ms", 0.15), ("3d", 259_200), ("2w", 1_209_600), ("1h30m", 5400),
      ("1.5h", 5400), ("0s", 0), ("1w1d1h1m1s1ms", 694_861.001),
      ("999999999w", 604_799_999_395_200),
    ])
  func read(text: String, seconds: Double) { #expect(Value.string(text).seconds == seconds) }

  @Test(
    "any other text is no duration",
    arguments: [
      "", "5", "s", "5x", "5 s", " 5s", "5s ", "-5s", "+5s", "1m1h", "1h1h", "1.5h30m", ".5s",
      "5.s",
      "1e3s", "0x1s", "5S", "1h 30m", "9999999999s", "1.0000000001s", "5\u{0}s", "5s\u{0}", "infs",
      "٣s", "5µs",
    ])
  func refused(text: String) { #expect(Value.string(text).seconds == nil) }

  @Test("sleep, after and the timers of states accept durations")
  func flows() throws {
    let trial = try Trial(
      """
      state { log = list {} }
      action.go {} action.tick {} action.shut {}
      machine.door {
        initial = "closed", closed = { go = "open" },
        open = { shut = "ajar", after = { shut = "1m30s" } },
        ajar = { shut = "closed", after = { shut = function() return "1m" end } },
      }
      function reduce.tick(s) s.log[#s.log + 1] = now() end
      function effect.go()
        after("20s", "tick")
        sleep("1h")
        dispatch.tick()
        print(select(2, pcall(sleep, "5x")))
        print(select(2, pcall(after, "1m1h", "tick")))
      end
      """)
    try trial.play("go")
    try trial.advance(89)
    #expect(try trial.state("door") == "open")
    try trial.advance(1)
    #expect(try trial.state("door") == "ajar")
    try trial.advance(60)
    #expect(try trial.state("door") == "closed")
    try trial.advance(3600)
    #expect(try trial.state("log") == [20.0, 3600.0])
    let allowed = "takes 0 or more seconds, or a string such as \"1h30m\" (of w, d, h, m, s and ms)"
    #expect(
      trial.printed.take() == [
        "flow.lua:13: sleep \(allowed), not \"5x\"", "flow.lua:14: after \(allowed), not \"1m1h\"",
      ])
  }

  @Test("an invalid delay is an error, or fails the action that enters the state")
  func faults() throws {
    func machine(_ delay: String) -> String {
      """
      state {} action.go {}
      machine.m { initial = "a", a = { go = "b" }, b = { go = "a", after = { go = \(delay) } } }
      """
    }
    let fault = #expect(throws: FlowError.self) { try FlowHost(source: machine("'5x'")) }
    #expect(
      "\(try #require(fault))".contains(
        "b.after.go takes 0 or more seconds, or a string such as \"1h30m\" (of w, d, h, m, s and ms), "
          + "or a function of s, not \"5x\""))
    let host = try FlowHost(source: machine("function() return 'soon' end"))
    #expect(
      try host.failure()?.message.hasSuffix("(of w, d, h, m, s and ms), not \"soon\"") == true)
  }
}
