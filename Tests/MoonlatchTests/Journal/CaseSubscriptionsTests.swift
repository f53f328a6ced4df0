import Foundation
import LuaRuntime
import Platform
import Testing

@testable import FlowCases
@testable import FlowHosting
@testable import FlowKernel

/// Subscriptions to a case's views and commits.
@Suite(.timeLimit(.minutes(2))) struct CaseSubscriptionsTests {
  private static let source = """
    state { n = 0, bad = false }
    action.bump {}
    action.spoil {}
    function reduce.bump(s) s.n = s.n + 1 end
    function reduce.spoil(s) s.bad = true end
    function view.n(s) if s.bad then error("spoilt") end return s.n end
    """

  private final class Heard: Sendable {
    private let all = Mutex<[String]>([])
    var lines: [String] { all.withLock { $0 } }
    func add(_ line: String) { all.withLock { $0.append(line) } }

    func wait(for count: Int) async throws {
      while lines.count < count { try await Task.sleep(for: .milliseconds(1)) }
    }
  }

  private func cases(in journal: any JournalStorage = MemoryJournal()) async throws -> Cases {
    try await Cases(
      of: LoadedFlow(source: Self.source, name: "n.lua"), in: journal,
      options: HostOptions(clock: .virtual, report: { _ in }))
  }

  @Test("a subscriber to a case's view gets the present value and each change, as its type")
  func views() async throws {
    let journals: [any JournalStorage] = [MemoryJournal(), SharedMemoryJournal()]
    for journal in journals {
      let cases = try await cases(in: journal)
      let heard = Heard()
      try await cases.create("a")
      let subscription = try await cases["a"].subscribe("n", as: Int.self) { value in
        switch value {
        case .success(let n): heard.add("\(n)")
        case .failure(let error): heard.add("\(error)".contains("spoilt") ? "spoilt" : "\(error)")
        }
      }
      try await heard.wait(for: 1)
      for n in 1...2 {
        try await cases["a"].dispatch("bump")
        try await heard.wait(for: n + 1)
      }
      try await cases["a"].dispatch("spoil")
      try await heard.wait(for: 4)
      #expect(heard.lines == ["0", "1", "2", "spoilt"])
      subscription.cancel()
      try await cases.close()
    }
  }

  @Test("a subscription to an unknown view or case throws at once")
  func unknown() async throws {
    let cases = try await cases()
    try await cases.create("a")
    await #expect(throws: ViewError.self) {
      _ = try await cases["a"].subscribe("m") { _ in }
    }
    let error = await #expect(throws: JournalError.self) {
      _ = try await cases["z"].observe { _ in }
    }
    #expect(error?.kind == .unknownCase)
    try await cases.close()
  }

  @Test("an observer of a case gets its commits in order, and the case may sleep meanwhile")
  func commits() async throws {
    let cases = try await cases()
    let heard = Heard()
    try await cases.create("a")
    try await cases["a"].dispatch("bump")
    let subscription = try await cases["a"].observe { commit in
      heard.add("\(commit) \(commit.changes)")
    }
    let host = try await cases.use("a") { $0 }
    #expect(host.caseWriter?.mayRest == true)
    for _ in 1...3 { try await cases["a"].dispatch("bump") }
    try await heard.wait(for: 3)
    #expect(
      heard.lines == [
        "bump passed (#2) n: 1 -> 2", "bump passed (#3) n: 2 -> 3", "bump passed (#4) n: 3 -> 4",
      ])
    subscription.cancel()
    try await cases.close()
  }

  private final class Owner: Sendable {
    let heard: Heard
    init(_ heard: Heard) { self.heard = heard }
  }

  @Test("a subscription to a case lasts as long as its owner")
  func owners() async throws {
    let journals: [any JournalStorage] = [MemoryJournal(), SharedMemoryJournal()]
    for journal in journals {
      let cases = try await cases(in: journal)
      let (plain, typed, commits) = (Heard(), Heard(), Heard())
      let one = try await cases.create("a")
      do {
        let (values, numbers, observer) = (Owner(plain), Owner(typed), Owner(commits))
        try await one.subscribe("n", owner: values) { owner, value in
          owner.heard.add("\((try? value.get())?.integerValue ?? -1)")
        }
        try await one.subscribe("n", as: Int.self, owner: numbers) { owner, value in
          owner.heard.add("\((try? value.get()) ?? -1)")
        }
        try await one.observe(owner: observer) { owner, commit in owner.heard.add("\(commit)") }
        try await plain.wait(for: 1)
        try await typed.wait(for: 1)
        try await one.dispatch("bump")
        try await plain.wait(for: 2)
        try await typed.wait(for: 2)
        try await commits.wait(for: 1)
        withExtendedLifetime((values, numbers, observer)) {}
      }
      try await one.dispatch("bump")
      #expect(try await one.view("n") == 2)
      try await cases.close()
      #expect(plain.lines == ["0", "1"])
      #expect(typed.lines == ["0", "1"])
      #expect(commits.lines == ["bump passed (#1)"])
    }
  }

  @Test("an observer of all cases gets the commits of each, with the wall clock's time")
  func allCommits() async throws {
    let cases = try await cases()
    let heard = Heard()
    let times = Mutex<[Bool]>([])
    let subscription = cases.observe { id, commit in
      heard.add("\(id) \(commit)")
      times.withLock { $0.append(commit.wallTime.timeIntervalSince1970 > 1_500_000_000) }
    }
    for id in ["a", "b"] {
      try await cases.create(id)
      try await cases[id].dispatch("bump")
    }
    try await heard.wait(for: 2)
    #expect(heard.lines == ["a bump passed (#1)", "b bump passed (#1)"])
    #expect(times.withLock { $0 } == [true, true])
    subscription.cancel()
    try await cases["a"].dispatch("bump")
    #expect(heard.lines.count == 2)
    try await cases.close()
  }
}
