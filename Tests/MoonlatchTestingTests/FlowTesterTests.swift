import FlowCases
import FlowHosting
import FlowKernel
import LuaRuntime
import MoonlatchTesting
import Testing

/// Tests of running flows, step by step.
@Suite(.timeLimit(.minutes(2))) struct FlowTesterTests {
  private struct Declined: Error, CustomStringConvertible { let description = "declined" }

  private struct Line: Codable, Equatable { var sku: String }

  private struct Basket: Codable { var lines: [Line] }

  private static let source = """
    state { lines = list {}, receipt = none, problem = none }
    action.add { sku = string }
    action.pay {}
    action.remind { seconds = number }
    internal.paid { receipt = string }
    internal.failed { error = string }
    internal.reminded {}
    machine.order {
      initial = "open",
      open    = { add = true, pay = "paying", remind = true, reminded = true },
      paying  = { paid = "done", failed = "open" },
      done    = { final = true },
    }
    function gate.pay(s) return #s.lines > 0, "nothing has been ordered" end
    function reduce.add(s, a) table.insert(s.lines, { sku = a.sku }) end
    function reduce.paid(s, a) s.receipt = a.receipt end
    function reduce.failed(s, a) s.problem = a.error end
    effect.pay = {
      run = function(self) dispatch.paid { receipt = self:charge(#view.lines()) } end,
      on_error = "failed",
    }
    function effect.remind(self, a) after(a.seconds, "reminded") end
    function view.lines(s) return s.lines end
    """

  private func tester(
    _ charge: CapabilityStub<String>, isExhaustive: Bool = true
  ) async throws -> FlowTester<FlowHost> {
    try await FlowTester(
      LoadedFlow(source: Self.source, name: "order.lua"), isExhaustive: isExhaustive,
      patience: .milliseconds(200)
    ) { scopes in
      scopes.root.provide("charge", charge)
    }
  }

  private func failure(_ body: () async throws -> Void) async -> String {
    do {
      try await body()
      return ""
    } catch {
      return "\(error)"
    }
  }

  @Test("a test sends, receives and finishes, and states every change")
  func order() async throws {
    let charge = CapabilityStub<String>()
    let tester = try await tester(charge)
    try await tester.refuse("pay", because: "nothing has been ordered")
    try await tester.fail("add", kind: .payload, because: "sku")
    try await tester.send("add", ["sku": "tea"]) { $0["lines"]?.append(["sku": "tea"]) }
    let cake = Line(sku: "cake")
    try await tester.send(
      "add", cake, changes: changing(Basket.self) { $0.lines.append(cake) })
    try await tester.send("pay") { $0["order"] = "paying" }
    charge.answer("r-1")
    try await tester.receive("paid", ["receipt": "r-1"]) {
      $0["receipt"] = "r-1"
      $0["order"] = "done"
    }
    #expect(charge.calls == [[2]])
    try await tester.finish()
    #expect(tester.state["receipt"] == "r-1")
  }

  @Test("a change that was not stated, or did not happen, is a failure that names it")
  func changes() async throws {
    let tester = try await tester(CapabilityStub(always: "r"))
    let silent = await failure { try await tester.send("add", ["sku": "tea"]) }
    #expect(
      silent.hasSuffix(
        "add { sku = \"tea\" } (#1) did not change the state as expected:\n"
          + "  lines[1].sku: expected no value, found \"tea\""), "\(silent)")
    #expect(silent.contains("FlowTesterTests.swift:"))
    let wrong = await failure {
      try await tester.send("add", ["sku": "jam"]) {
        $0["lines"]?.append(["sku": "jam"])
        $0["problem"] = "none left"
      }
    }
    #expect(wrong.hasSuffix("problem: expected \"none left\", found no value"), "\(wrong)")
    let refused = await failure { try await tester.send("remind", [:]) }
    #expect(refused.contains("remind was to pass: action remind: seconds"))
    let passed = await failure { try await tester.refuse("add", ["sku": "x"]) }
    #expect(passed.contains("add was to be refused: add passed (#3)"))
  }

  @Test("a commit that was not received is a failure at the next send, and at the end")
  func unreceived() async throws {
    let tester = try await tester(CapabilityStub(always: "r-9"))
    try await tester.send("add", ["sku": "tea"]) { $0["lines"]?.append(["sku": "tea"]) }
    try await tester.send("pay") { $0["order"] = "paying" }
    let early = await failure { try await tester.receive("failed") }
    #expect(early.contains("failed was to be received, but paid { receipt = \"r-9\" } (#3) came"))
    let other = try await self.tester(CapabilityStub(always: "r-9"))
    try await other.send("add", ["sku": "tea"]) { $0["lines"]?.append(["sku": "tea"]) }
    try await other.send("pay") { $0["order"] = "paying" }
    while try await other.instance.status().revision < 3 { await Task.yield() }
    let end = await failure { try await other.finish() }
    #expect(end.contains("not received: paid { receipt = \"r-9\" } (#3)"), "\(end)")
  }

  @Test("an effect that still waits, a timer and a failed effect are failures at the end")
  func unfinished() async throws {
    let charge = CapabilityStub<String>()
    let waiting = try await tester(charge)
    try await waiting.send("remind", ["seconds": 60])
    try await waiting.send("add", ["sku": "tea"]) { $0["lines"]?.append(["sku": "tea"]) }
    try await waiting.send("pay") { $0["order"] = "paying" }
    let end = await failure { try await waiting.finish() }
    #expect(end.contains("still pending: reminded is due at 1 min"))
    #expect(end.contains("still pending: effect.pay waits (#3)"))
    charge.fail(Declined())
    try await waiting.receive("failed") {
      $0["order"] = "open"
      $0["problem"] = "charge: declined"
    }
    try await waiting.finish(allowing: [.timer])
    try await waiting.advance(.seconds(60))
    try await waiting.receive("reminded")
    try await waiting.finish()
  }

  @Test("a failed effect that nobody handles is a failure at the end")
  func reported() async throws {
    let tester = try await FlowTester(
      LoadedFlow(
        source: "state { n = 0 } action.go {} function effect.go() error(\"late\") end",
        name: "go.lua"))
    try await tester.send("go")
    let end = await failure { try await tester.finish() }
    #expect(end.contains("reported: effect.go did not finish: go.lua:1: late"))
    #expect(tester.reports.map(\.kind) == [.effectFailed])
  }

  @Test("a test that is not exhaustive states what it cares for")
  func loose() async throws {
    let tester = try await tester(CapabilityStub(always: "r-1"), isExhaustive: false)
    try await tester.send("add", ["sku": "tea"])
    try await tester.send("remind", ["seconds": 60])
    try await tester.send("pay") { $0["order"] = "paying" }
    try await tester.receive("paid") { $0["receipt"] = "r-1" }
    let wrong = await failure { try await tester.refuse("pay", because: "other") }
    #expect(wrong.contains("pay was to be refused because of \"other\""))
    try await tester.finish()
  }

  @Test("a case is tested as a host is, with its virtual clock")
  func cases() async throws {
    let cases = try await Cases(
      of: LoadedFlow(source: Self.source, name: "order.lua"), in: MemoryJournal(),
      options: HostOptions(clock: .virtual, report: { _ in })
    ) { scopes in
      scopes.root.provide("charge", CapabilityStub(always: "r-1"))
    }
    let tester = try await FlowTester(cases.create("o-1"))
    try await tester.send("remind", ["seconds": 60])
    try await tester.advance(.seconds(60))
    try await tester.receive("reminded")
    try await tester.send("add", ["sku": "tea"], by: "ann") {
      $0["lines"]?.append(["sku": "tea"])
    }
    try await tester.send("pay") { $0["order"] = "paying" }
    try await tester.receive("paid", ["receipt": "r-1"]) {
      $0["receipt"] = "r-1"
      $0["order"] = "done"
    }
    try await tester.finish()
    try await cases.close()
  }

  @Test("a tester makes the cases of a case, and sees their reports")
  func ownCases() async throws {
    let charge = CapabilityStub<String>()
    let tester = try await FlowTester(
      case: "o-1", of: LoadedFlow(source: Self.source, name: "order.lua"),
      given: ["problem": "late"], patience: .milliseconds(500)
    ) { scopes in
      scopes.root.provide("charge", charge)
    }
    #expect(tester.state["problem"] == "late")
    try await tester.refuse("pay", because: "nothing has been ordered")
    try await tester.send("add", ["sku": "tea"]) { $0["lines"]?.append(["sku": "tea"]) }
    try await tester.send("pay") { $0["order"] = "paying" }
    #expect(try await tester.cases.list().map(\.id) == ["o-1"])
    let waiting = await failure { try await tester.finish() }
    #expect(waiting.contains("still pending: effect.pay waits (#2)"), "\(waiting)")
    charge.answer("r-1")
    let silent = await failure { try await tester.receive("paid", ["receipt": "r-1"]) }
    #expect(silent.contains("order: expected \"paying\", found \"done\""), "\(silent)")
    try await tester.finish()
    #expect(charge.calls == [[1]])
    try await tester.close()
  }

  @Test("a failed effect of a case that nobody handles is a failure at the end")
  func reportedByCase() async throws {
    let tester = try await FlowTester(
      case: "g",
      of: LoadedFlow(
        source: "state { n = 0 } action.go {} function effect.go() error(\"late\") end",
        name: "go.lua"))
    try await tester.send("go")
    let end = await failure { try await tester.finish() }
    #expect(end.contains("effect.go did not finish: go.lua:1: late"), "\(end)")
    #expect(tester.reports.map(\.host) == ["g"])
    try await tester.close()
  }

  @Test("a second tester goes on with a case that the first has closed")
  func restart() async throws {
    let flow = try LoadedFlow(
      source: """
        state { receipt = none }
        action.pay {}
        internal.paid { receipt = string }
        function reduce.paid(s, a) s.receipt = a.receipt end
        effect.pay = {
          durable = true,
          run = function(self)
            local receipt = self:charge()
            sleep(60)
            dispatch.paid { receipt = receipt }
          end,
        }
        """, name: "pay.lua")
    let (journal, charge) = (MemoryJournal(), CapabilityStub("r-1"))
    let first = try await FlowTester(case: "o-1", of: flow, in: journal) { scopes in
      scopes.root.provide("charge", charge)
    }
    try await first.send("pay")
    while try await first.instance.pendingWork.allSatisfy({ $0.due == nil }) { await Task.yield() }
    try await first.finish(allowing: [.effect])
    try await first.close()
    let second = try await FlowTester(case: "o-1", of: flow, in: journal) { scopes in
      scopes.root.provide("charge", charge)
    }
    #expect(second.state == first.state)
    try await second.advance(.seconds(60))
    try await second.receive("paid", ["receipt": "r-1"]) { $0["receipt"] = "r-1" }
    try await second.finish()
    #expect(charge.calls.count == 1)
    try await second.close()
  }
}
