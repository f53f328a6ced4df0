import Testing

@testable import Histories

/// Linearization of histories of a register that is written and read.
struct LinearizationTests {
  private enum Question: Sendable { case write(Int), read }

  private typealias Step = Operation<Question, Int>

  private func order(_ steps: [Step]) -> [Int]? {
    Linearization.order(of: steps, from: 0) { value, question in
      if case .write(let new) = question { value = new }
      return value
    }
  }

  private func write(_ value: Int, _ begin: Int, _ end: Int?) -> Step {
    Step(begin: begin, end: end, question: .write(value), answer: end.map { _ in value })
  }

  private func read(_ value: Int, _ begin: Int, _ end: Int) -> Step {
    Step(begin: begin, end: end, question: .read, answer: value)
  }

  @Test("concurrent operations may have happened in any order")
  func together() {
    #expect(order([write(1, 0, 10), read(0, 1, 3), read(1, 4, 9)]) == [1, 0, 2])
    #expect(order([write(1, 0, 10), read(1, 1, 3), read(1, 4, 9)]) == [0, 1, 2])
  }

  @Test("a read of a value older than one already returned fits no order")
  func stale() {
    #expect(order([write(1, 0, 1), read(0, 2, 3)]) == nil)
    #expect(order([write(1, 0, 10), read(1, 1, 3), read(0, 4, 9)]) == nil)
  }

  @Test("an unanswered operation may have happened at any later time, or never")
  func unanswered() {
    #expect(order([write(1, 0, nil), read(0, 1, 2)]) == [1])
    #expect(order([write(1, 0, nil), read(0, 1, 2), read(1, 3, 4)]) == [1, 0, 2])
    #expect(order([write(1, 5, nil), read(1, 1, 2)]) == nil)
    #expect(order([write(1, 0, nil), read(1, 1, 2), read(0, 3, 4)]) == nil)
  }

  @Test("two clients that have both been told to be first fit no order")
  func twice() {
    let both = [0, 1].map { _ in Operation<Int, Int>(begin: 0, end: 9, question: 1, answer: 1) }
    #expect(
      Linearization.order(of: both, from: 0) {
        $0 += $1; return $0
      } == nil)
  }
}
