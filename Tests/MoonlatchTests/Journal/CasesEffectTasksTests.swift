import LuaRuntime
import Testing

@testable import FlowCases
@testable import FlowHosting
@testable import FlowKernel

/// The stored tasks for whose answers effects wait.
@Suite struct CasesEffectTasksTests {
  private static let source = """
    state { sent = 0 }
    action.send { text = string }
    action.nap {}
    internal.sent {}
    function reduce.sent(s) s.sent = s.sent + 1 end
    effect.send = { durable = true, on_done = "sent", run = function(self, a) self:mail(a.text) end }
    function effect.nap() sleep(50) end
    """

  private func cases() async throws -> Cases {
    try await Cases(
      of: LoadedFlow(source: CasesEffectTasksTests.source, name: "mail.lua"), in: MemoryJournal(),
      options: HostOptions(clock: .virtual, report: { _ in })
    ) { scopes in
      scopes.root.provide(
        "mail", TaskCapability(kind: .worker, queue: "mail", arguments: { .list($0) }))
    }
  }

  @Test("an effect that waits for a task shows the task as the journal stores it")
  func waiting() async throws {
    let cases = try await cases()
    let one = try await cases.create("a")
    try await one.dispatch("send", ["text": "hello"])
    let effects = try await one.effects().underWay
    let effect = try #require(effects.first)
    let opened = try await cases.openTasks(of: effects, in: "a")
    let row = try #require(opened.values.first)
    #expect(opened.count == 1 && row.state == .ready && row.caseID == "a")
    let claimed = try await cases.tasks.claim(from: ["mail"], most: 1, by: "w", waiting: .zero)
    #expect(claimed?.count == 1)
    let leased = try await cases.openTasks(of: effects, in: "a")
    let wait = effect.value(epoch: nil, tasks: leased)["waits_for"]?[0]
    #expect(wait?["call"] == .string(row.task.call))
    let expected: Value = [
      "id": .string("\(row.id)"), "queue": "mail", "state": "leased", "attempt": 1,
    ]
    #expect(wait?["task"] == expected)
    // Without the stored tasks only the call is known, as in an entry.
    #expect(effect.value(epoch: nil)["waits_for"]?[0]?["task"] == nil)
    try await cases.close()
  }

  @Test("each effect has its own task, and other cases' tasks are not among them")
  func several() async throws {
    let cases = try await cases()
    for id in ["a", "b"] {
      let one = try await cases.create(id)
      try await one.dispatch("send", ["text": "one"])
      try await one.dispatch("send", ["text": "two"])
    }
    let effects = try await cases["b"].effects().underWay
    let tasks = try await cases.openTasks(of: effects, in: "b")
    #expect(tasks.count == 2 && tasks.values.allSatisfy { $0.caseID == "b" })
    let waited = effects.compactMap { $0.waits.first?.openTask?.key }
    #expect(waited.count == 2 && Set(waited) == Set(tasks.keys))
    try await cases.close()
  }

  @Test("an effect that waits for something else has no task")
  func others() async throws {
    let cases = try await cases()
    let one = try await cases.create("a")
    try await one.dispatch("nap")
    let effects = try await one.effects().underWay
    #expect(effects.count == 1)
    #expect(try await cases.openTasks(of: effects, in: "a").isEmpty)
    try await cases.close()
  }
}
