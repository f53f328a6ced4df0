import Testing

@testable import Scenarios

/// Text that is not UTF-8 wherever a value leaves a script.
@Suite struct TextCrossingTests {
  private static let flow = """
    state { t = "", map = map {}, err = none }
    action.text { t = any }
    action.view { kind = string }
    action.effect { kind = string }
    action.done { r = any }
    action.failed { error = string }
    action.refused {}
    action.raised {}
    action.printed {}
    action.write { kind = string }
    function reduce.text(s, a) s.t = a.t end
    function reduce.done(s, a) s.t = a.r end
    function reduce.failed(s, a) s.err = a.error end
    function gate.refused() return false, "rea\\xffson" end
    function reduce.raised() error("rai\\xffsed") end
    function reduce.printed() print("prin\\xffted") end
    function reduce.write(s, a)
      if a.kind == "field" then s.t = "x\\xff" end
      if a.kind == "key" then s.map["x\\xff"] = 1 end
      if a.kind == "table" then s.t = { a = { "x\\xff" } } end
    end
    function view.text() return "x\\xff" end
    function view.key() return { a = { ["x\\xff"] = 1 } } end
    effect.effect = { on_done = "done", on_error = "failed", run = function(self, a)
      if a.kind == "result" then return { r = { "x\\xff" } } end
      if a.kind == "dispatch" then dispatch.text { t = "x\\xff" } end
      if a.kind == "after" then after(1, "text", { t = "x\\xff" }) end
      if a.kind == "name" then dispatch["x\\xff"] {} end
      if a.kind == "may" then may("text", { t = "x\\xff" }) end
      if a.kind == "cancel" then cancel("text", { t = "x\\xff" }) end
      if a.kind == "answer" then dispatch.text { t = self:answer() } end
      if a.kind == "raise" then error("x\\xff", 0) end
    end }
    """

  @Test(
    "text that is not UTF-8 is rejected with its place, and never replaced by other text",
    arguments: [
      ("pass.text { t = \"x\\xff\" }", "action text: t: strings are UTF-8"),
      ("pass.text { t = { { a = { \"x\", \"\\xff\" } } } }", "t[1].a[2]: strings are UTF-8"),
      ("pass.text { t = { [\"\\xff\"] = 1 } }", "t: keys are UTF-8"),
      ("pass.text { t = { [\"\\xff\"] = 1, [\"\\xfe\"] = 2 } }", "t: keys are UTF-8"),
      ("given { t = \"x\\xff\" }", "given: t: strings are UTF-8"),
      ("given { map = { [\"\\xff\"] = 1 } }", "given: map: keys are UTF-8"),
      ("expect { t = \"\\xff\" }", "expect: t: strings are UTF-8"),
      ("expect.state { t = \"\\xff\" }", "expect.state: t: strings are UTF-8"),
      ("pass.printed() expect.change { t = \"\\xff\" }", "expect.change: t: strings are UTF-8"),
      ("expect.equal(\"a\\xffb\", \"a\\xfeb\")", "strings are UTF-8"),
      ("expect { t = contains \"\\xff\" }", "strings are UTF-8"),
      ("expect.snapshot(\"n\", \"\\xff\")", "strings are UTF-8"),
      ("as(\"\\xff\", function() pass.printed() end)", "strings are UTF-8"),
      ("dispatch(\"\\xff\")", "strings are UTF-8"),
      ("given.gatekeeper[\"\\xff\"] \"held\"", "strings are UTF-8"),
      ("expect.view.text(\"x\")", "strings are UTF-8"),
      ("expect.view.key {}", "a view must return plain data; a: keys are UTF-8"),
      ("pass.write { kind = \"field\" }", "state.t: strings are UTF-8"),
      ("pass.write { kind = \"key\" }", "state.map[\"x\\255\"]: keys are UTF-8"),
      ("pass.write { kind = \"table\" }", "state.t.a[1]: strings are UTF-8"),
      ("expect.migrates { from = { t = \"\\xff\" } }", "t: strings are UTF-8"),
    ])
  func refused(body: String, message: String) throws {
    let verdict = try Played.verdict(of: body, flow: TextCrossingTests.flow)
    #expect(!verdict.hasPrefix("ok") && verdict.contains(message), "\(body): \(verdict)")
    #expect(!verdict.contains("\u{fffd}"))
  }

  @Test(
    "an effect that passes on text that is not UTF-8 fails with its path",
    arguments: [
      ("result", "r[1]: strings are UTF-8"), ("dispatch", "t: strings are UTF-8"),
      ("after", "t: strings are UTF-8"), ("name", "strings are UTF-8"),
      ("may", "t: strings are UTF-8"), ("cancel", "t: strings are UTF-8"),
      ("answer", "t: strings are UTF-8"),
    ])
  func effects(kind: String, message: String) throws {
    let body = """
      stub("root.answer", function() return "x\\xff" end)
      pass.effect { kind = "\(kind)" } advance(5) expect { err = "told" }
      """
    let verdict = try Played.verdict(of: body, flow: TextCrossingTests.flow)
    #expect(!verdict.hasPrefix("ok") && verdict.contains(message), "\(verdict)")
  }

  @Test("reasons, errors and printed lines show an invalid byte as Lua escapes it")
  func shown() throws {
    let raised = try Played.verdict(of: "pass.raised()", flow: TextCrossingTests.flow)
    #expect(raised.contains("rai\\255sed"))
    let refused = try Played.verdict(of: "pass.refused()", flow: TextCrossingTests.flow)
    #expect(refused.contains("rea\\255son"))
    let played = try Played(
      "scenario(\"it\", function() pass.printed() print({ \"x\\xff\" }, \"\\xfe\") end)",
      flow: TextCrossingTests.flow)
    #expect(played.printed == ["prin\\255ted", "{ \"x\\255\" }\t\\254"])
    let broken = try Played.verdict(of: "error(\"x\\xff\")", flow: TextCrossingTests.flow)
    #expect(broken.contains("x\\255"))
    let asserted = try Played.verdict(
      of: "local t = \"x\\xff\" assert(t == 1)", flow: TextCrossingTests.flow)
    #expect(asserted.contains("t = \"x\\255\""))
  }

  @Test("texts that look alike but differ in bytes are different")
  func alike() throws {
    let body = "pass.text { t = { [\"\\u{e9}\"] = 1 } } expect { t = { [\"e\\u{301}\"] = 1 } }"
    #expect(try !Played.verdict(of: body, flow: TextCrossingTests.flow).hasPrefix("ok"))
    #expect(
      try !Played.verdict(
        of: "expect.equal(\"\\u{e9}\", \"e\\u{301}\")", flow: TextCrossingTests.flow
      ).hasPrefix("ok"))
    let both = try Played.verdict(
      of: "pass.text { t = { [\"\\u{e9}\"] = 1, [\"e\\u{301}\"] = 2 } }",
      flow: TextCrossingTests.flow)
    #expect(both.contains("two names that look the same"))
  }
}
