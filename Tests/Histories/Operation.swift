/// Something that was asked of what several share, and what was answered.
package struct Operation<Question: Sendable, Answer: Sendable & Equatable>: Sendable {
  /// When it was asked, by a clock that all who ask have in common.
  package let begin: Int
  /// When it was answered; nil where nobody was told: it may have been done at any time since, or not at all.
  package let end: Int?
  /// What was asked.
  package let question: Question
  /// What was answered; nil where nobody was told.
  package let answer: Answer?

  package init(begin: Int, end: Int?, question: Question, answer: Answer?) {
    (self.begin, self.end, self.question, self.answer) = (begin, end, question, answer)
  }
}

/// An order in which operations could have been done one after the other, each at some moment between its question
/// and its answer, so that each was answered as it was: what is called *linearizable* (Herlihy and Wing, 1990).
///
/// The search is that of Wing and Gong (1993): at each step any operation may be next that nobody's answer preceded.
/// What was come to before, with the same operations done and the same state, is not tried again (Lowe, 2017).
package struct Linearization<Question: Sendable, Answer: Sendable & Equatable, State: Hashable> {
  private struct Place: Hashable {
    let done: [Bool]
    let state: State
  }

  private let operations: [Operation<Question, Answer>]
  private let apply: (inout State, Question) -> Answer
  private var failed: Set<Place> = []
  private var order: [Int] = []

  /// Looks for an order.
  ///
  /// - Parameter apply: what becomes of the state, and is answered.
  /// - Returns: the operations that were done by their places, in order; nil where there is no order.
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
    // What was never answered need not have been done.
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
