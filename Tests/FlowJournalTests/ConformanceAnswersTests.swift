import FlowHosting
import FlowKernel
import LuaRuntime
import Testing

/// The answers of tasks, in every journal.
@Suite struct ConformanceAnswersTests {
  @Test(
    "a task has one answer, which may be given again, and is given by the latest token alone",
    arguments: TaskTrial.Kind.allCases)
  func answers(kind: TaskTrial.Kind) async throws {
    let trial = try await TaskTrial(kind)
    let id = try await trial.open(trial.task("c1"))[0]
    let token = try #require(try await trial.claim("mail").first?.token)
    func answer(_ token: String?, _ outcome: TaskOutcome, _ id: Int) async throws -> TaskReply {
      try await trial.tasks { try $0.answer(id, token: token, with: outcome) }
    }
    let outcome = TaskOutcome.answer(["id": "r-1", "list": [1, 2.5, "é"]])
    for wrong in ["x", "", nil] {
      #expect(try await answer(wrong, outcome, id).name == "leaseLost")
    }
    #expect(try await answer(token, outcome, id + 9).name == "unknown")
    let reply = try await answer(token, outcome, id)
    let row = try #require(reply.row)
    #expect(reply.name == "done" && row.state == .answered && row.free == nil)
    #expect(row.outcome == outcome && row.answered.map { $0 >= trial.now } == true)
    #expect(try await trial.row(id) == row)
    #expect(try await answer(token, outcome, id).name == "done")
    #expect(try await answer(token, .answer(["id": "r-2"]), id).name == "answered")
    #expect(try await answer(token, .failed("mail: no"), id).name == "answered")
    #expect(try await answer("x", outcome, id).name == "leaseLost")
    // The same holds once the effect has got it.
    #expect(await trial.append(.tasks(2, closes: [.answered("c1")]), to: "a") == nil)
    #expect(try await trial.row(id)?.state == .closed)
    #expect(try await answer(token, outcome, id).name == "done")
    #expect(try await answer(token, .failed("mail: no"), id).name == "answered")
    #expect(try await answer("x", outcome, id).name == "leaseLost")
    #expect(try await trial.row(id)?.outcome == outcome)
  }

  @Test(
    "a failure is stored with its class, and its message is the error of the task",
    arguments: TaskTrial.Kind.allCases)
  func failures(kind: TaskTrial.Kind) async throws {
    let trial = try await TaskTrial(kind)
    let id = try await trial.open(trial.task("c1"))[0]
    let token = try #require(try await trial.claim("mail").first?.token)
    let failure = CallFailure(message: "mail: 503", isFinal: false, status: 503, after: 1.5)
    try await trial.tasks { try $0.answer(id, token: token, with: .failure(failure)) }
    let row = try #require(try await trial.row(id))
    #expect(row.outcome == .failure(failure) && row.error == "mail: 503")
  }

  @Test(
    "an answer after the end of the lease counts while nobody else has claimed the task",
    arguments: TaskTrial.Kind.allCases)
  func late(kind: TaskTrial.Kind) async throws {
    let trial = try await TaskTrial(kind)
    let id = try await trial.open(trial.task("c1"))[0]
    let token = try #require(try await trial.claim("mail", lease: 0).first?.token)
    let reply = try await trial.tasks { try $0.answer(id, token: token, with: .answer(.nil)) }
    #expect(reply.name == "done")
    #expect(try await trial.claim("mail").isEmpty)
    #expect(try await trial.row(id)?.outcome == .answer(.nil))
  }

  @Test(
    "an operator answers a dead task without a token, and no other",
    arguments: TaskTrial.Kind.allCases)
  func operators(kind: TaskTrial.Kind) async throws {
    let trial = try await TaskTrial(kind)
    let ids = try await trial.open(
      trial.task("c1"), trial.task("c2", queue: "leased"), trial.task("c3", kind: .missing),
      trial.task("c4", queue: "lost"))
    _ = try await trial.claim("leased")
    _ = try await trial.claim("lost", lease: 0)
    #expect(try await trial.claim("lost", attempts: 1).isEmpty)
    for (place, name) in [(0, "leaseLost"), (1, "leaseLost"), (2, "done"), (3, "done")] {
      let id = ids[place]
      let reply = try await trial.tasks { try $0.answer(id, token: nil, with: .answer(1)) }
      #expect(reply.name == name, "\(place)")
    }
  }

  @Test(
    "a call is answered whoever performs it, and only its latest try",
    arguments: TaskTrial.Kind.allCases)
  func calls(kind: TaskTrial.Kind) async throws {
    let trial = try await TaskTrial(kind)
    let ids = try await trial.open(
      trial.task("c1"), trial.task("c2", queue: "leased"), trial.task("c3", kind: .missing),
      trial.task("c4", queue: "tried"))
    _ = try await trial.claim("leased")
    func answer(_ call: String, _ outcome: TaskOutcome) async throws -> TaskReply {
      try await trial.tasks { try $0.answer(call: call, with: outcome) }
    }
    for (place, call) in ["c1", "c2", "c3"].enumerated() {
      let reply = try await answer(call, .answer(1))
      #expect(reply.name == "done" && reply.row?.id == ids[place], "\(call)")
      #expect(try await answer(call, .answer(1)).name == "done")
      #expect(try await answer(call, .answer(2)).name == "closed")
    }
    #expect(try await answer("c5", .answer(1)).name == "unknown")
    let token = try #require(try await trial.claim("tried").first?.token)
    try await trial.tasks { try $0.answer(ids[3], token: token, with: .failed("mail: 503")) }
    #expect(
      await trial.append(
        .tasks(2, closes: [.answered("c4")], opens: [trial.task("c4", try: 2)]), to: "a") == nil)
    let reply = try await answer("c4", .answer(1))
    #expect(reply.name == "done" && reply.row?.task.tryNumber == 2)
    #expect(try await trial.row(ids[3])?.outcome == .failed("mail: 503"))
  }

  @Test(
    "an answer for which nothing waits is kept as unheard, once",
    arguments: TaskTrial.Kind.allCases)
  func unheard(kind: TaskTrial.Kind) async throws {
    let trial = try await TaskTrial(kind)
    let ids = try await trial.open(trial.task("c1"), trial.task("c2", queue: "other"))
    let token = try #require(try await trial.claim("mail").first?.token)
    _ = try await trial.claim("other")
    #expect(
      await trial.append(.tasks(2, closes: [.cancelled("c1"), .cancelled("c2")]), to: "a") == nil)
    let wrong = try await trial.tasks { try $0.answer(ids[0], token: "x", with: .answer(1)) }
    #expect(wrong.name == "leaseLost" && wrong.row?.outcome == nil)
    for (outcome, name) in [(TaskOutcome.answer(1), "unheard"), (.answer(2), "closed")] {
      let reply = try await trial.tasks { try $0.answer(ids[0], token: token, with: outcome) }
      #expect(reply.name == name && reply.row?.outcome == .answer(1))
    }
    let row = try #require(try await trial.row(ids[0]))
    #expect(row.isUnheard && row.state == .cancelled)
    #expect(row.answered.map { $0 >= trial.now } == true)
    let byCall = try await trial.tasks { try $0.answer(call: "c2", with: .answer(3)) }
    #expect(byCall.name == "unheard" && byCall.row?.outcome == .answer(3))
    #expect(try await trial.ids(TaskQuery(state: .dead)) == ids)
    #expect(try await trial.ids() == ids)
  }

  @Test(
    "a result is kept as unheard if the effect has got a failure before, whoever gives it",
    arguments: TaskTrial.Kind.allCases)
  func afterFailure(kind: TaskTrial.Kind) async throws {
    let trial = try await TaskTrial(kind)
    let ids = try await trial.open(
      trial.task("c1", deadline: -1), trial.task("c2", queue: "leased", deadline: -1))
    let token = try #require(try await trial.claim("leased").first?.token)
    #expect(try await trial.tasks { try $0.expire() } == 2)
    #expect(
      await trial.append(.tasks(2, closes: [.answered("c1"), .answered("c2")]), to: "a") == nil)
    let failed = TaskOutcome.failed("mail: 503")
    for (outcome, byCall, byToken) in [
      (failed, "closed", "answered"), (.answer(1), "unheard", "unheard"),
      (.answer(2), "closed", "closed"), (failed, "closed", "closed"),
    ] as [(TaskOutcome, String, String)] {
      let first = try await trial.tasks { try $0.answer(call: "c1", with: outcome) }
      #expect(first.name == byCall, "\(outcome)")
      let second = try await trial.tasks { try $0.answer(ids[1], token: token, with: outcome) }
      #expect(second.name == byToken, "\(outcome)")
    }
    for id in ids {
      let row = try #require(try await trial.row(id))
      #expect(row.isUnheard && row.outcome == .answer(1))
    }
    let lost = try await trial.tasks { try $0.answer(ids[1], token: "x", with: .answer(3)) }
    #expect(lost.name == "leaseLost")
    #expect(try await trial.ids(TaskQuery(state: .dead)) == ids)
  }

  @Test(
    "an answer that no effect waits for when it is delivered is unheard, too",
    arguments: TaskTrial.Kind.allCases)
  func discarded(kind: TaskTrial.Kind) async throws {
    let trial = try await TaskTrial(kind)
    let ids = try await trial.open(trial.task("c1"), trial.task("c2"))
    let token = try #require(try await trial.claim("mail").first?.token)
    try await trial.tasks { try $0.answer(ids[0], token: token, with: .answer(1)) }
    try await trial.tasks { table in
      for id in [ids[0], ids[1], ids[1] + 9] { try table.discard(id) }
    }
    #expect(try await trial.row(ids[0])?.isUnheard == true)
    #expect(try await trial.row(ids[1])?.state == .ready)
  }

  @Test(
    "a task whose deadline has passed fails finally, also while a worker has it",
    arguments: TaskTrial.Kind.allCases)
  func deadlines(kind: TaskTrial.Kind) async throws {
    let trial = try await TaskTrial(kind)
    let ids = try await trial.open(
      trial.task("c1", deadline: -9), trial.task("c2", queue: "leased", deadline: -9),
      trial.task("c3", deadline: TaskTrial.hour), trial.task("c4"),
      trial.task("c5", kind: .missing, deadline: -9),
      trial.task("c6", queue: "answered", deadline: -9),
      trial.task("c7", queue: "once", isOnce: true, deadline: -9))
    let token = try #require(try await trial.claim("leased").first?.token)
    let other = try #require(try await trial.claim("answered").first?.token)
    _ = try await trial.claim("once", lease: 0)
    try await trial.tasks { try $0.answer(ids[5], token: other, with: .answer(1)) }
    #expect(try await trial.tasks { try $0.expire() } == 3)
    #expect(try await trial.tasks { try $0.expire() } == 0)
    let outcome = TaskOutcome.failed("mail: no answer came in time", isFinal: true)
    for place in [0, 1, 6] {
      let row = try #require(try await trial.row(ids[place]))
      #expect(row.state == .answered && row.outcome == outcome, "\(place)")
    }
    for (place, state) in [(2, .ready), (3, .ready), (4, .dead), (5, .answered)]
      as [(Int, StoredTask.State)]
    {
      #expect(try await trial.row(ids[place])?.state == state, "\(place)")
    }
    // A result that comes before the effect has got the failure is kept beside it.
    for (result, name) in [(1, "unheard"), (1, "closed"), (2, "closed")] {
      let late = try await trial.tasks {
        try $0.answer(ids[1], token: token, with: .answer(.integer(result)))
      }
      #expect(late.name == name && late.row?.id != ids[1])
      #expect(late.row?.isUnheard == true && late.row?.outcome == .answer(1))
    }
    #expect(try await trial.tasks { try $0.answer(call: "c2", with: .answer(1)) }.name == "closed")
    #expect(try await trial.row(ids[1])?.outcome == outcome)
    #expect(await trial.append(.tasks(2, closes: [.answered("c2")]), to: "a") == nil)
    #expect(try await trial.row(ids[1])?.state == .closed)
    let again = try await trial.tasks { try $0.answer(ids[1], token: token, with: .answer(1)) }
    #expect(again.name == "closed" && again.row?.id != ids[1])
  }
}
