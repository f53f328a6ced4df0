import Foundation
import LuaRuntime
import Synchronization
import Testing

@testable import FlowCases
@testable import FlowHosting
@testable import FlowKernel

/// The calls that a case has in common with a host.
@Suite(.timeLimit(.minutes(2))) struct CaseInstanceTests {
  private struct Line: Codable, Equatable {
    var sku: String
    var quantity: Int
  }

  private struct Basket: Codable { var customer: String }

  private static let source = """
    state { customer = "", lines = list {}, by = "", asked = 0 }
    action.add { sku = string, quantity = integer { min = 1 } }
    action.ask {}
    action.remind { seconds = number }
    internal.asked {}
    internal.reminded {}
    gatekeeper.busy { ask = "attempt", asked = "reset" }
    machine.order {
      initial = "open",
      open    = { add = true, ask = "waiting", remind = true, reminded = true },
      waiting = { asked = "open", add = true },
    }
    function reduce.add(s, a)
      table.insert(s.lines, { sku = a.sku, quantity = a.quantity })
      s.by = by() or "nobody"
    end
    function reduce.asked(s) s.asked = s.asked + 1 end
    effect.ask = { run = function(self) self:answer() dispatch.asked() end }
    function effect.remind(self, a) after(a.seconds, "reminded") end
    function view.lines(s) return s.lines end
    function view.count(s) return #s.lines end
    function view.by(s) return s.by end
    function view.customer(s) return s.customer end
    function view.asked(s) return s.asked end
    """

  private func cases(
    _ source: String = source, in journal: any JournalStorage = MemoryJournal(),
    answer: @escaping @Sendable () async throws -> Void = {}
  ) async throws -> Cases {
    try await Cases(
      of: LoadedFlow(source: source, name: "order.lua"), in: journal,
      options: HostOptions(clock: .virtual, report: { _ in })
    ) { scopes in
      scopes.root.provide("answer") { () async throws in try await answer() }
    }
  }

  /// Plays the same on a host and on a case.
  private func order(_ order: some FlowInstance) async throws -> [String] {
    try await order.dispatch("add", Line(sku: "tea", quantity: 2), by: "ann").get()
    let (sku, quantity) = ("cake", 1)
    try await order.dispatch("add", ["sku": sku, "quantity": quantity]).get()
    try await order.dispatch("add", ["sku": "bun", "quantity": 3])
    let outcomes = try await order.dispatch(batch: [
      ("add", ["sku": "jam", "quantity": 1]), ("add", ["sku": "jam", "quantity": 0]),
    ])
    let lines: [Line] = try await order.view("lines")
    let count = try await order.view("count", as: Int.self)
    let may = try await order.may("add", Line(sku: "tea", quantity: 0))
    try await order.dispatchAndWait("ask")
    try await order.advance(.seconds(1))
    let status = try await order.status()
    let (asked, by): (Value, Value) = (try await order.view("asked"), try await order.view("by"))
    let state: Value = try await order.state()
    return [
      "\(lines.map(\.sku))", "\(count)", "\(outcomes.map(\.isPassed))", "\(may.isGranted)",
      "\(asked)", "\(by)", "\(status.machines)", "\(status.revision)", "\(status.elapsed)",
      "\(state["asked"] ?? Value.nil)",
    ]
  }

  /// Reads a host or a case, and moves it in time.
  private func inspect(_ order: some FlowInstance) async throws -> [String] {
    let lines = [Line(sku: "pie", quantity: 1), Line(sku: "pie", quantity: 0)]
    let outcomes = try await order.dispatch(batch: lines.map { ("add", $0) }, by: "ann")
    let machine = try await order.machine("order")
    let scopes = try await order.openScopes.map(\.name)
    let (passages, work) = (try await order.passages, try await order.settle())
    let pending = try await order.pendingWork
    let actions = try await order.commits.map(\.action)
    try await order.undo(1)
    let undone = try await order.revision
    try await order.redo(1)
    try await order.go(to: 1)
    let count = try await order.view("count", as: Int.self)
    let elapsed = try await order.elapsed
    let snapshot = try await order.snapshot()
    let transcript = try await order.transcript
    return [
      order.name, "\(outcomes.map(\.isPassed))", machine ?? "", "\(scopes)", "\(passages)",
      "\(work)", "\(pending)", "\(actions)", "\(undone)", "\(count)", "\(elapsed)",
      snapshot.flow, "\(snapshot.revision)", "\(transcript == nil)",
    ]
  }

  @Test("a host and a case of one flow answer the same calls alike")
  func alike() async throws {
    let host = try FlowHost(
      source: Self.source, name: "order.lua", options: HostOptions(clock: .virtual)
    ) { scopes in
      scopes.root.provide("answer") { () async throws in }
    }
    let cases = try await cases()
    try await cases.create("a")
    let onHost = try await order(host)
    #expect(try await order(cases["a"]) == onHost)
    #expect(onHost[0] == #"["tea", "cake", "bun", "jam"]"#)
    #expect(onHost[2] == "[true, false]")
    #expect(onHost[3] == "false")
    let inspected = try await inspect(host)
    #expect(try await inspect(cases["a"]) == inspected)
    #expect(inspected.prefix(3) == ["order.lua", "[true, false]", "open"])
    #expect(inspected.suffix(3) == ["order.lua", "1", "true"])
    try await cases.close()
  }

  @Test("a payload of a Swift type is dispatched once with its key, and on behalf of a user")
  func keys() async throws {
    let cases = try await cases()
    try await cases.create("a")
    let order = cases["a"]
    let tea = Line(sku: "tea", quantity: 1)
    let first = try await order.dispatch("add", tea, key: "k", by: "bob").get()
    #expect(first.dispatchedBy == "bob")
    #expect(try await order.dispatch("add", tea, key: "k").get().revision == first.revision)
    let (sku, quantity) = ("tea", 1)
    let again = try await order.dispatch("add", ["sku": sku, "quantity": quantity], key: "k").get()
    #expect(again.revision == first.revision)
    #expect(try await order.view("count") == 1)
    let other = await #expect(throws: JournalError.self) {
      try await order.dispatch("add", Line(sku: "cake", quantity: 1), key: "k")
    }
    #expect(other?.kind == .keyReused)
    try await cases.close()
  }

  @Test("a case can be created with a part of a Swift type")
  func given() async throws {
    let cases = try await cases()
    try await cases.create("a", given: Basket(customer: "ann"), key: "k")
    try await cases.create("a", given: Basket(customer: "ann"), key: "k")
    let name = "bob"
    try await cases.create("b", given: ["customer": name, "asked": 2])
    #expect(try await cases["a"].view("customer") == "ann")
    #expect(try await cases["b"].view("asked") == 2)
    struct Unencodable: Encodable {
      func encode(to encoder: any Encoder) throws {
        throw EncodingError.invalidValue(
          self, .init(codingPath: [], debugDescription: "it cannot be written"))
      }
    }
    let failure = await #expect(throws: DispatchFailure.self) {
      try await cases.create("c", given: Unencodable())
    }
    #expect(failure?.kind == .payload)
    #expect(try await cases["c"].summary() == nil)
  }

  @Test("a case shows its machines, passages, scopes and pending work")
  func inspection() async throws {
    let cases = try await cases(answer: { try await Task.sleep(for: .seconds(3_600)) })
    try await cases.create("a")
    let order = cases["a"]
    try await order.dispatch("remind", ["seconds": 60])
    try await order.dispatch("ask")
    #expect(try await order.machines == ["order": "waiting"])
    #expect(try await order.machine("order") == "waiting")
    #expect(try await order.passages.map(\.gatekeeper) == ["busy"])
    #expect(try await order.openScopes.map(\.name) == ["root"])
    #expect(
      try await order.pendingWork.map(\.description)
        == ["reminded is due at 1 min", "effect.ask waits (#2)"])
    #expect(try await order.revision == 2)
    #expect(try await order.elapsed == .zero)
    #expect(try await order.commits.map(\.action) == ["remind", "ask"])
    try await cases.close()
  }

  @Test("time travel in a case is stored like other turns")
  func travel() async throws {
    let journal = MemoryJournal()
    let cases = try await cases(in: journal)
    try await cases.create("a")
    for sku in ["tea", "cake"] {
      try await cases["a"].dispatch("add", Line(sku: sku, quantity: 1))
    }
    try await cases["a"].undo()
    #expect(try await cases["a"].view("count") == 1)
    try await cases["a"].redo()
    try await cases["a"].go(to: 1)
    try await cases.close()
    let again = try await self.cases(in: journal.restarted())
    #expect(try await again["a"].view("count") == 1)
    #expect(try await again["a"].revision == 1)
  }

  @Test("dispatchAndWait on a case returns when the effects of the action have ended")
  func waiting() async throws {
    let journals: [any JournalStorage] = [MemoryJournal(), SharedMemoryJournal()]
    for journal in journals {
      let (answers, answer) = AsyncStream.makeStream(of: Void.self)
      let (begins, begin) = AsyncStream.makeStream(of: Void.self)
      let cases = try await cases(
        in: journal,
        answer: {
          begin.yield()
          for await _ in answers { return }
        })
      try await cases.create("a")
      let waiting = Task { try await cases["a"].dispatchAndWait("ask") }
      for await _ in begins { break }
      #expect(try await cases["a"].view("asked") == 0)
      answer.yield()
      #expect(try await waiting.value.isPassed)
      #expect(try await cases["a"].view("asked") == 1)
      try await cases.close()
    }
  }

  @Test("a wait for effects ends when the cases are closed")
  func closedWhileWaiting() async throws {
    let (begins, begin) = AsyncStream.makeStream(of: Void.self)
    let cases = try await cases(answer: {
      begin.yield()
      try await Task.sleep(for: .seconds(3_600))
    })
    try await cases.create("a")
    let waiting = Task { try await cases["a"].dispatchAndWait("ask") }
    for await _ in begins { break }
    try await cases.close()
    #expect(try await waiting.value.isPassed)
  }

  @Test("a host can be restored from the snapshot of a case")
  func snapshots() async throws {
    let cases = try await cases()
    let order = try await cases.create("a")
    try await order.dispatch("add", Line(sku: "tea", quantity: 2), by: "ann")
    let snapshot = try await order.snapshot()
    let host = try FlowHost(
      LoadedFlow(source: Self.source, name: "order.lua"), restoring: snapshot,
      options: HostOptions(clock: .virtual)
    ) { scopes in
      scopes.root.provide("answer") { () async throws in }
    }
    let (onHost, onCase): (Value, Value) = (try await host.state(), try await order.state())
    #expect(onHost == onCase)
    #expect(try host.revision == 1)
    try await cases.close()
  }

  @Test("the transcript of a case can be replayed in a new one")
  func transcripts() async throws {
    let cases = try await Cases(
      of: LoadedFlow(source: Self.source, name: "order.lua"), in: MemoryJournal(),
      options: HostOptions(clock: .virtual, keepsTranscript: true, report: { _ in })
    ) { scopes in
      scopes.root.provide("answer") { () async throws in }
    }
    let first = try await cases.create("a")
    for sku in ["tea", "cake"] { try await first.dispatch("add", Line(sku: sku, quantity: 1)) }
    let transcript = try #require(try await first.transcript)
    #expect(!transcript.beginsMidway && !transcript.entries.isEmpty)
    let second = try await cases.create("b")
    #expect(try await second.replay(transcript) == nil)
    #expect(try await second.view("count") == 2)
    let error = await #expect(throws: HostError.self) { _ = try await second.replay(transcript) }
    #expect(error?.kind == .alreadyBegun)
    try await cases.close()
  }
}
