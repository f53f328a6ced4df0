import LuaRuntime
import Testing

@testable import FlowKernel
@testable import FlowLanguage
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
    var timeline = Timeline(capacity: 3, bytes: 1 << 20)
    for name in ["a", "b", "c", "d", "e"] { timeline.add(refused(name)) }
    #expect(timeline.latest.map(\.action) == ["c", "d", "e"])
    #expect(timeline.earlier == 2)
  }

  @Test("large steps are kept up to a number of bytes, and the newest always")
  func bytes() {
    var timeline = Timeline(capacity: 100, bytes: 10_000)
    for number in 1...50 {
      let payload: Value = ["text": .string(String(repeating: "x", count: 1_000))]
      timeline.add("a\(number)", payload, refused("a").outcome, at: number)
    }
    #expect((5...9).contains(timeline.latest.count))
    #expect(timeline.latest.last?.action == "a50")
    #expect(timeline.latest.count + timeline.earlier == 50)
    timeline.add(
      "b", ["text": .string(String(repeating: "x", count: 20_000))], refused("b").outcome, at: 51)
    #expect(timeline.latest.map(\.action) == ["b"])
  }

  @Test("dispatches of effects are listed among the scenario's own, with their cause")
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
