import LuaRuntime
import Testing

@testable import FlowHosting
@testable import FlowKernel

/// Effects that wait for tasks: calls that are performed outside of the process.
@Suite struct EngineTasksTests {
  @Test("a durable effect keeps its task over restarts, and resumes with the answer")
  func restarts() async throws {
    let tasks = try TaskHost(TaskHost.flow("note(self:job(1, \"a\"))\nnote(self:other(2).b[2])"))
    try tasks.play()
    let row = try #require(try tasks.rows().first)
    let journal = try tasks.journal.identify(as: "f", adopting: false).id
    #expect(row.task.call == "\(journal)/c/e1/1" && row.task.arguments == [1, "a"])
    #expect(row.task.scopeKey.isNil)
    #expect(row.task.effect == 1 && row.task.tryNumber == 1 && row.task.deadline == nil)
    #expect(row.task.capability == "root.job" && row.task.queue == "jobs" && !row.task.isOnce)
    #expect(row.caseID == "c" && row.state == .ready)
    for _ in 0..<3 {
      #expect(try await tasks.host.isQuiet())
      try tasks.restart()
      #expect(try tasks.rows() == [row])
    }
    #expect(try await tasks.answer(.answer("A")))
    #expect(try tasks.log == ["A"])
    #expect(try tasks.open == ["other 2 #1"])
    #expect(try tasks.rows(TaskQuery(state: .closed)).map(\.id) == [row.id])
    try tasks.restart()
    #expect(try tasks.log == ["A"])
    #expect(try await tasks.answer(.answer(["b": [1, 2.5]]), at: "2"))
    #expect(try tasks.log == ["A", "2.5"])
    #expect(try tasks.open == [])
    #expect(try tasks.host.pendingWork.isEmpty && tasks.reports.all == [])
  }

  @Test("an answer is given once, and only to the effect that waits for it")
  func once() async throws {
    let tasks = try TaskHost(TaskHost.flow("note(self:job(1))\nnote(self:job(2))"))
    try tasks.play()
    let key = try #require(try tasks.rows().first).task.key
    let unknown = OpenTask.Key(call: "x", tryNumber: 1)
    let laterTry = OpenTask.Key(call: key.call.text, tryNumber: 2)
    for wrong in [unknown, laterTry] {
      #expect(try await !tasks.host.answer(wrong, with: .answer("A")))
    }
    #expect(try await tasks.host.answer(key, with: .answer("A")))
    #expect(try await !tasks.host.answer(key, with: .answer("B")))
    #expect(try tasks.log == ["A"])
    #expect(try tasks.open == ["job 2 #1"])
  }

  @Test("a failure is an error at the call, with its position")
  func failure() async throws {
    let tasks = try TaskHost(
      TaskHost.flow("noteError(function() self:job(1) end)\nself:job(2)"))
    try tasks.play()
    try await tasks.answer(.failed("job: 402 no", isFinal: true))
    #expect(try tasks.log == ["f.lua:10: job: 402 no"])
    try tasks.restart()
    try await tasks.answer(.failed("job: 503"), at: "2")
    #expect(try tasks.log.last == "failed job: 503")
    #expect(try tasks.open == [])
  }

  @Test("wrong arguments are an error at the call's line, and open no task")
  func wrongArguments() throws {
    let tasks = try TaskHost(
      TaskHost.flow(
        """
        noteError(function()
          self:job("wrong")
        end)
        self:job(1)
        """))
    try tasks.play()
    #expect(try tasks.log == ["f.lua:11: job: the first argument is wrong"])
    // A call that is not made counts, too.
    #expect(try tasks.open == ["job 2 #1"])
    try tasks.restart()
    #expect(try tasks.open == ["job 2 #1"])
  }

  @Test("the arguments of a task have a limit, and so has the number of open tasks of a case")
  func limits() async throws {
    var limits = Limits()
    limits.tasks = 2
    let tasks = try TaskHost(
      TaskHost.flow(
        """
        noteError(function() self:job(string.rep("x", 300000)) end)
        all { function() note(self:job(1)) end, function() note(self:job(2)) end }
        """,
        more: """
          action.more {}
          effect.more = { durable = true, run = function(self)
            noteError(function() self:job(3) end)
          end }
          """), limits: limits)
    try tasks.play()
    #expect(try tasks.log == ["f.lua:10: job: the arguments of a task have 256 KiB at most"])
    #expect(try tasks.open == ["job all1.1.1 #1", "job all1.2.1 #1"])
    try tasks.play("more")
    let refusal = try #require(try tasks.log.last)
    #expect(refusal.hasSuffix("2 tasks are open already (the limit tasks)"), "\(refusal)")
    // The open ones go on, also in a process that could open no more.
    try tasks.restart()
    #expect(try tasks.open == ["job all1.1.1 #1", "job all1.2.1 #1"])
    try await tasks.answer(.answer("B"), at: "all1.2.1")
    try tasks.play("more")
    #expect(try tasks.open == ["job all1.1.1 #1", "job 1 #1"])
    try await tasks.answer(.answer("A"), at: "all1.1.1")
    #expect(try tasks.log.suffix(2) == ["B", "A"])
  }

  @Test("the limit of open tasks is a sentence for any number", arguments: 0...2)
  func limitOfTasks(most: Int) throws {
    var limits = Limits()
    limits.tasks = most
    let tasks = try TaskHost(
      TaskHost.flow(
        "all { function() self:job(1) end, function() self:job(2) end, function() self:job(3) end }"
      ), limits: limits)
    try tasks.play()
    let refusal = try #require(try tasks.log.last)
    let count = most == 1 ? "1 task is" : "\(most) tasks are"
    #expect(refusal.contains("\(count) open already (the limit tasks)"), "\(refusal)")
  }

  @Test(
    "without a journal a task cannot be opened",
    arguments: [
      (.worker, "root.job is performed by workers, for which a journal is needed: "),
      (.http, "root.job sends an HTTP request, for which a journal is needed: "),
      (.command, "root.job runs a command, for which a journal is needed: "),
      (.missing, "scope root has no job: nobody provides it"),
    ] as [(TaskKind, String)])
  func noJournal(kind: TaskKind, reason: String) throws {
    let job = TaskCapability(kind: kind, queue: "jobs", arguments: { .list($0) })
    let host = try FlowHost(
      source: TaskHost.flow("self:job(1)"), options: HostOptions(clock: .virtual)
    ) { $0.root.provide("job", job) }
    try host.dispatch("go")
    let log = try host.state()["log"]?.listValue?.first?.stringValue ?? ""
    let advice = kind == .missing ? "" : "serve the flow, or stub it"
    #expect(log.hasSuffix(reason + advice), "\(log)")
  }

  @Test(
    "without a journal live tasks are open until they are answered; each host has ids of its own")
  func live() throws {
    let reports = Trial.Lines()
    func host(_ performer: LocalPerformer?, hasWorkers: Bool) throws -> FlowHost {
      let job = TaskCapability(
        kind: .worker, queue: "jobs", performer: performer, arguments: { .list($0) })
      return try FlowHost(
        source: TaskHost.flow("note(self:job(1))"),
        options: HostOptions(clock: .virtual, report: { reports.add("\($0)") })
      ) {
        $0.root.provide("job", job)
        $0.capabilities.live = LiveTasks(hasWorkers: hasWorkers)
      }
    }
    let performer = LocalPerformer(atOnce: 1, timeout: 1) { _ in .interrupted }
    var calls: [String] = []
    for host in [try host(nil, hasWorkers: true), try host(performer, hasWorkers: false)] {
      try host.dispatch("go")
      let open = try host.use { $0.openTasks }
      let task = try #require(open.first)
      #expect(task.call.hasSuffix("/main/e1/1") && task.arguments == [1], "\(task.call)")
      calls.append(task.call)
      let isHeard = try host.use { $0.answer(task.key, with: .answer("A")) }
      let left = try host.use { $0.openTasks }
      #expect(isHeard && left.isEmpty)
      #expect(try host.state()["log"] == ["A"])
    }
    #expect(calls.first != calls.last)
    #expect(reports.all.isEmpty)
    // Nobody performs it, which is reported even if the effect handles the error.
    let alone = try host(nil, hasWorkers: false)
    try alone.dispatch("go")
    let log = try alone.state()["log"]?.listValue?.first?.stringValue ?? ""
    let reason = "root.job is performed by workers, and there are none here: stub it"
    #expect(log.hasSuffix(reason), "\(log)")
    #expect(reports.all.contains { $0.contains(reason + "  [flow.lua:") }, "\(reports.all)")
  }

  @Test(
    "a live task that nobody performs is refused, in words that fit its kind",
    arguments: [
      (.worker, "is performed by workers, and there are none here"),
      (.http, "sends an HTTP request, and nothing sends one here"),
      (.command, "runs a command, and nothing runs one here"),
    ] as [(TaskKind, String)])
  func liveWithoutPerformer(kind: TaskKind, reason: String) throws {
    let job = TaskCapability(kind: kind, queue: "jobs", arguments: { .list($0) })
    let host = try FlowHost(
      source: TaskHost.flow("self:job(1)"), options: HostOptions(clock: .virtual)
    ) {
      $0.root.provide("job", job)
      $0.capabilities.live = LiveTasks(hasWorkers: false)
    }
    try host.dispatch("go")
    let log = try host.state()["log"]?.listValue?.first?.stringValue ?? ""
    #expect(log.hasSuffix("root.job \(reason): stub it"), "\(log)")
  }

  @Test("a task has the key of the scope that lends the capability, also after a restart")
  func scopeKey() throws {
    let source = """
      state { user = optional(integer { min = 1 }) }
      action.enter {} action.go {}
      scope.user { key = function(s) return s.user end, actions = { "go" } }
      function reduce.enter(s) s.user = 7 end
      effect.go = { durable = true, run = function(self) self:job(1) end }
      """
    func host(_ journal: MemoryJournal) throws -> FlowHost {
      try FlowHost(
        LoadedFlow(source: source, name: "f.lua"), journal: journal, case: "c",
        options: HostOptions(clock: .virtual)
      ) { $0["user"].provide("job", TaskCapability.worker("jobs")) }
    }
    var journal = MemoryJournal()
    var keys: [[Value]] = []
    let first = try host(journal)
    try first.dispatch("enter")
    try first.dispatch("go")
    for _ in 0..<2 {
      keys.append(
        try journal.readingTasks { (rows) throws(JournalError) in
          try rows.list(TaskQuery()).map(\.task.scopeKey)
        })
      // The row is opened anew, with what the case has of it.
      journal = journal.restarted()
      try journal.withTasks(at: 1) { (table) throws(JournalError) in
        for row in try table.rows.list(TaskQuery()) { try table.rows.delete(row.id) }
      }
      _ = try host(journal)
    }
    #expect(keys == [[7], [7]])
  }

  // MARK: Cancelling

  @Test("the task of a function that loses a race is cancelled")
  func race() throws {
    let tasks = try TaskHost(
      TaskHost.flow(
        """
        note(race { call = function() return self:job(1) end, time = function() sleep(5) end,
          other = function() return self:other(2) end })
        """))
    try tasks.play()
    #expect(try tasks.rows().count == 2)
    let claimed = try #require(try tasks.claim())
    try tasks.advance(5)
    #expect(try tasks.log == ["time"])
    #expect(try tasks.open == [])
    // Somebody has one of them, and nobody had the other one.
    #expect(try tasks.rows(TaskQuery(state: .cancelled)).map(\.id) == [claimed.id])
  }

  @Test("the task of a state's effect is cancelled when the state is left, and opened anew")
  func stateExit() async throws {
    let tasks = try TaskHost(
      TaskHost.flow(
        "",
        more: """
          action.start {} action.stop {}
          machine.work { initial = "idle", idle = { start = "busy" }, busy = { stop = "idle",
            effect = { durable = true, run = function(self) note(self:job(1)) end } } }
          """))
    try tasks.play("start")
    let first = try #require(try tasks.rows().first).task
    try tasks.restart()
    #expect(try tasks.rows().map(\.task) == [first])
    try tasks.play("stop")
    #expect(try tasks.open == [])
    try tasks.play("start")
    let second = try #require(try tasks.rows().first).task
    #expect(second.call != first.call && second.effect > first.effect)
    #expect(try await !tasks.host.answer(first.key, with: .answer("A")))
    #expect(try await tasks.host.answer(second.key, with: .answer("B")))
    #expect(try tasks.log == ["B"])
  }

  @Test("undo, going to a revision and a reset cancel the tasks of later effects")
  func history() async throws {
    let tasks = try TaskHost(
      TaskHost.flow(
        "note(self:job(1))",
        more: "action.mark {}\nfunction reduce.mark(s) table.insert(s.log, \"mark\") end"))
    var calls: Set<String> = []
    func open() throws {
      try tasks.play()
      let rows = try tasks.rows()
      let isNew = calls.insert(rows.first?.task.call ?? "").inserted
      #expect(rows.count == 1 && isNew)
    }
    try open()
    try tasks.undo()
    #expect(try tasks.open == [])
    try open()
    try tasks.play("mark")
    try tasks.undo()
    #expect(try tasks.open == ["job 1 #1"])
    try tasks.go(to: 0)
    #expect(try tasks.open == [])
    try open()
    try tasks.reset()
    #expect(try tasks.open == [])
    // A case that began anew makes other calls.
    try open()
    try tasks.restart()
    #expect(try tasks.open == ["job 1 #1"])
    try await tasks.answer(.answer("A"))
    #expect(try tasks.log == ["A"])
  }

  // MARK: Plain effects

  @Test("a plain effect waits for a task that is performed at most once")
  func plain() async throws {
    let tasks = try TaskHost(TaskHost.flow("note(self:job(1))", isDurable: false))
    try tasks.play()
    #expect(try tasks.rows().map(\.task.isOnce) == [true])
    // It lives in memory alone.
    #expect(try await !tasks.host.isQuiet())
    try await tasks.answer(.answer("A"))
    #expect(try tasks.log == ["A"])
  }

  @Test("a restart cuts off a plain effect, and cancels its task")
  func cutOff() throws {
    let tasks = try TaskHost(TaskHost.flow("note(self:job(1))", isDurable: false))
    try tasks.play()
    try tasks.restart()
    #expect(try tasks.log == ["failed effect.go was cut off by a restart"])
    #expect(try tasks.rows() == [])
    try tasks.play()
    let claimed = try #require(try tasks.claim())
    try tasks.restart()
    #expect(try tasks.open == [])
    #expect(try tasks.rows(TaskQuery(state: .cancelled)).map(\.id) == [claimed.id])
  }

  // MARK: Reconciling

  @Test("a restart opens a task whose row is missing, under the same call, and closes others")
  func reconciles() async throws {
    let tasks = try TaskHost(TaskHost.flow("note(self:job(1))\nnote(self:job(2))"))
    try tasks.play()
    let row = try #require(try tasks.rows().first)
    try tasks.journal.withTasks(at: 1) { (table) throws(JournalError) in
      try table.rows.delete(row.id)
    }
    try tasks.restart()
    let again = try #require(try tasks.rows().first)
    #expect(again.task == row.task && again.id != row.id && again.state == .ready)
    let lost = OpenTask(
      call: "x/c/e9/1", tryNumber: 1, effect: 9, position: "1", scope: "root", name: "job",
      arguments: [], kind: .worker, queue: "jobs", isOnce: false, opened: 1, deadline: nil)
    let others = StoredTask(lost, of: "d")
    try tasks.journal.withTasks(at: 1) { (table) throws(JournalError) in
      _ = try table.rows.insert(StoredTask(lost, of: "c"))
      _ = try table.rows.insert(others)
    }
    try tasks.restart()
    #expect(try tasks.rows(TaskQuery(caseID: "c")) == [again])
    #expect(try tasks.rows(TaskQuery(caseID: "d")).map(\.task) == [lost])
    try await tasks.answer(.answer("A"))
    #expect(try tasks.log == ["A"])
  }

  @Test("an open task waits even if the host no longer provides its capability")
  func unprovided() async throws {
    let tasks = try TaskHost(
      TaskHost.flow("all { function() note(self:job(1)) end, function() note(self:job(2)) end }"))
    try tasks.play()
    let rows = try tasks.rows()
    try tasks.restart([:])
    #expect(try tasks.rows() == rows && tasks.reports.all == [])
    try await tasks.answer(.answer("A"), at: "all1.1.1")
    #expect(try tasks.log == ["A"])
    // Nor does it matter which arguments a new task may have.
    try tasks.restart(["job": .worker("others", refuses: true)])
    #expect(try tasks.rows() == [rows[1]])
    try await tasks.answer(.answer("B"), at: "all1.2.1")
    #expect(try tasks.log == ["A", "B"])
  }
}
