import FlowHosting
import FlowKernel
import Testing

@testable import FlowTools

@Suite struct PlayedStepsTests {
  /// The transitions of a flow that puts a text of a thousand bytes into its state at each action.
  private func commits(_ count: Int) throws -> [Commit] {
    let host = try FlowHost(
      source: """
        state { text = "" }
        action.put { letter = string }
        function reduce.put(s, a) s.text = a.letter:rep(1000) end
        """, options: HostOptions(clock: .virtual))
    return try (0..<count).map { try host.dispatch("put", ["letter": .string("\($0 % 10)")]).get() }
  }

  private func step(_ commit: Commit) -> PlayedSteps.Entry {
    .init(
      .dispatch(action: "put", payload: [:], outcome: .passed(commit), followed: []), at: 0)
  }

  @Test("steps are kept as long as their commits stay within the limit of bytes")
  func bounded() throws {
    let commits = try commits(10)
    var few = PlayedSteps(most: 100_000)
    var many = PlayedSteps(most: 9_000)
    for commit in commits {
      few.add(step(commit))
      many.add(step(commit))
    }
    #expect(few.entries.count == 10 && !few.isCutOff)
    #expect(many.entries.isEmpty && many.isCutOff)
    #expect(many.lastOutcome?.commit?.revision == 10)
    many.go(to: 3, at: 0)
    #expect(many.entries.isEmpty)
  }

  @Test("undone steps do not count against the limit")
  func undone() throws {
    let commits = try commits(4)
    var played = PlayedSteps(most: 9_000)
    for _ in 0..<50 {
      played.add(step(commits[0]))
      played.go(to: 0, at: 0)
    }
    #expect(!played.isCutOff)
  }

  @Test("the transitions of an input are counted, and kept up to the limit")
  func recent() throws {
    var recent = RecentTransitions(most: 9_000)
    let commits = try commits(20)
    for commit in commits.prefix(3) { recent.add(commit) }
    #expect(recent.dropFirst(1).map(\.revision) == [2, 3])
    for commit in commits.dropFirst(3) { recent.add(commit) }
    #expect(recent.count == 20 && recent.isCutOff && recent.dropFirst(0).isEmpty)
  }
}
