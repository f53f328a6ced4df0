import LuaRuntime
import Platform
import Testing

@testable import FlowCases
@testable import FlowHosting
@testable import FlowKernel

/// The calls of a case that another node holds.
@Suite(.timeLimit(.minutes(2))) struct CaseElsewhereTests {
  private static let source = """
    state { n = 0, waiting = false }
    action.add {}
    action.never {}
    action.go {}
    action.later {}
    internal.done {}
    internal.rang {}
    gatekeeper.busy { later = "attempt", rang = "reset" }
    function gate.never() return false, "it never may" end
    function reduce.add(s) s.n = s.n + 1 end
    function reduce.done(s) s.n = s.n + 100 end
    function effect.go(self) self:work() dispatch.done() end
    function effect.later() after(60, "rang") end
    function view.n(s) return s.n end
    """

  /// Two nodes that answer each other, and the one of them that holds the case "a".
  private func nodes() async throws -> (owner: Cases, other: Cases, answering: Task<Void, Never>) {
    let journal = SharedMemoryJournal()
    var all: [Cases] = []
    for name in ["one", "two"] {
      var node = NodeOptions()
      (node.name, node.looks) = (name, .milliseconds(1))
      let cases = try await Cases(
        of: LoadedFlow(source: Self.source, name: "n.lua"), in: journal,
        options: HostOptions(clock: .virtual, report: { _ in }), node: node
      ) { scopes in
        scopes.root.provide("work") { () async throws in }
      }
      all.append(cases)
    }
    for _ in 0..<2 { for cases in all { await cases.renewLeases() } }
    let owner = try #require(all.first { $0.node?.holds("a") == true })
    let other = try #require(all.first { $0 !== owner })
    let answering = Task {
      while !Task.isCancelled {
        await owner.lookIntoInbox()
        try? await Task.sleep(for: .milliseconds(1))
      }
    }
    return (owner, other, answering)
  }

  @Test("a case at another node can be dispatched to in batches, waited for and observed")
  func calls() async throws {
    let (owner, other, answering) = try await nodes()
    defer { answering.cancel() }
    try await other.create("a")
    let commits = Mutex<[String]>([])
    let subscription = try await other["a"].observe { commit in
      commits.withLock { $0.append("\(commit)") }
    }
    #expect(try await other["a"].dispatchAndWait("go").isPassed)
    #expect(try await other["a"].view("n") == 100)
    let outcomes = try await other["a"].dispatch(batch: [("add", [:]), ("never", [:])], by: "ann")
    #expect(outcomes.map(\.isPassed) == [true, false])
    #expect(owner.active == 1 && other.active == 0)
    while commits.withLock({ $0.count }) < 3 { try await Task.sleep(for: .milliseconds(1)) }
    #expect(commits.withLock { $0 } == ["go passed (#1)", "done passed (#2)", "add passed (#3)"])
    subscription.cancel()
  }

  @Test("a case at another node has a status, and cannot be undone or redone")
  func status() async throws {
    let (owner, other, answering) = try await nodes()
    defer { answering.cancel() }
    try await other.create("a")
    try await other["a"].dispatch("later")
    let status = try await other["a"].status()
    #expect(status.revision == 1)
    #expect(status.passages.map(\.gatekeeper) == ["busy"])
    #expect(status.pendingWork.map(\.description) == ["rang is due at 1 min"])
    #expect(try await owner["a"].status() == status)
    #expect(try await other["a"].state(fresh: true).value["n"] == 0)
    let error = await #expect(throws: JournalError.self) { try await other["a"].undo() }
    #expect(error?.kind == .fenced)
    let unread = await #expect(throws: JournalError.self) { _ = try await other["a"].snapshot() }
    #expect(unread?.kind == .fenced)
    let locked = await #expect(throws: JournalError.self) {
      _ = try await other["a"].open(KeyedScope("none", key: Int.self), with: 1)
    }
    #expect(locked?.kind == .fenced)
    #expect(owner.active == 1 && other.active == 0)
  }
}
