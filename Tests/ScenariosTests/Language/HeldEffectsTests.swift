import Testing

@testable import Scenarios

/// Effects that a scenario pauses and finishes, and random draws that it gives.
@Suite struct HeldEffectsTests {
  private let flow = """
    state { got = none, error = none, begun = 0, drawn = 0 }
    action.load {} action.loaded { v = string } action.failed { error = string } action.leave {}
    action.begun {} action.draw {} action.spoil {}
    gatekeeper.busy { load = "attempt", loaded = "reset", failed = "reset" }
    machine.m {
      initial = "idle",
      idle = { load = "busy" },
      busy = { loaded = "idle", failed = "idle", leave = "idle",
               effect = function(self) self:watch() dispatch.failed { error = "watched" } end },
    }
    effect.load { run = function(self)
      dispatch.begun {}
      local v = self:fetch("x", 1)
      dispatch.loaded { v = v }
    end, on_error = "failed" }
    function reduce.loaded(s, a) s.got = a.v end
    function reduce.failed(s, a) s.error = a.error end
    function reduce.begun(s) s.begun = s.begun + 1 end
    function reduce.draw(s) s.drawn = random(1, 6) + random(1, 6) end
    function reduce.spoil(s) s.drawn = random(1, 6) error("spoilt") end
    """

  private func verdicts(_ body: String) throws -> [String] {
    try Played("scenario(\"a\", function()\n\(body)\nend)", flow: flow).verdicts
  }

  @Test("a stubbed effect runs up to its first wait, and stays there until it is finished")
  func held() throws {
    let verdicts = try verdicts(
      """
      stub.effect.load()
      stub.effect["m.busy"]()
      pass.load()
      settle()
      advance(1000)
      expect { begun = 1, m = "busy" }
      expect.gatekeeper.busy("held")
      finish.load("loaded", { v = "late" })
      expect { got = "late", m = "idle" }
      expect.gatekeeper.busy("free")
      expect.effects.none()
      """)
    #expect(verdicts == ["ok a"])
  }

  @Test("a state's stubbed effect ends with the state")
  func stateLeft() throws {
    let verdict = try #require(
      try verdicts(
        """
        stub.effect.load()
        stub.effect["m.busy"]()
        pass.load()
        pass.leave()
        finish["m.busy"]("failed", { error = "late" })
        """
      ).first)
    #expect(verdict.contains("effect m.busy does not wait"))
  }

  @Test("the action that finishes an effect must pass, and has the effect's action as its cause")
  func refused() throws {
    let verdict = try #require(
      try verdicts(
        """
        stub.effect.load()
        stub.effect["m.busy"]()
        pass.load()
        pass.leave()
        finish.load("loaded", { v = "x" })
        """
      ).first)
    #expect(verdict.contains("loaded was to pass, but it was refused by machine m"))
  }

  @Test(
    "a misspelt name is an error with the nearest one",
    arguments: [
      ("stub.effect.lod()", "there is no effect lod; did you mean load?"),
      ("stub.efect.load()", "there is no stub.efect; there is stub.effect.NAME()"),
      ("finish.load(\"loaded\")", "effect load does not wait; stub.effect.load() holds it"),
      ("finish.load({})", "finish.load needs the name of the action that follows"),
      ("given.random { \"a\" }", "given.random takes numbers, not a string"),
      ("given.random { 9 } pass.draw()", "given.random has 9 where random(1, 6) is drawn"),
    ])
  func mistakes(body: String, sentence: String) throws {
    let verdict = try #require(try verdicts(body).first)
    #expect(verdict.contains(sentence))
  }

  @Test("given.random determines the first draws, and later ones are random")
  func draws() throws {
    let verdicts = try verdicts(
      """
      given.random { 6, 5 }
      pass.draw()
      expect { drawn = 11 }
      pass.draw()
      """)
    #expect(verdicts == ["ok a"])
  }

  @Test("an action that fails uses none of the given draws")
  func drawsOfFailed() throws {
    let verdicts = try verdicts(
      """
      given.random { 6, 5 }
      fail.spoil()
      pass.draw()
      expect { drawn = 11 }
      """)
    #expect(verdicts == ["ok a"])
  }
}
