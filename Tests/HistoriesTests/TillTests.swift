import Testing

@testable import Histories

struct TillTests {
  private func history(_ steps: [(Till.Question, Till.Answer)]) -> Till.History {
    steps.enumerated().map {
      Operation(begin: $0 * 2, end: $0 * 2 + 1, question: $1.0, answer: $1.1)
    }
  }

  @Test("a sequential history of one host is linearizable")
  func right() throws {
    var state = Till.State()
    let steps = (0..<200).map { number in
      let question = Till.Question(number: number * 31)
      return (question, state.apply(question))
    }
    #expect(Set(steps.map(\.1)).contains(.refused))
    #expect(try Till.fault(of: history(steps)) == nil)
  }

  @Test("a repeated answer, a lost one and a refusal by an old state are detected")
  func wrong() throws {
    let faults: [[(Till.Question, Till.Answer)]] = [
      [(.put(5), .passed(1)), (.put(5), .passed(1))],
      [(.put(5), .passed(1)), (.see, .seen(0, asOf: 0))],
      [(.put(5), .passed(1)), (.take(5), .refused)],
      [(.put(5), .passed(1)), (.see, .seen(40, asOf: 2))],
    ]
    for steps in faults { #expect(try Till.fault(of: history(steps)) == "no order fits") }
  }
}
