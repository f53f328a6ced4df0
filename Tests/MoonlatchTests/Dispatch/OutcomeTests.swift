import FlowHosting
import FlowKernel
import Testing

@Suite struct OutcomeTests {
  @Test("every outcome is described by a sentence")
  func sentences() throws {
    let host = try FlowHost(source: turnstile)
    #expect(try host.dispatch("push").description == "refused by gate push: insert a coin first")
    #expect(try host.dispatch("coin", ["amount": 1]).description == "coin passed (#1)")
    #expect(
      try host.dispatch("coin", ["amount": -5]).description
        == "action coin: amount must be an integer of at least 1, got -5")
    #expect(
      try host.dispatch("coins").description == "there is no action coins; did you mean coin?")
  }

  @Test("isPassed is true only of a passed outcome, and isGranted of a granted permission")
  func kinds() throws {
    let host = try FlowHost(source: turnstile)
    #expect(!(try host.dispatch("push").isPassed))
    #expect(!(try host.dispatch("nothing").isPassed))
    #expect(try host.dispatch("coin", ["amount": 1]).isPassed)
    #expect(try host.may("push").isGranted)
    #expect(!(try host.may("nothing").isGranted))
  }

  @Test("a failure in a script is described by its place, its message and its traceback")
  func failure() throws {
    let failure = try #require(try FlowHost(source: going("local x = nil + s.n")).failure())
    #expect(failure.summary == "flow.lua:13: attempt to perform arithmetic on a nil value")
    #expect(failure.description == "\(failure.summary)\n    flow.lua:13: in function 'reduce.go'")
  }

  @Test("an outcome gives its commit, or throws the reason")
  func getting() throws {
    let host = try FlowHost(source: turnstile)
    let refused = try host.dispatch("push")
    #expect(refused.refusal?.reason == "insert a coin first")
    #expect(refused.commit == nil && refused.failure == nil)
    #expect { try refused.get() } throws: { $0 as? Refusal == refused.refusal }
    let failed = try host.dispatch("nothing")
    #expect(failed.failure?.kind == .undeclared)
    #expect(failed.commit == nil && failed.refusal == nil)
    #expect { try failed.get() } throws: { $0 as? DispatchFailure == failed.failure }
    let passed = try host.dispatch("coin", ["amount": 1])
    #expect(try passed.get().revision == 1)
    #expect(passed.commit?.action == "coin")
    #expect(passed.refusal == nil && passed.failure == nil)
    #expect(try host.may("push").refusal == nil)
    #expect(try host.may("nothing").failure?.kind == .undeclared)
  }
}
