import Foundation
import LuaRuntime
import Platform
import Testing

@testable import FlowCases
@testable import FlowHosting
@testable import FlowKernel
@testable import FlowLanguage

/// Reloading the flow of all cases.
@Suite(.timeLimit(.minutes(2))) struct CasesReloadTests {
  private static let source = """
    state { n = 0 }
    action.bump {}
    action.work {}
    internal.done {}
    function reduce.bump(s) s.n = s.n + 1 end
    function reduce.done(s) s.n = s.n + 1000 end
    function effect.work(self) self:slow() dispatch.done() end
    function view.n(s) return s.n end
    """

  private func loaded(_ source: String) throws -> LoadedFlow {
    try LoadedFlow(source: source, name: "n.lua")
  }

  private func cases(
    _ flow: LoadedFlow, in journal: any JournalStorage = MemoryJournal(), awake: Int = 1_000,
    reports: @escaping @Sendable (String) -> Void = { _ in },
    slow: @escaping @Sendable () async throws -> Void = {}
  ) async throws -> Cases {
    try await Cases(
      of: flow, in: journal, options: HostOptions(clock: .virtual, report: { reports("\($0)") }),
      maximumActive: awake
    ) { scopes in
      scopes.root.provide("slow") { () async throws in try await slow() }
    }
  }

  @Test("a reload changes the cases that are awake at once, and the others when they are used")
  func all() async throws {
    let cases = try await cases(loaded(Self.source), awake: 2)
    for id in ["a", "b", "c", "d"] {
      try await cases.create(id)
      try await cases[id].dispatch("bump")
    }
    var values = cases["d"].values(of: "n", as: Int.self).makeAsyncIterator()
    #expect(try await values.next() == 1)
    let failures = try await cases.reload(
      to: loaded(Self.source.replacing("s.n + 1 ", with: "s.n + 100 ")))
    #expect(failures.isEmpty)
    for id in ["a", "b", "c", "d"] {
      try await cases[id].dispatch("bump")
      #expect(try await cases[id].view("n") == 101)
    }
    #expect(try await values.next() == 101)
    try await cases.close()
  }

  @Test("a running effect continues over a reload of all cases")
  func running() async throws {
    let (answers, answer) = AsyncStream.makeStream(of: Void.self)
    let cases = try await cases(
      loaded(Self.source), slow: { for await _ in answers { return } })
    try await cases.create("a")
    let working = Task { try await cases["a"].dispatchAndWait("work") }
    while try await cases["a"].revision < 1 { await Task.yield() }
    try await cases.reload(to: loaded(Self.source.replacing("1000", with: "2000")))
    answer.yield()
    #expect(try await working.value.isPassed)
    #expect(try await cases["a"].view("n") == 2000)
    try await cases.close()
  }

  @Test("a case that does not fit keeps the old flow, and is named and reported")
  func misfit() async throws {
    let reports = Mutex<[String]>([])
    let cases = try await cases(
      loaded(Self.source), reports: { report in reports.withLock { $0.append(report) } })
    for id in ["a", "b"] { try await cases.create(id) }
    try await cases["a"].dispatch("bump")
    let strict = Self.source.replacing(
      "function view.n", with: "function invariant.small(s) return s.n < 1 end function view.n")
    let failures = try await cases.reload(to: loaded(strict))
    #expect(failures.map(\.id) == ["a"])
    #expect(failures.first?.description.hasPrefix("case a keeps the old flow: ") == true)
    #expect(reports.withLock { $0.contains { $0.hasPrefix("a: the case keeps the old flow: ") } })
    #expect(try await cases["a"].dispatch("bump").isPassed)
    #expect(try await cases["b"].dispatch("bump").isPassed == false)
    try await cases.close()
  }

  @Test("a flow that declares no scope with capabilities, or another flow, changes nothing")
  func refused() async throws {
    let (journal, flow) = (MemoryJournal(), try loaded(Self.source))
    let desk = "scope.desk { key = function(s) return s.open end }\n"
    let cases = try await Cases(
      of: loaded(desk + Self.source.replacing("n = 0", with: "n = 0, open = none")),
      in: journal, options: HostOptions(clock: .virtual, report: { _ in })
    ) { scopes in
      scopes.root.provide("slow") { () async throws in }
      scopes["desk"].provide("ring") { 1 }
    }
    try await cases.create("a")
    await #expect(throws: HostError.self) { try await cases.reload(to: flow) }
    let text = "scope.desk { key = function() return true end } state {}"
    let other = await #expect(throws: JournalError.self) {
      try await cases.reload(to: LoadedFlow(source: text, name: "x.lua"))
    }
    #expect(other?.kind == .otherFlow)
    #expect(try await cases["a"].dispatch("bump").isPassed)
    try await cases.close()
  }

  @Test("reload() reads the flow's files again")
  func files() async throws {
    let folder = try TestFolder()
    let file = try folder.write(Self.source, to: "n.lua")
    let cases = try await cases(LoadedFlow(file))
    try await cases.create("a")
    try folder.write(Self.source.replacing("s.n + 1 ", with: "s.n + 7 "), to: "n.lua")
    try await cases.reload()
    try await cases["a"].dispatch("bump")
    #expect(try await cases["a"].view("n") == 7)
    try folder.write("state {", to: "n.lua")
    await #expect(throws: FlowError.self) { try await cases.reload() }
    #expect(try await cases["a"].dispatch("bump").isPassed)
    try await cases.close()
  }
}
