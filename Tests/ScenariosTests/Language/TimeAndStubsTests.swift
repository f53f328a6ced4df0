import Testing

@testable import Scenarios

/// Time, stubs, machines, gatekeepers and effects in scenarios.
@Suite struct TimeAndStubsTests {
  private let flow = """
    state { got = none, error = none, ticks = 0 }
    action.load {} action.loaded { v = string } action.failed { error = string } action.tick {}
    gatekeeper.busy { load = "attempt", loaded = "reset", failed = "reset" }
    machine.m {
      initial = "idle",
      idle = { load = "busy" },
      busy = { loaded = "idle", failed = "idle", tick = "busy", after = { tick = 2 } },
    }
    scope.user { key = function(s) return s.got end }
    effect.load { run = function(self)
      local v = self:fetch("x", 1)
      dispatch.loaded { v = v }
    end, on_error = "failed" }
    function reduce.loaded(s, a) s.got = a.v end
    function reduce.failed(s, a) s.error = a.error end
    function reduce.tick(s) s.ticks = s.ticks + 1 end
    """

  private func verdicts(_ body: String) throws -> [String] {
    try Played("scenario(\"a\", function()\n\(body)\nend)", flow: flow).verdicts
  }

  @Test("a stub gets the caller's arguments within the calling effect, and may sleep")
  func stub() throws {
    let verdicts = try verdicts(
      """
      stub("root.fetch", function(url, n) sleep(1) return url .. n end)
      pass.load()
      expect.machine.m("busy")
      expect.gatekeeper.busy("held")
      expect.scope.user("locked")
      advance(1)
      expect { got = "x1" }
      expect.gatekeeper.busy("free")
      expect.scope.user("open")
      expect.effects.none()
      """)
    #expect(verdicts == ["ok a"])
  }

  @Test("a stub may raise an error, which on_error gets unchanged")
  func stubRaises() throws {
    let verdicts = try verdicts(
      """
      stub("root.fetch", function() error("down", 0) end)
      pass.load()
      settle()
      expect { error = "down", m = "idle" }
      """)
    #expect(verdicts == ["ok a"])
  }

  @Test("an unstubbed capability fails the scenario by name")
  func unstubbed() throws {
    let verdict = try #require(try verdicts("pass.load()").first)
    #expect(verdict.contains("scope root has no fetch, and it has no stub"))
    #expect(verdict.contains("[flow.lua:"))
  }

  @Test("an effect that reads the state from its scope gets an error that suggests a view")
  func stateInEffect() throws {
    let flow = """
      state { n = 1 }
      action.go { by = integer }
      function effect.go(s) print(s.n) end
      """
    let verdict = try Played.verdict(of: "pass.go { by = 2 }", flow: flow)
    #expect(
      verdict.contains(
        "scope root has no n; the state is not accessible here: select s.n in a view, and read the view"
      ))
  }

  @Test("a step is reported with its payload, also if its effect fails the scenario")
  func payloadOfStep() throws {
    let flow = """
      action.go { by = integer }
      function effect.go(self) self:fetch() end
      """
    let played = try Played(
      "scenario(\"s\", function() pass.go { by = 2 } end)", flow: flow)
    #expect(played.report.contains("go { by = 2 }  passed (#1)"))
  }

  @Test("advance includes the last due time, and a waiting effect is reported")
  func advance() throws {
    let verdicts = try verdicts(
      """
      stub("root.fetch", function() sleep(10) return "late" end)
      pass.load()
      advance(1.5)
      expect { ticks = 0 }
      advance(0.5)
      expect { ticks = 1 }
      expect.effects.none()
      """)
    #expect(verdicts.count == 1)
    #expect(verdicts.first?.contains("effects are still running") == true)
  }

  @Test("given removes values with none, and sets machines and gatekeepers")
  func given() throws {
    let verdicts = try verdicts(
      """
      given { got = "x", m = "busy" }
      given { got = none }
      given.gatekeeper.busy("held")
      expect { got = none, m = "busy" }
      expect.gatekeeper.busy("held")
      """)
    #expect(verdicts == ["ok a"])
  }

  // MARK: expect.refused

  @Test(
    "expect.refused reports the actual outcome of an action that was not refused",
    arguments: [
      (
        "pass.go() settle() expect.refused.done()",
        "FAIL a.scenario.lua:3: done was to be refused from the queue, but it passed (#2)"
      ),
      (
        "pass.go() settle() expect.refused.broken()",
        "ERROR flow.lua:6: broken from the queue failed: no"
      ),
      (
        "pass.go() settle() expect.refused.idle()",
        "FAIL a.scenario.lua:3: idle was to be refused from the queue, but it was not queued "
          + "(for a dispatch of the scenario itself use refuse.idle())"
      ),
      (
        "refuse.shut() expect.refused.shut()",
        "FAIL a.scenario.lua:3: shut was to be refused from the queue, but it was not queued "
          + "(for a dispatch of the scenario itself use refuse.shut())"
      ),
      (
        "pass.go() expect.refused.done()",
        "FAIL a.scenario.lua:3: done was to be refused from the queue, but it is still pending: "
          + "done is queued (by #1); settle() or advance(seconds) runs it"
      ),
      (
        "pass.go() settle() expect.refused.late()",
        "FAIL a.scenario.lua:3: late was to be refused from the queue, but it is still pending: "
          + "late is due at 5 s; settle() or advance(seconds) runs it"
      ),
      (
        "expect.refused.doen()",
        "ERROR a.scenario.lua:3: there is no action doen; did you mean done?"
      ),
      ("pass.go() settle() expect.refused.shut():because(\"it is shut\")", "ok it"),
    ])
  func refused(body: String, verdict: String) throws {
    let flow = """
      state { n = 0 }
      action.go {} action.done {} action.broken {} action.idle {} action.shut {} action.late {}
      function gate.shut() return false, "it is shut" end
      function effect.go(self)
        dispatch.done() dispatch.shut() after(5, "late")
        BROKEN
      end
      function reduce.broken() error("no", 0) end
      """.replacing("BROKEN", with: body.contains("broken") ? "dispatch.broken()" : "")
    let told = try Played.verdict(of: body, flow: flow)
    #expect(told.replacing(/flow.lua:\d+: broken/, with: "flow.lua:6: broken").hasPrefix(verdict))
  }
}
