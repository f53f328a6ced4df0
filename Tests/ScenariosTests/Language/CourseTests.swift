import Testing

@testable import Scenarios

/// Time, stubs and what stands beside the state, as scenarios say it.
@Suite struct CourseTests {
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

  @Test("a stub answers with the caller's arguments inside the calling effect, and may sleep")
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

  @Test("a stub may raise; on_error gets the message as it was raised")
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
    #expect(verdict.contains("scope root has no fetch, and no stub answers for it"))
    #expect(verdict.contains("[flow.lua:"))
  }

  @Test("an effect that asks its scope for the state is told of views")
  func stateInEffect() throws {
    let flow = """
      state { n = 1 }
      action.go { by = integer }
      function effect.go(s) print(s.n) end
      """
    let verdict = try Played.verdict(of: "pass.go { by = 2 }", flow: flow)
    #expect(
      verdict.contains(
        "scope root has no n; the state is not at hand here: let a view select s.n, and read the view"
      ))
  }

  @Test("a step is told with its payload, also when its effect breaks the scenario")
  func payloadOfStep() throws {
    let flow = """
      action.go { by = integer }
      function effect.go(self) self:fetch() end
      """
    let played = try Played(
      "scenario(\"s\", function() pass.go { by = 2 } end)", flow: flow)
    #expect(played.report.contains("go { by = 2 }  passed (#1)"))
  }

  @Test("advance goes up to and including the last due time, and what waits is told")
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
    #expect(verdicts.first?.contains("something is still under way") == true)
  }

  @Test("given takes a value away again, and sets machines and gatekeepers")
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
}
