import LuaRuntime
import Testing

@testable import FlowCases
@testable import FlowHosting
@testable import FlowKernel

/// Calls that the analysis of a flow's text does not find, of capabilities that nobody provides.
@Suite(.timeLimit(.minutes(5))) struct MissedCapabilitiesTests {
  private static let flow = """
    local function send(scope) return scope:mail("hello", 2) end
    state { sent = "no", amount = 1 }
    internal.sent { by = string }
    internal.lost { error = string }
    function reduce.sent(s, a) s.sent = a.by end
    function reduce.lost(s, a) s.sent = a.error end
    action.go {}
    action.read {}
    action.field {}
    action.plain {}
    effect.go = {
      durable = true, on_done = "sent", run = function(self) return { by = send(self) } end,
    }
    effect.read = {
      durable = true, on_error = { action = "lost", faults = true },
      run = function(self) return { by = self.mail + 1 } end,
    }
    effect.field = {
      durable = true, on_error = { action = "lost", faults = true },
      run = function(self) self:amount() end,
    }
    effect.plain = {
      on_error = { action = "lost", faults = true }, run = function(self) send(self) end,
    }
    """

  private let reports = Trial.Lines()

  /// Opens the cases of the flow, whose durable effects wait for what nobody provides.
  private func cases(
    _ missed: MissedCapabilities? = MissedCapabilities(),
    in journal: MemoryJournal = MemoryJournal(),
    mail: TaskCapability? = nil
  ) async throws -> Cases {
    let flow = try LoadedFlow(source: Self.flow, name: "a.lua")
    let options = HostOptions(clock: .virtual, report: { [reports] in reports.add($0.message) })
    return try await Cases(of: flow, in: journal, options: options) { scopes in
      scopes.capabilities.missed = missed
      if let mail { scopes.root.provide("mail", mail) }
    }
  }

  @Test("a durable effect waits for a capability that nobody provides, which is reported once")
  func waiting() async throws {
    let cases = try await cases()
    for id in ["a", "b"] {
      try await cases.create(id)
      #expect(try await cases[id].dispatch("go").isPassed)
      #expect(try await cases[id].state()["sent"] == "no")
    }
    let rows = try await cases.tasks.list(TaskQuery())
    #expect(rows.map(\.caseID) == ["a", "b"])
    for row in rows {
      #expect(row.state == .dead && row.task.kind == .missing)
      #expect(row.error == "nobody provides root.mail")
      #expect(row.task.arguments == ["hello", 2])
    }
    #expect(
      reports.all == ["nobody provides root.mail, which a.lua:1 calls: durable effects wait for it"]
    )
    try await cases.close()
  }

  @Test("a task of such a call follows the host file after a restart")
  func restarting() async throws {
    let journal = MemoryJournal()
    let first = try await cases(in: journal)
    try await first.create("a")
    try await first["a"].dispatch("go")
    try await first.close()
    let worker = TaskCapability(
      kind: .worker, queue: "post", arguments: { ["text": $0.first ?? .nil] })
    let second = try await cases(in: journal.restarted(), mail: worker)
    let claimed = try await second.tasks.claim(from: ["post"], most: 1, by: "w", waiting: .zero)
    let row = try #require(claimed?.first)
    _ = try await second.tasks.answer(row.id, token: row.token, with: .answer("m-1"))
    var sent: Value?
    for _ in 0..<500 where sent != "m-1" {
      try await Task.sleep(for: .milliseconds(10))
      sent = try await second["a"].state()["sent"]
    }
    #expect(sent == "m-1")
    try await second.close()
  }

  @Test(
    "names that are not called, fields of the state and calls of plain effects keep their errors",
    arguments: [
      ("read", "scope root has no mail"),
      ("field", "scope root has no amount; the state is not accessible here"),
      ("plain", "scope root has no mail"),
    ])
  func errors(action: String, message: String) async throws {
    let cases = try await cases()
    try await cases.create("a")
    try await cases["a"].dispatch(action)
    let error = try await cases["a"].state()["sent"]?.stringValue ?? ""
    #expect(error.contains(message), "\(error)")
    #expect(try await cases.tasks.list(TaskQuery()).isEmpty)
    #expect(!reports.all.contains { $0.hasPrefix("nobody provides") })
    try await cases.close()
  }

  @Test("without that option a durable effect fails at the call")
  func failing() async throws {
    let cases = try await cases(nil)
    try await cases.create("a")
    try await cases["a"].dispatch("go")
    #expect(try await cases.tasks.list(TaskQuery()).isEmpty)
    #expect(reports.all.contains { $0.contains("scope root has no mail") }, "\(reports.all)")
    try await cases.close()
  }
}
