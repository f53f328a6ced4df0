import Testing

@testable import Moonlatch
@testable import Scenarios

@Suite struct TimelineTests {
  private func refused(_ action: String) -> Step {
    Step(
      action: action,
      outcome: .refused(
        Refusal(
          action: action, rejectedBy: .gate("push"), reason: nil,
          place: SourcePlace(file: "f", line: 1))))
  }

  @Test("the newest steps are kept, oldest first, and the others counted")
  func ring() {
    var timeline = Timeline(capacity: 3)
    for name in ["a", "b", "c", "d", "e"] { timeline.add(refused(name)) }
    #expect(timeline.latest.map(\.action) == ["c", "d", "e"])
    #expect(timeline.earlier == 2)
  }

  @Test("what effects dispatched stands between the scenario's own dispatches, with its cause")
  func queued() throws {
    let flow = """
      state { n = 0 }
      action.go {}
      action.went {}
      function reduce.went(s) s.n = s.n + 1 end
      function effect.go() dispatch.went() end
      """
    let text = """
      scenario("a", function()
        pass.go()
        pass.go()
        expect { n = 9 }
      end)
      """
    let record = try #require(try Played(text, flow: flow).records.first)
    #expect(record.steps.map(\.action) == ["go", "went", "go"])
    #expect(record.steps.map(\.payload) == ["{}", nil, "{}"])
    #expect(record.steps.map(\.cause) == [nil, 1, nil])
  }
}
