import FlowHosting
import FlowKernel
import LuaRuntime
import MoonlatchTesting
import Testing

/// Stubs of capabilities.
@Suite(.timeLimit(.minutes(5))) struct CapabilityStubTests {
  private struct Broken: Error, CustomStringConvertible { let description = "broken" }

  private static let source = """
    state { got = list {} }
    action.ask { n = integer }
    internal.told { text = string }
    internal.failed { error = string }
    function reduce.told(s, a) table.insert(s.got, a.text) end
    function reduce.failed(s, a) table.insert(s.got, a.error) end
    effect.ask = {
      run = function(self, a) dispatch.told { text = self:answer(a.n, "x") } end,
      on_error = "failed",
    }
    """

  private func host(_ stub: CapabilityStub<String>) throws -> FlowHost {
    try FlowHost(
      source: Self.source, options: HostOptions(clock: .virtual, report: { _ in })
    ) { scopes in
      scopes.root.provide("answer", stub)
    }
  }

  @Test("a stub answers in advance, by hand, and with errors, and records the arguments")
  func answers() async throws {
    let stub = CapabilityStub("first")
    let host = try host(stub)
    try await host.dispatchAndWait("ask", ["n": 1])
    async let second = host.dispatchAndWait("ask", ["n": 2])
    while stub.waiting == 0 { await Task.yield() }
    stub.answer("second")
    #expect(try await second.isPassed)
    stub.fail(Broken())
    try await host.dispatchAndWait("ask", ["n": 3])
    #expect(stub.calls == [[1, "x"], [2, "x"], [3, "x"]])
    #expect(try await host.state()["got"] == ["first", "second", "answer: broken"])
  }

  @Test("a constant stub answers every call, and a call that is cancelled waits no longer")
  func constant() async throws {
    let always = try host(CapabilityStub(always: "same"))
    for n in 1...2 { try await always.dispatchAndWait("ask", ["n": .integer(n)]) }
    #expect(try await always.state()["got"] == ["same", "same"])
    let stub = CapabilityStub<String>()
    let host = try host(stub)
    try await host.dispatch("ask", ["n": 1])
    while stub.waiting == 0 { await Task.yield() }
    try await host.stop()
    while stub.waiting > 0 { await Task.yield() }
  }
}
