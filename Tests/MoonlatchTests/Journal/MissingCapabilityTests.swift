import LuaRuntime
import Testing

@testable import FlowCases
@testable import FlowHosting
@testable import FlowKernel

/// Calls of capabilities that nobody provides yet.
@Suite(.timeLimit(.minutes(5))) struct MissingCapabilityTests {
  private static let flow = """
    state { sent = "no" }
    action.go {}
    action.attempt {}
    internal.sent { by = string }
    internal.lost { error = string }
    function reduce.sent(s, a) s.sent = a.by end
    function reduce.lost(s, a) s.sent = a.error end
    effect.go = {
      durable = true, on_done = "sent",
      run = function(self) return { by = self:mail("hello", 2) } end,
    }
    effect.attempt = {
      on_error = { action = "lost", faults = true },
      run = function(self) self:mail("hello") end,
    }
    """

  private static let worker = TaskCapability(
    kind: .worker, queue: "post",
    arguments: { ["text": $0.first ?? .nil, "copies": $0.last ?? .nil] })

  /// Cases of the flow, whose capability `mail` has this performer.
  private func cases(_ mail: TaskCapability = .missing("Mail")) async throws -> Cases {
    let flow = try LoadedFlow(source: Self.flow, name: "a.lua")
    let cases = try await Cases(
      of: flow, in: MemoryJournal(), options: HostOptions(clock: .virtual, report: { _ in })
    ) { $0.root.provide("mail", mail) }
    try await cases.create("a")
    return cases
  }

  @Test("a durable effect that calls a capability without a provider waits, and its task is dead")
  func waiting() async throws {
    let cases = try await cases()
    #expect(try await cases["a"].dispatch("go").isPassed)
    let row = try #require(try await cases.tasks.list(TaskQuery()).first)
    #expect(row.state == .dead)
    #expect(row.error == "nobody provides root.mail")
    #expect(row.task.kind == .missing)
    #expect(row.task.queue == "mail")
    #expect(row.task.arguments == ["hello", 2])
    #expect(try await cases["a"].state()["sent"] == "no")
    try await cases.close()
  }

  @Test("the task follows the host file once that provides the capability")
  func following() async throws {
    let cases = try await cases()
    try await cases["a"].dispatch("go")
    try await cases.tasks.use(["root.mail": Self.worker])
    let claimed = try await cases.tasks.claim(from: ["post"], most: 1, by: "w", waiting: .zero)
    let row = try #require(claimed?.first)
    #expect(row.task.kind == .worker)
    #expect(row.error == nil)
    #expect(Self.worker.named(row.task.arguments) == ["text": "hello", "copies": 2])
    _ = try await cases.tasks.answer(row.id, token: row.token, with: .answer("m-1"))
    var sent: Value?
    for _ in 0..<500 where sent != "m-1" {
      try await Task.sleep(for: .milliseconds(10))
      sent = try await cases["a"].state()["sent"]
    }
    #expect(sent == "m-1")
    try await cases.close()
  }

  @Test("a task that a case opens for an earlier performer follows at once")
  func late() async throws {
    let cases = try await cases()
    try await cases.tasks.use(["root.mail": Self.worker])
    try await cases["a"].dispatch("go")
    let claimed = try await cases.tasks.claim(
      from: ["post"], most: 1, by: "w", waiting: .seconds(30))
    #expect(claimed?.count == 1)
    try await cases.close()
  }

  @Test("a task is dead once the host file does not provide its capability any more")
  func gone() async throws {
    let cases = try await cases(Self.worker)
    try await cases["a"].dispatch("go")
    #expect(try await cases.tasks.list(TaskQuery()).map(\.state) == [.ready])
    try await cases.tasks.use(["root.mail": .missing("mail")])
    let row = try #require(try await cases.tasks.list(TaskQuery()).first)
    #expect(row.state == .dead)
    #expect(row.error == "nobody provides root.mail")
    try await cases.close()
  }

  @Test(
    "a plain effect that calls a capability without a provider fails at the call, and opens no task"
  )
  func plain() async throws {
    let cases = try await cases()
    try await cases["a"].dispatch("attempt")
    let told = try await cases["a"].state()["sent"]?.stringValue ?? ""
    #expect(told.contains("scope root has no mail: nobody provides it"), "\(told)")
    #expect(try await cases.tasks.list(TaskQuery()).isEmpty)
    try await cases.close()
  }

  @Test("a missing capability keeps the arguments in order, and shows none of them")
  func arguments() throws {
    let missing = TaskCapability.missing("mail")
    #expect(try missing.arguments([]) == [])
    #expect(try missing.arguments([["to": "ann"]]) == [["to": "ann"]])
    #expect(try missing.arguments([.nil, "b", .nil]) == .list([.nil, "b"]))
    #expect(missing.named(["to": "ann"]) == ["to": "ann"])
    #expect(missing.hiding(["ann"]) == "•••")
  }
}
