import FlowCases
import FlowHosting
import FlowKernel

/// A flow whose cases several nodes serve in tests, while questions and answers are recorded.
///
/// Amounts are put in and taken out, and each answer depends on all before it.
package enum Till {
  package static let source = """
    state { n = 0 }
    action.put { amount = integer }
    action.take { amount = integer }
    function gate.take(s, a) return s.n >= a.amount, "there is too little" end
    function reduce.put(s, a) s.n = (s.n * 7 + a.amount) % 100 end
    function reduce.take(s, a) s.n = s.n - a.amount end
    function view.n(s) return s.n end
    """

  package static func flow() throws -> LoadedFlow {
    try LoadedFlow(source: source, name: "till.lua")
  }

  /// A question to the case.
  package enum Question: Hashable, Sendable {
    case put(Int)
    case take(Int)
    case see

    /// Creates one of a sequence of questions of all kinds.
    package init(number: Int) {
      let amount = (number / 7) % 40
      switch number % 7 {
      case 0, 1, 2: self = .put(amount)
      case 3, 4: self = .take(amount)
      default: self = .see
      }
    }
  }

  /// An answer of the case.
  package enum Answer: Hashable, Sendable {
    case passed(Int)
    case refused
    case seen(Int, asOf: Int)
  }

  /// A model of the case's state.
  package struct State: Hashable, Sendable {
    package var n = 0
    package var revision = 0

    package init() {}

    /// Does in Swift what `source` does; `fault(of:)` compares it with the flow itself.
    package mutating func apply(_ question: Question) -> Answer {
      switch question {
      case .put(let amount): n = (n * 7 + amount) % 100
      case .take(let amount):
        if n < amount { return .refused }
        n -= amount
      case .see: return .seen(n, asOf: revision)
      }
      revision += 1
      return .passed(revision)
    }
  }

  package typealias History = [Operation<Question, Answer>]

  /// Sends a question to a case.
  ///
  /// - Parameter key: the idempotency key of the question.
  package static func ask(
    _ question: Question, of one: Case, key: String
  ) async throws -> Answer {
    switch question {
    case .put(let amount): try await dispatch("put", amount, to: one, key)
    case .take(let amount): try await dispatch("take", amount, to: one, key)
    case .see: try await see(one)
    }
  }

  private static func dispatch(
    _ action: String, _ amount: Int, to one: Case, _ key: String
  ) async throws -> Answer {
    answer(try await one.dispatch(action, ["amount": .integer(amount)], key: key))
  }

  private static func see(_ one: Case) async throws -> Answer {
    let seen = try await one.view("n", fresh: true)
    return .seen(seen.value.integerValue ?? -1, asOf: seen.asOf)
  }

  private static func answer(_ outcome: Outcome) -> Answer {
    if let commit = outcome.commit { return .passed(commit.revision) }
    return .refused
  }

  /// Returns why no single host could have given these answers one after the other; nil if one could.
  package static func fault(of history: History) throws -> String? {
    let order = Linearization.order(of: history, from: State()) { $0.apply($1) }
    guard let order else { return "no order fits" }
    // The flow itself decides what the answers in this order are.
    let host = try FlowHost(flow(), options: HostOptions(clock: .virtual))
    for place in order {
      let (question, told) = (history[place].question, history[place].answer)
      let found: Answer
      switch question {
      case .put(let amount):
        found = answer(try host.dispatch("put", ["amount": .integer(amount)]))
      case .take(let amount):
        found = answer(try host.dispatch("take", ["amount": .integer(amount)]))
      case .see:
        found = .seen(try host.view("n").integerValue ?? -1, asOf: try host.revision)
      }
      if let told, told != found { return "\(question): \(told), and the flow answers \(found)" }
    }
    return nil
  }
}
