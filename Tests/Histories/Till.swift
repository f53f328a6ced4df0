import FlowCases
import FlowHosting
import FlowKernel

/// A flow that several nodes serve a case of while it is noted what they are asked and answer: where sums are put in
/// and taken out, each of which depends on all before it.
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

  /// What is asked.
  package enum Question: Hashable, Sendable {
    case put(Int)
    case take(Int)
    case see

    /// One of many, in which all kinds come.
    package init(number: Int) {
      let amount = (number / 7) % 40
      switch number % 7 {
      case 0, 1, 2: self = .put(amount)
      case 3, 4: self = .take(amount)
      default: self = .see
      }
    }
  }

  /// What is answered.
  package enum Answer: Hashable, Sendable {
    case passed(Int)
    case refused
    case seen(Int, asOf: Int)
  }

  /// The case, as what is asked of it changes it.
  package struct State: Hashable, Sendable {
    package var n = 0
    package var revision = 0

    package init() {}

    /// What `source` does, once more in Swift: `fault(of:)` holds it against the flow itself.
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

  /// Asks a case.
  ///
  /// - Parameter key: what tells the question from all others.
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

  /// Why answers are none that one host alone could have given, one after the other; nil where they are.
  package static func fault(of history: History) throws -> String? {
    let order = Linearization.order(of: history, from: State()) { $0.apply($1) }
    guard let order else { return "no order fits" }
    // The flow itself has the last word on what the order comes to.
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
