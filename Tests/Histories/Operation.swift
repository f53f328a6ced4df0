/// An operation on a shared object: a question and its answer.
package struct Operation<Question: Sendable, Answer: Sendable & Equatable>: Sendable {
  /// The time of the question, by a clock that all clients share.
  package let begin: Int
  /// The time of the answer; nil if it was never received: the operation may have taken effect at any later time, or
  /// not at all.
  package let end: Int?
  /// The question.
  package let question: Question
  /// The answer; nil if it was never received.
  package let answer: Answer?

  package init(begin: Int, end: Int?, question: Question, answer: Answer?) {
    (self.begin, self.end, self.question, self.answer) = (begin, end, question, answer)
  }
}

/// A check that a history is *linearizable* (Herlihy and Wing, 1990).
///
/// A history is linearizable if a sequential order of the operations explains every answer, in which each operation
/// takes effect between its question and its answer. The search is that of Wing and Gong (1993): the next operation can
/// be any that no other answer precedes. A combination of completed operations and state that failed before is not
/// tried again (Lowe, 2017).
package struct Linearization<Question: Sendable, Answer: Sendable & Equatable, State: Hashable> {
  private struct Place: Hashable {
    let done: [Bool]
    let state: State
  }

  private let operations: [Operation<Question, Answer>]
  private let apply: (inout State, Question) -> Answer
  private var failed: Set<Place> = []
  private var order: [Int] = []

  /// Searches for a sequential order.
  ///
  /// - Parameter apply: applies a question to the state and returns the answer.
  /// - Returns: the indices of the operations that took effect, in order; nil if there is no order.
  package static func order(
    of operations: [Operation<Question, Answer>], from state: State,
    by apply: @escaping (inout State, Question) -> Answer
  ) -> [Int]? {
    var search = Linearization(operations, apply)
    let done = operations.map { _ in false }
    return search.goes(on: done, state) ? search.order : nil
  }

  private init(
    _ operations: [Operation<Question, Answer>],
    _ apply: @escaping (inout State, Question) -> Answer
  ) {
    (self.operations, self.apply) = (operations, apply)
  }

  private mutating func goes(on done: [Bool], _ state: State) -> Bool {
    let left = operations.indices.filter { !done[$0] }
    // An operation without an answer need not have taken effect.
    if left.allSatisfy({ operations[$0].end == nil }) { return true }
    let place = Place(done: done, state: state)
    if failed.contains(place) { return false }
    let earliest = left.compactMap { operations[$0].end }.min() ?? .max
    for next in left where operations[next].begin < earliest {
      var (after, changed) = (done, state)
      let answer = apply(&changed, operations[next].question)
      if let told = operations[next].answer, told != answer { continue }
      after[next] = true
      order.append(next)
      if goes(on: after, changed) { return true }
      order.removeLast()
    }
    failed.insert(place)
    return false
  }
}
