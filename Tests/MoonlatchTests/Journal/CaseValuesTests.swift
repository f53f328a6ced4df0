import LuaRuntime
import Testing

@testable import FlowCases
@testable import FlowHosting
@testable import FlowKernel

/// The stream of a case's view values.
@Suite(.timeLimit(.minutes(2))) struct CaseValuesTests {
  private static let flow = """
    state { n = 0, bad = false }
    action.bump {}
    action.spoil {}
    action.mend {}
    function reduce.bump(s) s.n = s.n + 1 end
    function reduce.spoil(s) s.bad = true end
    function reduce.mend(s) s.bad = false end
    function view.n(s) if s.bad then error("spoilt") end return s.n end
    """

  private func cases(in journal: any Journal = MemoryJournal()) async throws -> Cases {
    try await Cases(
      of: LoadedFlow(source: Self.flow), in: journal,
      options: HostOptions(clock: .virtual, report: { _ in }))
  }

  private func journals() -> [any Journal] { [MemoryJournal(), SharedMemoryJournal()] }

  @Test("the values of a view end when the case ends, and when the cases are closed")
  func ends() async throws {
    for journal in journals() {
      let cases = try await cases(in: journal)
      for id in ["a", "b"] { try await cases.create(id) }
      let (begun, beginning) = AsyncStream<Void>.makeStream()
      let readers = ["a", "b"].map { id in
        Task {
          var seen: [Value] = []
          for try await value in cases[id].values(of: "n") {
            seen.append(value)
            beginning.yield()
          }
          return seen
        }
      }
      var iterator = begun.makeAsyncIterator()
      for _ in readers { await iterator.next() }
      for id in ["a", "b"] { try await cases[id].dispatch("bump") }
      try await cases["a"].end()
      #expect(try await readers[0].value.last == 1)
      try await cases.close()
      _ = try await readers[1].value
    }
  }

  @Test("a view that raises gives an error among its values, which continue afterwards")
  func raises() async throws {
    for journal in journals() {
      let cases = try await cases(in: journal)
      try await cases.create("a")
      var results = cases["a"].results(of: "n").makeAsyncIterator()
      #expect(try await results.next()?.get() == 0)
      try await cases["a"].dispatch("spoil")
      let error = try await results.next()
      #expect(throws: ViewError.self) { try error?.get() }
      try await cases["a"].dispatch("mend")
      #expect(try await results.next()?.get() == 0)
      try await cases.close()
      #expect(try await results.next() == nil)
    }
  }

  @Test("the values of an unknown case or view are an error")
  func unknown() async throws {
    let cases = try await cases()
    try await cases.create("a")
    await #expect(throws: JournalError.self) {
      for try await _ in cases["zzz"].values(of: "n") {}
    }
    await #expect(throws: ViewError.self) { for try await _ in cases["a"].values(of: "nn") {} }
    try await cases.close()
  }

  @Test("an observed case stays loaded, and may be unloaded afterwards")
  func sleeps() async throws {
    let cases = try await cases()
    try await cases.create("a")
    var values: AsyncThrowingStream<Value, any Error>.Iterator? =
      cases["a"].values(of: "n").makeAsyncIterator()
    #expect(try await values?.next() == 0)
    let host = try await cases.use("a") { $0 }
    #expect(host.caseWriter?.mayRest == false)
    values = nil
    while host.caseWriter?.mayRest == false { await Task.yield() }
    try await cases.close()
  }
}
