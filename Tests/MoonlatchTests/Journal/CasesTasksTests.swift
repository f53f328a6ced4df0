import LuaRuntime
import Testing

@testable import FlowCases
@testable import FlowHosting
@testable import FlowKernel

/// Answers of tasks, on their way to the cases that wait for them.
@Suite(.timeLimit(.minutes(5))) struct CasesTasksTests {
  private static let flow = TaskHost.flow("note(self:job(1))")

  /// A flow with a timer before and one after the time of an answer.
  private static let timed = TaskHost.flow(
    """
    after(10, "early") after(30, "late")
    note(self:job(1) .. " at " .. now())
    """,
    more: """
      action.early {} action.late {}
      function reduce.early(s) table.insert(s.log, "early at " .. now()) end
      function reduce.late(s) table.insert(s.log, "late at " .. now()) end
      """)

  /// Answers the open task in a journal that no process uses.
  private func answer(
    in journal: MemoryJournal, at time: Int, _ outcome: TaskOutcome = .answer("A")
  ) throws {
    try journal.withTasks(at: time) { (table) throws(JournalError) in
      let claim = TaskClaim(queues: ["jobs"], most: 1, worker: "one")
      guard let row = try table.claim(claim).first else { return }
      _ = try table.answer(row.id, token: row.token, with: outcome)
    }
  }

  @Test("a case whose durable effect waits for a task sleeps, and is woken by the answer")
  func sleeps() async throws {
    let cases = try await TaskCases(Self.flow, most: 1)
    try await cases.start("a")
    try await cases.cases.create("b")
    while cases.cases.isAwake("a") { await Task.yield() }
    let row = try #require(try await cases.claim("jobs").first)
    try await cases.answer(row, .answer("A"))
    #expect(try await cases.log("a") == ["A"])
    #expect(try await cases.states("a") == [])
    #expect(try await cases.tasks.task(row.id)?.state == .closed)
    try await cases.cases.close()
  }

  @Test(
    "an answer that was given while a case slept is delivered at its time, between the timers",
    arguments: [true, false])
  func timeOfAnswer(isDown: Bool) async throws {
    let (journal, wall) = (MemoryJournal(), TaskCases.Wall())
    let first = try await TaskCases(Self.timed, in: journal, wall: wall)
    try await first.start()
    try await first.cases.close()
    wall.move(20)
    try answer(in: journal, at: wall.now)
    wall.move(isDown ? 20 : 0)
    let clock = TestClock()
    let second = try await TaskCases(Self.timed, in: journal, wall: wall, clock: .driven(by: clock))
    if !isDown {
      #expect(try await second.log() == ["early at 10.0", "A at 20.0"])
      clock.advance(by: .seconds(20))
    }
    #expect(try await second.log() == ["early at 10.0", "A at 20.0", "late at 30.0"])
    #expect(try await second.states() == [])
    try await second.cases.close()
  }

  @Test("several answers are delivered in the order in which they were given")
  func order() async throws {
    let flow = TaskHost.flow(
      "all { function() note(self:job(1)) end, function() note(self:job(2)) end }")
    let (journal, wall) = (MemoryJournal(), TaskCases.Wall())
    let first = try await TaskCases(flow, in: journal, wall: wall)
    try await first.start()
    try await first.cases.close()
    let claim = TaskClaim(queues: ["jobs"], most: 2, worker: "one")
    let rows = try journal.withTasks(at: wall.now) { (table) throws(JournalError) in
      try table.claim(claim)
    }
    for (row, name) in zip(rows.reversed(), ["second", "first"]) {
      wall.move(1)
      _ = try journal.withTasks(at: wall.now) { (table) throws(JournalError) in
        try table.answer(row.id, token: row.token, with: .answer(.string(name)))
      }
    }
    let second = try await TaskCases(flow, in: journal, wall: wall)
    #expect(try await second.log() == ["second", "first"])
  }

  @Test("an answer that was not delivered before the process ended is delivered once by the next")
  func undelivered() async throws {
    let journal = MemoryJournal()
    let first = try await TaskCases(Self.flow, in: journal)
    for id in ["a", "b"] { try await first.start(id) }
    try await first.cases.close()
    for _ in 0..<2 { try answer(in: journal, at: first.wall.now) }
    let second = try await TaskCases(Self.flow, in: journal, wall: first.wall)
    // One is activated by a caller, and one by the look for answers.
    #expect(try await second.log("a") == ["A"])
    await second.cases.lookForAnswers()
    #expect(try await second.tasks.list(TaskQuery()) == [])
    await second.cases.lookForAnswers()
    for id in ["a", "b"] { #expect(try await second.log(id) == ["A"]) }
    #expect(second.reports.all == [])
  }

  @Test("an answer for a call that nothing waits for any more is kept as unheard")
  func unheard() async throws {
    let cases = try await TaskCases(Self.flow)
    try await cases.start()
    let row = try #require(try await cases.claim("jobs").first)
    try await cases.cases["a"].end()
    #expect(try await cases.states() == [])
    guard case .unheard(let kept) = try await cases.answer(row, .answer("A")) else {
      Issue.record("the answer was taken")
      return
    }
    #expect(kept.isUnheard)
    let report =
      "a: root.job answered when nothing waited for it any more: task \(row.id) is kept as unheard"
    #expect(cases.reports.all.filter { $0 == report }.count == 1, "\(cases.reports.all)")
    #expect(cases.tasks.answerCounts == ["root.job": ["unheard": 1]])
    #expect(try await cases.tasks.list(TaskQuery(state: .dead)).map(\.id) == [row.id])
    // So is one that came before the end, and was not delivered.
    let journal = MemoryJournal()
    let first = try await TaskCases(Self.flow, in: journal)
    try await first.start()
    try await first.cases.close()
    try answer(in: journal, at: first.wall.now)
    try journal.withTasks(at: first.wall.now) { (table) throws(JournalError) in
      _ = try table.rows.insert(StoredTask(OpenTask.unowned, of: "nobody"))
      _ = try table.answer(call: OpenTask.unowned.call, with: .answer(1))
    }
    let second = try await TaskCases(Self.flow, in: journal, wall: first.wall)
    await second.cases.lookForAnswers()
    #expect(try await second.log() == ["A"])
    let dead = try await second.tasks.list(TaskQuery(state: .dead))
    #expect(dead.map(\.caseID) == ["nobody"] && dead.allSatisfy(\.isUnheard))
  }

  @Test("a fork copies no tasks, and the original keeps its own")
  func fork() async throws {
    let cases = try await TaskCases(Self.flow)
    try await cases.start()
    let row = try #require(try await cases.tasks.list(TaskQuery(caseID: "a")).first)
    try await cases.cases.fork("a", at: 2, as: "b")
    #expect(try await cases.log("b") == ["failed effect.go was cut off by a restart"])
    #expect(try await cases.states("b") == [])
    #expect(try await cases.tasks.list(TaskQuery()) == [row])
    try await cases.cases["b"].dispatch("go")
    let other = try #require(try await cases.tasks.list(TaskQuery(caseID: "b")).first)
    #expect(other.task.call != row.task.call)
  }

  @Test("a task whose time has passed fails finally, and retry does not try again")
  func deadline() async throws {
    let cases = try await TaskCases(
      TaskHost.flow("retry({ wait = 0 }, function() note(self:job(1)) end)"),
      tasks: ["job": .worker("jobs", timeout: 90_000_000), "other": .worker("others")])
    try await cases.start("a")
    try await cases.start("b")
    #expect(try await cases.claim("jobs").map(\.caseID) == ["a"])
    for (seconds, log) in [(89, []), (1, ["failed job: no answer came in time"])]
      as [(Int, [String])]
    {
      cases.wall.move(seconds)
      await cases.cases.lookForAnswers()
      for id in ["a", "b"] { #expect(try await cases.log(id) == log) }
    }
    #expect(try await cases.tasks.list(TaskQuery()) == [])
  }

  @Test("a plain effect fails when the lease of its task ends")
  func lostLease() async throws {
    let cases = try await TaskCases(TaskHost.flow("note(self:job(1))", isDurable: false))
    try await cases.start()
    let row = try #require(try await cases.claim("jobs").first)
    cases.wall.move(59)
    await cases.cases.lookForAnswers()
    #expect(try await cases.log() == [])
    cases.wall.move(1)
    await cases.cases.lookForAnswers()
    #expect(try await cases.log() == ["failed job: its worker did not answer"])
    guard case .unheard = try await cases.answer(row, .answer("A")) else {
      Issue.record("the answer was not kept as unheard")
      return
    }
    #expect(try await cases.log().count == 1)
  }

  @Test("rows of closed tasks are deleted after an hour, and unheard answers after a week")
  func sweeps() async throws {
    let cases = try await TaskCases(Self.flow)
    for id in ["a", "b"] { try await cases.start(id) }
    let rows = try await cases.claim("jobs", most: 2)
    try await cases.answer(rows[0], .answer("A"))
    try await cases.cases["b"].end()
    try await cases.answer(rows[1], .answer("B"))
    for (hours, isClosedKept, isUnheardKept) in [
      (1, true, true), (1, false, true), (7 * 24 - 2, false, true), (1, false, false),
    ] {
      cases.wall.move(hours * 3_600)
      await cases.cases.lookForAnswers(sweeps: true)
      let (closed, unheard) = (
        try await cases.tasks.task(rows[0].id), try await cases.tasks.task(rows[1].id)
      )
      #expect((closed != nil) == isClosedKept && (unheard != nil) == isUnheardKept, "\(hours)")
    }
  }
}

/// Tasks of cases that two nodes serve.
@Suite(.timeLimit(.minutes(5))) struct CasesTasksNodesTests {
  private static let flow = TaskHost.flow("note(self:job(1))\nnote(self:job(2))")

  /// Two nodes of a journal with one shard, the holder first.
  private func nodes(_ journal: SharedMemoryJournal, _ wall: TaskCases.Wall) async throws
    -> [TaskCases]
  {
    var nodes: [TaskCases] = []
    for name in ["n0", "n1"] {
      var node = NodeOptions()
      node.name = name
      nodes.append(try await TaskCases(Self.flow, in: journal, wall: wall, node: node))
    }
    #expect(nodes.map { $0.cases.node?.holds("a") } == [true, false])
    return nodes
  }

  private func nodes() async throws -> [TaskCases] {
    let wall = TaskCases.Wall()
    return try await nodes(SharedMemoryJournal(shards: 1) { wall.now }, wall)
  }

  @Test("any node gives tasks to workers and takes their answers, and the holder delivers them")
  func answers() async throws {
    let nodes = try await nodes()
    let (holder, other) = (nodes[0], nodes[1])
    try await holder.start()
    for position in ["1", "2"] {
      let row = try #require(try await other.claim("jobs").first)
      #expect(row.task.position == position)
      try await other.answer(row, .answer(.string("answer \(position)")))
      #expect(try await holder.states() == [.answered])
      await holder.cases.lookForAnswers()
    }
    #expect(try await holder.log() == ["answer 1", "answer 2"])
    #expect(try await holder.states() == [] && other.cases.active == 0)
    // Each counts the answers that were given to it.
    #expect(other.tasks.answerCounts == ["root.job": ["answer": 2]])
    #expect(holder.tasks.answerCounts == [:])
  }

  @Test("a node that takes a case over delivers the answers that were given before, once")
  func takeOver() async throws {
    let nodes = try await nodes()
    let (first, second) = (nodes[0], nodes[1])
    try await first.start()
    let row = try #require(try await second.claim("jobs").first)
    try await second.answer(row, .answer("A"))
    first.wall.move(20)
    await second.cases.renewLeases()
    #expect(second.cases.node?.holds("a") == true)
    await second.cases.lookForAnswers()
    #expect(try await second.log() == ["A"])
    #expect(try await second.states() == [.ready])
  }

  @Test("a node that has lost a case without knowing leaves its answers to the new holder")
  func paused() async throws {
    let wall = TaskCases.Wall()
    let journal = SharedMemoryJournal(shards: 1) { wall.now }
    let nodes = try await nodes(journal, wall)
    let (first, second) = (nodes[0], nodes[1])
    try await first.start()
    let row = try #require(try await first.claim("jobs").first)
    try await first.answer(row, .answer("A"))
    wall.move(20)
    await second.cases.renewLeases()
    #expect(try await second.log() == ["A"])
    try await second.cases["a"].dispatch("go")
    #expect(first.cases.node?.holds("a") == true)
    // The answer is for an effect that the first node has never seen.
    let call = try #require(try await second.tasks.list(TaskQuery()).last).task.call
    _ = try journal.withTasks(at: wall.now) { (table) throws(JournalError) in
      try table.answer(call: call, with: .answer("B"))
    }
    await first.cases.lookForAnswers()
    #expect(first.cases.node?.holds("a") == false)
    #expect(try await second.states() == [.ready, .answered])
    await second.cases.lookForAnswers()
    #expect(try await second.log() == ["A", "B"])
  }

  @Test("answers that cannot be delivered, however many, do not hold back later ones")
  func manyUndelivered() async throws {
    let wall = TaskCases.Wall()
    let journal = SharedMemoryJournal(shards: 2) { wall.now }
    var options = NodeOptions()
    options.name = "n0"
    let node = try await TaskCases(Self.flow, in: journal, wall: wall, node: options)
    options.name = "n1"
    let other = try await TaskCases(Self.flow, in: journal, wall: wall, node: options)
    await node.cases.renewLeases()
    await other.cases.renewLeases()
    let ids = (0..<700).map { "c\($0)" }
    let others = ids.filter { node.cases.node?.holds($0) == false }.prefix(300)
    let own = try #require(ids.first { node.cases.node?.holds($0) == true })
    try await node.start(own)
    try journal.withTasks(at: wall.now) { (table) throws(JournalError) in
      for id in others {
        let task = OpenTask.ofNobody(id)
        _ = try table.rows.insert(StoredTask(task, of: id))
        _ = try table.answer(call: task.call, with: .answer("B"))
      }
    }
    wall.move(1)
    let row = try #require(try await node.claim("jobs").first)
    _ = try journal.withTasks(at: wall.now) { (table) throws(JournalError) in
      try table.answer(row.id, token: row.token, with: .answer("A"))
    }
    await node.cases.lookForAnswers()
    #expect(try await node.log(own) == ["A"])
    #expect(try await node.tasks.list(TaskQuery(state: .answered, limit: 999)).count == 300)
    withExtendedLifetime(other) {}
  }

  @Test("a lease that a node has given goes on at another, and its token stays the right to answer")
  func tokens() async throws {
    let nodes = try await nodes()
    try await nodes[0].start()
    let row = try #require(try await nodes[1].claim("jobs", by: "one").first)
    #expect(try await nodes[0].claim("jobs").isEmpty)
    nodes[0].wall.move(60)
    let again = try #require(try await nodes[0].claim("jobs", by: "two").first)
    #expect(again.id == row.id && again.lost == 1)
    guard case .leaseLost(let lost) = try await nodes[1].answer(row, .answer("A")) else {
      Issue.record("the answer was taken")
      return
    }
    #expect(lost.worker == "two")
    guard case .done = try await nodes[1].answer(again, .answer("B")) else {
      Issue.record("the answer was not taken")
      return
    }
  }
}

extension OpenTask {
  /// A task of a case that there is not.
  fileprivate static let unowned = ofNobody("nobody")

  fileprivate static func ofNobody(_ id: String) -> OpenTask {
    OpenTask(
      call: "x/\(id)/e1/1", tryNumber: 1, effect: 1, position: "1", scope: "root", name: "job",
      arguments: [], kind: .worker, queue: "jobs", isOnce: false, opened: 1, deadline: nil)
  }
}
