import Platform
import Testing

@testable import FlowCases
@testable import FlowHosting
@testable import FlowKernel
@testable import FlowLanguage

/// The identity of a journal, and the flow that owns its cases.
@Suite struct JournalIdentityTests {
  private static let text = """
    state { n = 0 }
    action.add {}
    function reduce.add(s) s.n = s.n + 1 end
    effect.add = { durable = true, run = function(self) self:mail() sleep(10) self:mail() end }
    """

  private func flow(_ file: String, _ head: String = "") throws -> LoadedFlow {
    try LoadedFlow(source: head + "\n" + Self.text, name: file)
  }

  private func host(
    _ flow: LoadedFlow, _ journal: MemoryJournal, adopts: Bool = false,
    _ mails: Mails? = nil
  ) throws -> FlowHost {
    var options = HostOptions(clock: .virtual, print: { _ in }, report: { _ in })
    options.adoptsJournal = adopts
    return try FlowHost(flow, journal: journal, options: options) { scopes in
      scopes.root.provide("mail") { (call: CallID) in
        mails?.add(call.description)
      }
    }
  }

  private func failure(_ body: () throws -> Void) -> JournalError? {
    do {
      try body()
      return nil
    } catch {
      return error as? JournalError
    }
  }

  @Test("a flow is named by flow_name, or else after its file")
  func names() throws {
    #expect(try flow("a/order.lua").flow.name == "order")
    #expect(try flow("order.lua", "flow_name \"orders.v2\"").flow.name == "orders.v2")
  }

  @Test(
    "flow_name takes one name that is valid in an id",
    arguments: [
      "flow_name \"\"", "flow_name(1)", "flow_name \"a/b\"", "flow_name \"a b\"", "flow_name()",
    ])
  func wrongNames(head: String) throws {
    let error = #expect(throws: FlowError.self) { try flow("order.lua", head) }
    #expect(
      error.map { "\($0.report)" }?.contains("flow_name takes a name of 1 to 64 letters") ?? false)
  }

  @Test("flow_name may be called once")
  func twice() throws {
    let error = #expect(throws: FlowError.self) {
      try flow("order.lua", "flow_name \"a\"\nflow_name \"b\"")
    }
    #expect(error?.report.contains("flow_name is declared twice: here and at order.lua:1") ?? false)
  }

  @Test(
    "a journal belongs to its first flow, and a flow of another name is refused with both names"
  )
  func refused() async throws {
    let journal = MemoryJournal()
    try await host(flow("order.lua"), journal).dispatch("add")
    let other = try flow("billing.lua")
    let id = try journal.identify(as: "order", adopting: false).id
    let host = try host(flow("order.lua"), journal.restarted())
    let ofCases = await #expect(throws: JournalError.self) {
      try await Cases(of: other, in: journal)
    }
    let refusals = [
      failure { _ = try self.host(other, journal) }, ofCases,
      failure { try host.reload(to: other) },
    ]
    for refusal in refusals {
      let error = try #require(refusal)
      let text = error.description
      #expect(error.kind == JournalError.Kind.otherFlow)
      #expect(
        text.contains(
          "holds the cases of flow \"order\" (journal \(id)), and this flow is \"billing\""))
      #expect(text.contains("--adopt (HostOptions.adoptsJournal)"))
    }
    let named = try flow("billing.lua", "flow_name \"order\"")
    #expect(try await self.host(named, journal.restarted()).state()["n"] == 1)
  }

  @Test("an adopted journal belongs to the new flow, with the cases of both names")
  func adopted() throws {
    let journal = MemoryJournal()
    try host(flow("order.lua"), journal).dispatch("add")
    try host(flow("orders.lua", "-- another text"), journal, adopts: true).dispatch("add")
    let later = try host(flow("orders.lua", "-- and another"), journal.restarted())
    #expect(try later.state()["n"] == 2)
    #expect(
      failure { _ = try host(flow("order.lua"), journal) }?.kind == JournalError.Kind.otherFlow)
    let identity = try journal.identify(as: "orders", adopting: false)
    #expect(identity.flow == "orders" && identity.formerNames == ["order"])
  }

  @Test("ids of calls start with the journal's id, even after the flow is renamed")
  func callIDs() throws {
    let (journal, mails) = (MemoryJournal(), Mails())
    let first = try host(flow("order.lua"), journal, mails)
    try first.dispatch("add")
    let second = try host(flow("orders.lua"), journal.restarted(), adopts: true, mails)
    try second.advance(10)
    let id = try journal.identify(as: "order", adopting: false).id
    #expect(id.utf8.count == 16)
    #expect(mails.all == ["\(id)/main/e1/1", "\(id)/main/e1/2"])
    #expect(try MemoryJournal().identify(as: "order", adopting: false).id != id)
  }

  @Test("ids of calls are not reused after a reset, in this process or the next")
  func callIDsAfterReset() throws {
    let (journal, mails) = (MemoryJournal(), Mails())
    let first = try host(flow("order.lua"), journal, mails)
    try first.dispatch("add")
    try first.reload(.reset)
    try first.dispatch("add")
    try first.reload(.reset)
    let second = try host(flow("order.lua"), journal.restarted(), mails)
    try second.dispatch("add")
    let id = try journal.identify(as: "order", adopting: false).id
    #expect(mails.all == (1...3).map { "\(id)/main/e\($0)/1" })
  }

  @Test("a case left in the journal by a flow of another name is refused with both names")
  func otherCase() throws {
    let (journal, other) = (MemoryJournal(), MemoryJournal())
    try host(flow("billing.lua"), other).dispatch("add")
    _ = try journal.identify(as: "order", adopting: false)
    let kept = try #require(try other.flow(1))
    let number = try journal.keep(kept)
    for entry in try other.entries(of: "main", from: 1, limit: 9) {
      let given = JournalEntry(
        seq: entry.seq, flow: number, wall: entry.wall, body: entry.body, revision: entry.revision,
        birth: entry.seq == 1 ? .init(time: 1, seed: 0) : nil)
      journal.append([given], to: "main", fence: 1) { #expect($0 == nil) }
    }
    for head in ["", "-- another text"] {
      let flow = try flow("order.lua", head)
      let error = try #require(failure { _ = try host(flow, journal) })
      #expect(error.kind == JournalError.Kind.otherFlow)
      #expect(
        error.description.contains(
          "case main belongs to flow \"billing\", and this flow is \"order\""))
    }
  }

  @Test("cases that a flow cannot load are counted by the text that wrote them")
  func unfit() async throws {
    let journal = MemoryJournal()
    func run(_ id: String, _ text: String) throws {
      let options = HostOptions(clock: .virtual, print: { _ in }, report: { _ in })
      try FlowHost(
        LoadedFlow(source: text, name: "door.lua"), journal: journal, case: id, options: options
      ).dispatch("push")
    }
    let old = """
      action.push {}
      machine.door { initial = "closed", closed = { push = "open" }, open = { push = "closed" } }
      """
    for id in ["b", "a", "c"] { try run(id, old) }
    let new = old.replacing("open", with: "ajar")
    try run("d", new)
    let found = try await UnfitCases.find(
      for: LoadedFlow(source: new, name: "door.lua"), in: journal.restarted())
    #expect(found.map(\.count) == [3] && found.map(\.first) == ["a"])
    #expect(
      found.first?.description
        == "3 cases of door.lua, version 1, do not fit this flow: a: machine door is in open, a state that was removed"
    )
    let later = try LoadedFlow(source: "version(2)\n" + old, name: "door.lua")
    #expect(try await UnfitCases.find(for: later, in: MemoryJournal()).isEmpty)
    let earlier = MemoryJournal()
    let options = HostOptions(clock: .virtual, print: { _ in }, report: { _ in })
    _ = try FlowHost(later, journal: earlier, options: options)
    let refused = try await UnfitCases.find(
      for: LoadedFlow(source: old, name: "door.lua"), in: earlier)
    #expect(
      refused.first?.reason.contains(
        "the state was stored by version 2 of door.lua, and this is version 1") ?? false)
  }
}

private final class Mails: Sendable {
  private let ids = Mutex<[String]>([])
  var all: [String] { ids.withLock { $0 } }
  func add(_ id: String) { ids.withLock { $0.append(id) } }
}
