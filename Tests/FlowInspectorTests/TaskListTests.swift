import FlowCases
import FlowHosting
import FlowKernel
import LuaRuntime
import Testing

@testable import FlowInspector

/// Tasks on the page: those for which effects wait, and those that an operator has to see to.
@Suite struct TaskListTests {
  private static let source = """
    state {}
    action.send { text = string }
    action.post { text = string }
    effect.send = { durable = true, run = function(self, a) self:mail(a.text) end }
    effect.post = { durable = true, run = function(self, a) self:letter(a.text) end }
    """

  private static func capability(_ queue: String, lease: Int, attempts: Int) -> TaskCapability {
    TaskCapability(
      kind: .worker, queue: queue, lease: lease, attempts: attempts,
      arguments: { ["text": $0.first ?? .nil, "pin": "hidden-4711"] },
      hiding: { ["text": $0["text"] ?? .nil, "pin": "•••"] })
  }

  /// Cases whose tasks of the queue `mail` are leased for a minute; a task of the queue `post` is dead as soon as it is
  /// claimed a second time.
  private func cases(_ ids: String...) async throws -> Cases {
    let cases = try await Cases(
      of: LoadedFlow(source: TaskListTests.source, name: "mail.lua"), in: MemoryJournal(),
      options: HostOptions(clock: .virtual, report: { _ in })
    ) { scopes in
      scopes.root.provide(
        "mail", TaskListTests.capability("mail", lease: 60_000_000, attempts: 20))
      scopes.root.provide("letter", TaskListTests.capability("post", lease: 0, attempts: 1))
    }
    for id in ids { try await cases.create(id) }
    return cases
  }

  private func claim(_ queue: String, in cases: Cases) async throws -> [StoredTask] {
    try await cases.tasks.claim(from: [queue], most: 10, by: "w-1", waiting: .zero) ?? []
  }

  private func dead(
    _ inspection: Inspection, of queue: String? = nil, after id: Int = 0, limit: Int = 100,
    mayOperate: Bool = true
  ) async throws -> Value {
    try await inspection.deadTasks(of: queue, after: id, limit: limit, mayOperate: mayOperate)
  }

  private func ids(_ list: Value) -> [String] {
    (list["tasks"]?.listValue ?? []).compactMap { $0["id"]?.stringValue }
  }

  @Test(
    "a moment shows the task for which an effect waits: queue, state, attempt, worker and lease")
  func moment() async throws {
    let cases = try await cases("a")
    try await cases["a"].dispatch("send", ["text": "hello"])
    let inspection = Inspection(InspectedCases(cases))
    func wait(_ seq: Int? = nil) async throws -> Value? {
      try await inspection.moment(of: "a", at: seq)["pending"]?[0]?["waits_for"]?[0]
    }
    let ready = try await wait()
    #expect(ready?["capability"] == "root.mail")
    #expect(ready?["task"]?["queue"] == "mail" && ready?["task"]?["state"] == "ready")
    #expect(ready?["task"]?["attempt"] == 0 && ready?["task"]?["worker"] == nil)
    let row = try #require(try await claim("mail", in: cases).first)
    let leased = try #require(try await wait()?["task"])
    #expect(leased["id"] == .string("\(row.id)"))
    #expect(leased["state"] == "leased" && leased["attempt"] == 1 && leased["worker"] == "w-1")
    // The end of the lease is a time of the case.
    let until = try #require(leased["until"]?.doubleValue)
    let since = try #require(ready?["since"]?.doubleValue)
    #expect((50...600).contains(until - since))
    #expect(leased["error"] == nil && leased["deadline"] == nil)
    // The table knows the present alone.
    #expect(try await wait(2)?["task"] == nil)
    let export = try await inspection.export(of: "a", from: 1, limit: 10)
    let exported = export["case"]?["effects"]?[0]?["waits_for"]?[0]
    #expect(exported?["task"]?["id"] == leased["id"])
    try await cases.close()
  }

  @Test("a dead task is listed with its error, and an effect that waits for it shows that")
  func deadTask() async throws {
    let cases = try await cases("a", "b")
    let inspection = Inspection(InspectedCases(cases))
    #expect(ids(try await dead(inspection)) == [])
    for id in ["a", "b"] { try await cases[id].dispatch("post", ["text": "hello"]) }
    try await cases["a"].dispatch("send", ["text": "hello"])
    for _ in 1...2 { _ = try await claim("post", in: cases) }
    let list = try await dead(inspection)
    #expect(ids(list).count == 2 && list["queues"] == [["post", 2]] && list["next"] == nil)
    let task = try #require(list["tasks"]?[0])
    #expect(task["case"] == "a" && task["capability"] == "root.letter" && task["state"] == "dead")
    #expect(task["attempt"] == 1 && task["worker"] == "w-1" && task["missing"] == nil)
    #expect(task["error"]?.stringValue?.contains("without an answer") == true)
    let pending = try await inspection.moment(of: "a", at: nil)["pending"]?.listValue ?? []
    let waits = pending.compactMap { $0["waits_for"]?[0]?["task"] }
    #expect(waits.map { $0["state"] } == ["dead", "ready"])
    #expect(waits.first?["error"] == task["error"])
    #expect(try await inspection.counts(now: cases.wall)["dead"] == 2)
    try await cases.close()
  }

  @Test("secret arguments are dots, and arguments are only shown to those who may look after tasks")
  func arguments() async throws {
    let cases = try await cases("a")
    try await cases["a"].dispatch("post", ["text": "hello"])
    for _ in 1...2 { _ = try await claim("post", in: cases) }
    let inspection = Inspection(InspectedCases(cases))
    let list = try await dead(inspection)
    let dots: Value = ["r": [["pin", "s•••"], ["text", "shello"]]]
    #expect(list["tasks"]?[0]?["args"] == dots && list["mayOperate"] == true)
    let less = try await dead(inspection, mayOperate: false)
    #expect(ids(less) == ids(list) && less["mayOperate"] == false)
    #expect(less["tasks"]?[0]?["args"] == nil && less["tasks"]?[0]?["error"] != nil)
    let readOnly = Inspection(InspectedCases(cases), isReadOnly: true)
    #expect(try await dead(readOnly)["mayOperate"] == false)
    // A capability that is gone takes the knowledge along which arguments are secret.
    try await cases["a"].dispatch("send", ["text": "hello"])
    try await cases.tasks.use([:])
    let missing = try await dead(inspection, of: "mail")
    #expect(missing["tasks"]?[0]?["missing"] == true)
    #expect(missing["tasks"]?[0]?["args"] == "s•••")
    #expect(!JSONText.text(try await dead(inspection)).contains("hidden-4711"))
    try await cases.close()
  }

  @Test("an answer that nothing waited for is listed as unheard, with the answer")
  func unheard() async throws {
    let cases = try await cases("a", "b")
    for id in ["a", "b"] { try await cases[id].dispatch("send", ["text": "hello"]) }
    let rows = try await claim("mail", in: cases)
    #expect(rows.count == 2)
    for id in ["a", "b"] { try await cases[id].end() }
    let answers: [TaskOutcome] = [
      .answer(["charge": "ch-1"]), .failure(CallFailure(message: "mail: full", isFinal: true)),
    ]
    for (row, answer) in zip(rows, answers) {
      _ = try await cases.tasks.answer(row.id, token: row.token, with: answer)
    }
    let inspection = Inspection(InspectedCases(cases))
    let list = try await dead(inspection)
    let tasks = list["tasks"]?.listValue ?? []
    #expect(tasks.map { $0["state"] } == ["unheard", "unheard"])
    let charge: Value = ["r": [["charge", "sch-1"]]]
    #expect(tasks.first?["result"] == charge && tasks.first?["answered"] != nil)
    #expect(tasks.last?["error"] == "mail: full" && tasks.last?["final"] == true)
    let less = try await dead(inspection, mayOperate: false)
    #expect(less["tasks"]?[0]?["result"] == nil)
    try await cases.close()
  }

  @Test("the list has pages, and can be limited to a queue")
  func pages() async throws {
    let cases = try await cases("a", "b", "c")
    for id in ["a", "b", "c"] { try await cases[id].dispatch("post", ["text": "hello"]) }
    for _ in 1...2 { _ = try await claim("post", in: cases) }
    let inspection = Inspection(InspectedCases(cases))
    let first = try await dead(inspection, limit: 2)
    let next = try #require(first["next"]?.integerValue)
    let second = try await dead(inspection, after: next, limit: 2)
    #expect(ids(first).count == 2 && ids(second).count == 1 && second["next"] == nil)
    #expect(Set(ids(first) + ids(second)).count == 3)
    #expect(ids(try await dead(inspection, of: "mail")) == [])
    #expect(ids(try await dead(inspection, of: "post")).count == 3)
    try await cases.close()
  }

  @Test("the number of dead tasks is left out where no capability opens tasks")
  func withoutTasks() async throws {
    let shop = try await Shop.cases()
    let inspection = Inspection(InspectedCases(shop))
    #expect(try await inspection.counts(now: shop.wall)["dead"] == nil)
    #expect(try inspection.model()["tasks"] == true)
    let cases = try await cases("a")
    #expect(try await Inspection(InspectedCases(cases)).counts(now: cases.wall)["dead"] == 0)
    let host = Inspection(
      try InspectedHost(FlowHost(Shop.flow(), options: HostOptions(report: { _ in }))))
    #expect(try host.model()["tasks"] == false)
    await #expect(throws: InspectorMistake.self) { try await dead(host) }
    try await cases.close()
  }
}
