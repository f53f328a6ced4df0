import Synchronization
import Testing

@testable import FlowExplore

/// An exploration stops soon after a request, in every phase.
@Suite("Stopping") struct StoppingTests {
  /// Stops at a number of questions whether it is stopped.
  private final class Countdown: Sendable {
    private let left: Atomic<Int>
    private let questions = Atomic<Int>(0)

    init(after questions: Int) { left = Atomic(questions) }

    var asked: Int { questions.load(ordering: .relaxed) }

    func callAsFunction() -> Bool {
      questions.add(1, ordering: .relaxed)
      return left.subtract(1, ordering: .relaxed).newValue < 0
    }
  }

  private static let flow = """
    state { n = 0, m = 0 }
    action.up {}
    action.over {}
    action.wrong { by = integer { min = 1, max = 3 } }
    function gate.up(s) return s.n < 99 end
    function reduce.up(s) s.n = s.n + 1 end
    function gate.over(s) return s.n == 99 and s.m < 60 end
    function reduce.over(s) s.n = 0; s.m = s.m + 1 end
    function reduce.wrong(s, a) if s.m > 50 then error("it is " .. a.by, 0) end end
    """

  private static let properties = """
    explore("it", { ends = function() return true end }, function()
      eventually("never", function(s) return s.m > 70 end, { fair = { "up", "over" } })
      eventually("end", function(s) return s.m == 60 end, { fair = { "up", "over" } })
      leads_to("next", function(s) return s.n == 99 end, function(s) return s.n == 0 or s.m == 60 end,
        { fair = { "over" } })
    end)
    """

  /// Explores, and does all that is done afterwards; gives how it ended.
  private func play(_ stop: Countdown) throws -> ExplorationReport.Ending {
    let explored = try Explored(StoppingTests.flow, StoppingTests.properties)
    var exploration = try #require(try explored.explorations().first)
    exploration.jobs = 1
    exploration.graph = .aldebaran
    exploration.isStopped = { stop() }
    var states: ExploredStates?
    exploration.finished = { states = $0 }
    do {
      let report = try exploration.run()
      guard report.ending != .stopped else { return .stopped }
      if let states {
        _ = try Suite(states)
        _ = try FlowComparison(of: states, with: states, named: "old.lua")
      }
      return report.ending
    } catch let error as ExplorationError where error.kind == .stopped {
      return .stopped
    }
  }

  @Test("search, liveness check, findings, graph, suite and comparison end soon after a stop")
  func phases() throws {
    let whole = Countdown(after: .max)
    #expect(try play(whole) == .whole)
    let questions = whole.asked
    #expect(questions > 1_000)
    // At moments all over the run, near its end too.
    for part in [1, 2, 5, 10, 30, 50, 70, 90, 97] {
      let moment = questions * part / 100
      let stop = Countdown(after: moment)
      #expect(try play(stop) == .stopped, "at question \(moment) of \(questions)")
      #expect(stop.asked - moment < 200, "\(stop.asked - moment) questions more, at \(moment)")
    }
  }

  @Test("errors that differ only in a quoted value are one finding, and findings are bounded")
  func findings() throws {
    let report = try Explored.report(
      "explore(\"it\")",
      of: """
        state { n = 0 }
        action.up {}
        action.wrong {}
        function gate.up(s) return s.n < 500 end
        function reduce.up(s) s.n = s.n + 1 end
        function reduce.wrong(s) error("it is " .. s.n, 0) end
        """)
    #expect(report.findings.count == 1)
    #expect(report.findings.first?.others == 500)
    let many = try Explored.report(
      "explore(\"it\")",
      of: "state { n = 0 }\naction.up { by = integer { min = 1, max = 300 } }\nlocal faults = {}\n"
        + (1...300).map { "faults[\($0)] = function() error(\"no\") end\n" }.joined()
        + "function reduce.up(s, a) faults[a.by]() end\n")
    #expect(many.findings.count == 100)
    #expect(many.moreFindings == 200)
    #expect(many.text("it").contains("  fails   200 more places that are not listed"))
  }
}
