import Testing

@testable import Scenarios

/// Payloads and times in the report of a failed scenario.
@Suite struct ToComeTests {
  private static let flow = """
    state { n = 0 }
    action.go {} action.done { n = integer } action.late { n = integer } action.shut { n = integer }
    function gate.shut() return false, "it is shut" end
    function effect.go(self)
      after(5, "late", { n = 2 })
      sleep(1)
      dispatch.done { n = 1 }
      dispatch.shut { n = 3 }
    end
    function reduce.done(s, a) s.n = a.n end
    effect.done = function(self) sleep(60) end
    """

  @Test("steps have their times and payloads, followed by pending work")
  func told() throws {
    let played = try Played(
      "scenario(\"it\", function()\n  pass.go() advance(1)\n  expect { n = 2 }\nend)",
      flow: ToComeTests.flow)
    #expect(
      played.report.contains(
        """
              the last dispatches:
                go {}  passed (#1)
                done { n = 1 }  passed (#2) at 1 s, because of #1
                  n: 0 -> 1
                shut { n = 3 }  refused by gate shut: it is shut at 1 s  [flow.lua:3]
              pending:
                late { n = 2 } is due at 5 s
                effect.done { n = 1 } wakes at 1 min 1 s
              again:
        """), "\(played.report)")
  }

  @Test("without pending work nothing is listed")
  func nothing() throws {
    let played = try Played("scenario(\"it\", function() expect { n = 2 } end)")
    #expect(!played.report.contains("pending:"))
  }

  @Test("of much pending work the first items are listed")
  func much() throws {
    let flow = """
      state { n = 0 } action.go {} action.late {}
      function effect.go() for i = 1, 30 do after(i, "late") end end
      """
    let played = try Played(
      "scenario(\"it\", function() pass.go() expect { n = 2 } end)", flow: flow)
    #expect(played.records[0].pendingWork.count == 11)
    #expect(played.records[0].pendingWork.last == "... and 20 more")
  }
}
