import FlowHosting
import FlowKernel
import LuaRuntime
import Testing

/// The performers of tasks as the host file names them, in every journal.
@Suite struct ConformanceTaskPerformersTests {
  @Test(
    "unleased tasks get the queue that the host file names, and those of other capabilities die",
    arguments: TaskTrial.Kind.allCases)
  func retargets(kind: TaskTrial.Kind) async throws {
    let trial = try await TaskTrial(kind)
    let ids = try await trial.open(
      trial.task("c1"), trial.task("c2", queue: "leased"), trial.task("c3", queue: "over"),
      trial.task("c4", queue: "dead"), trial.task("c5", queue: "once", isOnce: true),
      trial.task("c6", queue: "", kind: .missing, name: "ping"),
      trial.task("c7", queue: "gone", name: "gone"))
    let token = try #require(try await trial.claim("leased").first?.token)
    let over = try #require(try await trial.claim("over", lease: 0).first?.token)
    _ = try await trial.claim("once", lease: 0)
    _ = try await trial.claim("dead", lease: 0)
    #expect(try await trial.claim("dead", attempts: 1).isEmpty)
    let file: Set = [
      TaskPerformer(scope: "root", name: "mail", kind: .worker, queue: "mails"),
      TaskPerformer(scope: "root", name: "ping", kind: .worker, queue: "pings"),
      TaskPerformer(scope: "user", name: "gone", kind: .worker, queue: "others"),
    ]
    for _ in 0..<2 { try await trial.tasks { try $0.retarget(file) } }
    func text(_ place: Int) async throws -> String {
      let row = try await trial.row(ids[place])
      return "\(row?.task.queue ?? "") \(row?.state.name ?? "")"
    }
    var texts: [String] = []
    for place in ids.indices { texts.append(try await text(place)) }
    #expect(
      texts == [
        "mails ready", "leased leased", "mails ready", "mails dead", "once leased", "pings ready",
        "gone dead",
      ])
    #expect(try await trial.row(ids[5])?.error == nil)
    #expect(try await trial.row(ids[6])?.error == "nobody provides root.gone")
    #expect(try await trial.row(ids[6])?.task.kind == .missing)
    // A worker that had a task last may still answer it.
    for (place, token) in [(1, token), (2, over)] {
      let id = ids[place]
      let reply = try await trial.tasks { try $0.answer(id, token: token, with: .answer(1)) }
      #expect(reply.name == "done", "\(place)")
    }
    #expect(try await trial.claim("mails", most: 9).map(\.id) == [ids[0]])
    #expect(try await trial.tasks { try $0.retry(ids[3]) }.name == "done")
    #expect(try await trial.claim("mails", most: 9).map(\.id) == [ids[3]])
    try await trial.tasks {
      try $0.retarget([TaskPerformer(scope: "root", name: "gone", kind: .worker, queue: "back")])
    }
    #expect(try await trial.claim("back").map(\.id) == [ids[6]])
    #expect(try await trial.row(ids[5])?.state == .dead)
  }

  @Test(
    "a task that died of lost leases says that nobody provides it once that is so",
    arguments: TaskTrial.Kind.allCases)
  func deadAndGone(kind: TaskTrial.Kind) async throws {
    let trial = try await TaskTrial(kind)
    let id = try #require(try await trial.open(trial.task("c1")).first)
    _ = try await trial.claim("mail", lease: 0)
    #expect(try await trial.claim("mail", attempts: 1).isEmpty)
    #expect(try await trial.row(id)?.error == "1 lease has ended without an answer")
    let mails: Set = [TaskPerformer(scope: "root", name: "mail", kind: .worker, queue: "mails")]
    try await trial.tasks { try $0.retarget(mails) }
    #expect(try await trial.row(id)?.error == "1 lease has ended without an answer")
    try await trial.tasks { try $0.retarget([]) }
    let row = try #require(try await trial.row(id))
    #expect(row.error == "nobody provides root.mail" && row.task.kind == .missing)
    #expect(row.state == .dead && row.free == nil)
    try await trial.tasks { try $0.retarget(mails) }
    #expect(try await trial.claim("mails").map(\.id) == [id])
  }

  @Test(
    "a ready task of a plain effect fails once nobody provides its capability",
    arguments: TaskTrial.Kind.allCases)
  func plain(kind: TaskTrial.Kind) async throws {
    let trial = try await TaskTrial(kind)
    let ids = try await trial.open(
      trial.task("c1", isOnce: true), trial.task("c2", isOnce: true),
      trial.task("c3", name: "other", isOnce: true), trial.task("c4"))
    #expect(try await trial.claim("mail").map(\.id) == [ids[0]])
    let other = TaskPerformer(scope: "root", name: "other", kind: .worker, queue: "mail")
    for _ in 0..<2 { try await trial.tasks { try $0.retarget([other]) } }
    var states: [StoredTask.State] = []
    for id in ids { states.append(try #require(try await trial.row(id)).state) }
    // Somebody has the first one, and may still answer it.
    #expect(states == [.leased, .answered, .ready, .dead])
    let failure = CallFailure(message: "mail: nobody provides root.mail", isFinal: true)
    #expect(try await trial.row(ids[1])?.outcome == .failure(failure))
    #expect(try await trial.row(ids[3])?.error == "nobody provides root.mail")
  }
}
