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

  private func cases(in journal: any JournalStorage = MemoryJournal()) async throws -> Cases {
    try await Cases(
      of: LoadedFlow(source: Self.flow), in: journal,
      options: HostOptions(clock: .virtual, report: { _ in }))
  }

  private func journals() -> [any JournalStorage] { [MemoryJournal(), SharedMemoryJournal()] }

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
    let unknown = await #expect(throws: ViewError.self) {
      for try await _ in cases["zzz"].values(of: "n") {}
    }
    guard case .unsaved(let error)? = unknown else {
      Issue.record("\(String(describing: unknown))")
      return
    }
    #expect(error.kind == .unknownCase)
    let undeclared = await #expect(throws: ViewError.self) {
      for try await _ in cases["a"].values(of: "nn") {}
    }
    #expect("\(try #require(undeclared))".hasPrefix("there is no view nn"))
    try await cases.close()
  }

  @Test("an observed case stays loaded, and may be unloaded afterwards")
  func sleeps() async throws {
    let cases = try await cases()
    try await cases.create("a")
    var values: ViewValues<Value>.Iterator? = cases["a"].values(of: "n").makeAsyncIterator()
    #expect(try await values?.next() == 0)
    let host = try await cases.use("a") { $0 }
    #expect(host.caseWriter?.mayRest == false)
    values = nil
    while host.caseWriter?.mayRest == false { await Task.yield() }
    try await cases.close()
  }

  @Test("the values of a case have the type that is asked for, and are all kept on request")
  func typed() async throws {
    for journal in journals() {
      let cases = try await cases(in: journal)
      try await cases.create("a")
      var values = cases["a"].values(of: "n", as: Int.self, buffering: .unbounded)
        .makeAsyncIterator()
      #expect(try await values.next() == 0)
      for n in 1...3 {
        try await cases["a"].dispatch("bump")
        #expect(try await values.next() == n)
      }
      var texts = cases["a"].values(of: "n", as: String.self).makeAsyncIterator()
      let mismatch = await #expect(throws: ViewError.self) { try await texts.next() }
      #expect("\(try #require(mismatch))".hasPrefix("view n is not of type String"))
      #expect(try await texts.next() == nil)
      try await cases.close()
      #expect(try await values.next() == nil)
    }
  }

  @Test("a loop over the values does not keep the cases alive, and ends with them")
  func dropped() async throws {
    for journal in journals() {
      var cases: Cases? = try await self.cases(in: journal)
      try await cases?.create("a")
      let values = try #require(cases?["a"].values(of: "n", as: Int.self))
      let (begun, beginning) = AsyncStream.makeStream(of: Void.self)
      let loop = Task {
        for try await _ in values { beginning.yield() }
      }
      var iterator = begun.makeAsyncIterator()
      await iterator.next()
      cases = nil
      try await loop.value
      for try await value in values { Issue.record("\(value) of cases that have gone") }
    }
  }
}
