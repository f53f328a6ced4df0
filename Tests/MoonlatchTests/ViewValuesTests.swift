import FlowHosting
import FlowKernel
import Testing

@Suite(.timeLimit(.minutes(5))) struct ViewValuesTests {
  private let flow = """
    state { n = 0 }
    action.add { by = integer { default = 1 } }
    function reduce.add(s, a) s.n = s.n + a.by end
    function view.n(s) if s.n == 9 then error("nine") end return s.n end
    """

  @Test("the values of a view start with the current one, and all are kept on request")
  func unbounded() async throws {
    let host = try FlowHost(source: flow)
    var values = host.values(of: "n", as: Int.self, buffering: .unbounded).makeAsyncIterator()
    for _ in 1...3 { try host.passing("add") }
    var read: [Int?] = []
    for _ in 1...4 { read.append(try await values.next()) }
    #expect(read == [0, 1, 2, 3])
  }

  @Test("only the newest unread value is kept, or a given number of them")
  func newest() async throws {
    let host = try FlowHost(source: flow)
    var newest = host.values(of: "n", as: Int.self).makeAsyncIterator()
    var two = host.values(of: "n", as: Int.self, buffering: .bounded(2)).makeAsyncIterator()
    for _ in 1...3 { try host.passing("add") }
    #expect(try await newest.next() == 3)
    #expect(try await two.next() == 2)
    #expect(try await two.next() == 3)
  }

  @Test("ending an iteration ends its subscription, and the view is no longer computed")
  func ending() async throws {
    let host = try FlowHost(source: flow)
    for try await value in host.values(of: "n", as: Int.self) where value == 0 { break }
    let before = try host.recomputations(of: "n")
    try host.passing("add")
    #expect(try host.recomputations(of: "n") == before)
  }

  @Test("the values end when the host is stopped")
  func stopping() async throws {
    let host = try FlowHost(source: flow)
    var values = host.values(of: "n", as: Int.self).makeAsyncIterator()
    #expect(try await values.next() == 0)
    try await host.stop()
    #expect(try await values.next() == nil)
  }

  @Test("a view that raises, is not declared or has another type ends the values with its error")
  func failing() async throws {
    let host = try FlowHost(source: flow)
    var values = host.values(of: "n", as: Int.self).makeAsyncIterator()
    try host.passing("add", ["by": 9])
    let raised = await #expect(throws: ViewError.self) { try await values.next() }
    #expect("\(try #require(raised))".contains("nine"))
    var unknown = host.values(of: "m", as: Int.self).makeAsyncIterator()
    let undeclared = await #expect(throws: ViewError.self) { try await unknown.next() }
    #expect("\(try #require(undeclared))".hasPrefix("there is no view m"))
    try await host.stop()
    var late = host.values(of: "n", as: Int.self).makeAsyncIterator()
    await #expect(throws: ViewError.self) { try await late.next() }
  }

  @Test("a loop over the values does not keep the host alive, and ends with it")
  func dropped() async throws {
    var host: FlowHost? = try FlowHost(source: flow)
    let values = try #require(host?.values(of: "n", as: Int.self))
    let (begun, beginning) = AsyncStream.makeStream(of: Void.self)
    let loop = Task {
      for try await _ in values { beginning.yield() }
    }
    var iterator = begun.makeAsyncIterator()
    await iterator.next()
    host = nil
    try await loop.value
    // Whoever begins later finds no values.
    for try await value in values { Issue.record("\(value) of a host that has gone") }
  }
}
