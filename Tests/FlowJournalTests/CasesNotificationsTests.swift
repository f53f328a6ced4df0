import FlowCases
import FlowHosting
import FlowKernel
import LuaRuntime
import Testing

/// Notifications of cases, in memory and in a file.
@Suite(.timeLimit(.minutes(5))) struct CasesNotificationsTests {
  @Test(
    "events are sent one by one, in order, with views, payload and who dispatched the action",
    arguments: NotifiedCases.Kind.allCases)
  func order(kind: NotifiedCases.Kind) async throws {
    let rules = NotificationRules(actions: ["paid"], views: ["status"], hasPayload: true)
    let trial = try await NotifiedCases(kind, rules: rules)
    try await trial.create("a")
    try await trial.pay(5)
    let first = await trial.receiver.request(0)
    try await trial.cases["a"].dispatch("other")
    try await trial.pay(7)
    #expect(trial.receiver.all.count == 1)
    #expect(first.body["action"] == "paid" && first.body["case"] == "a")
    #expect(first.body["by"] == "ann" && first.body["payload"] == ["cents": 5])
    #expect(first.body["revision"] == 1 && first.body["id"] == .string(first.id))
    let seq = try #require(first.body["seq"]?.integerValue)
    #expect(first.id.hasSuffix("/erp/a/\(seq).0"))
    // No effect of a case that is named erp makes a call with this id.
    #expect(try await trial.rows().first?.task.call.hasSuffix("/erp/a/#\(seq)") == true)
    #expect(first.body["at"] == "2023-11-14T22:13:20.000000Z")
    #expect(first.body["views"] == ["status": 5] && first.body["as_of"] == 1)
    first.accept()
    let second = await trial.receiver.request(1)
    #expect(second.body["seq"] == .integer(seq + 2) && second.body["revision"] == 3)
    #expect(second.body["views"] == ["status": 12] && second.body["as_of"] == 3)
    second.accept()
    try await trial.until([])
    #expect(trial.receiver.all.count == 2)
    try await trial.cases.close()
  }

  @Test(
    "an event has the machines of the time at which it is sent, with their revision",
    arguments: NotifiedCases.Kind.allCases)
  func machines(kind: NotifiedCases.Kind) async throws {
    let trial = try await NotifiedCases(kind)
    try await trial.create("a")
    try await trial.pay(5)
    let first = await trial.receiver.request(0)
    #expect(first.body["machines"] == ["bill": ["due"]])
    #expect(first.body["as_of"] == 1)
    #expect(first.body["views"] == nil)
    try await trial.pay(6)
    try await trial.cases["a"].dispatch("close")
    first.accept()
    let second = await trial.receiver.request(1)
    #expect(second.body["revision"] == 2)
    #expect(second.body["machines"] == ["bill": ["closed"]])
    #expect(second.body["as_of"] == 3)
    second.accept()
    try await trial.until([])
    try await trial.cases.close()
  }

  @Test(
    "an event that fails is sent again under its id, later each time, and then is dead",
    arguments: NotifiedCases.Kind.allCases)
  func retries(kind: NotifiedCases.Kind) async throws {
    let rules = NotificationRules(actions: ["paid"], giveUp: 60_000_000)
    let trial = try await NotifiedCases(kind, rules: rules)
    for id in ["a", "b"] { try await trial.create(id) }
    try await trial.pay(5)
    let first = await trial.receiver.request(0)
    first.fail()
    try await trial.until([.ready])
    await trial.cases.lookForAnswers()
    #expect(trial.receiver.all.count == 1)
    await trial.move(2)
    let second = await trial.receiver.request(1)
    #expect(second.id == first.id && second.body == first.body)
    // `Retry-After` is longer than the pause.
    second.fail(after: 30)
    try await trial.until([.ready])
    await trial.move(10)
    #expect(trial.receiver.all.count == 2)
    await trial.move(50)
    await trial.receiver.request(2).fail()
    try await trial.until([.dead])
    #expect(try await trial.rows().first?.error == "503")
    // Later events of the case wait, those of others do not.
    try await trial.pay(6)
    try await trial.pay(7, in: "b")
    let other = await trial.receiver.request(3)
    #expect(other.body["case"] == "b")
    other.accept()
    try await trial.until([.dead])
    let id = try #require(try await trial.rows().first?.id)
    _ = try await trial.cases.tasks.retry(id)
    let again = await trial.receiver.request(4)
    #expect(again.id == first.id)
    again.accept()
    await trial.receiver.request(5).accept()
    try await trial.until([])
    try await trial.cases.close()
  }

  @Test(
    "a receiver that wants no more events makes them dead at once, and an operator skips one",
    arguments: NotifiedCases.Kind.allCases)
  func drops(kind: NotifiedCases.Kind) async throws {
    let trial = try await NotifiedCases(kind)
    try await trial.create("a")
    try await trial.pay(5)
    let first = await trial.receiver.request(0)
    first.end(.dead("410 gone"))
    try await trial.until([.dead])
    try await trial.pay(6)
    let id = try #require(try await trial.rows().first?.id)
    let reply = try await trial.cases.tasks.drop(id)
    guard case .done = reply else { throw JournalError(.failed, "\(reply)") }
    let second = await trial.receiver.request(1)
    #expect(second.body["revision"] == 2 && second.id != first.id)
    second.accept()
    try await trial.until([])
    try await trial.cases.close()
  }

  @Test(
    "no commit is missed that comes while the last one is being sent",
    arguments: NotifiedCases.Kind.allCases)
  func races(kind: NotifiedCases.Kind) async throws {
    let trial = try await NotifiedCases(
      kind, receiver: NotifiedCases.Receiver(accepts: true),
      rules: NotificationRules(hasPayload: true))
    let ids = ["a", "b", "c"]
    for id in ids { try await trial.create(id) }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for id in ids {
        group.addTask { for cents in 1...60 { try await trial.pay(cents, in: id) } }
      }
      try await group.waitForAll()
    }
    try await trial.until([])
    for id in ids {
      let sent = trial.receiver.all.filter { $0.event.caseID == id }
      let cents = sent.compactMap { $0.body["payload"]?["cents"]?.integerValue }
      #expect(cents == Array(1...60))
    }
    try await trial.cases.close()
  }

  @Test("an event that a crash has cut off is sent again under the same id")
  func crash() async throws {
    let journal = MemoryJournal()
    let first = try await NotifiedCases(in: journal)
    try await first.create("a")
    try await first.pay(5)
    let sent = await first.receiver.request(0)
    let second = try await NotifiedCases(in: journal.restarted(), wall: first.wall)
    let again = await second.receiver.request(0)
    #expect(again.id == sent.id && again.body == sent.body)
    again.accept()
    try await second.until([])
    withExtendedLifetime(first) {}
  }

  @Test(
    "closing gives an event back that is being sent, and the next process sends it",
    arguments: NotifiedCases.Kind.allCases)
  func closes(kind: NotifiedCases.Kind) async throws {
    let first = try await NotifiedCases(kind)
    try await first.create("a")
    try await first.pay(5)
    let sent = await first.receiver.request(0)
    try await first.pay(6)
    let closing = Task { try await first.cases.close() }
    while !first.cases.isClosed { await Task.yield() }
    sent.accept()
    try await closing.value
    #expect(first.receiver.all.count == 1)
    let second = try await NotifiedCases(kind, in: first.journal, wall: first.wall)
    let next = await second.receiver.request(0)
    #expect(next.body["revision"] == 2)
    next.accept()
    try await second.until([])
    try await second.cases.close()
  }

  @Test("a notification that the host file does not have any more drops its rows")
  func removed() async throws {
    let trial = try await NotifiedCases()
    for id in ["a", "b"] { try await trial.create(id) }
    try await trial.pay(5)
    await trial.receiver.request(0).fail()
    try await trial.until([.ready])
    try await trial.pay(6, in: "b")
    let held = await trial.receiver.request(1)
    try await trial.cases.tasks.use([:])
    try await trial.until([.leased])
    held.fail()
    try await trial.until([])
    try await trial.pay(7)
    #expect(try await trial.rows().isEmpty)
  }
}
