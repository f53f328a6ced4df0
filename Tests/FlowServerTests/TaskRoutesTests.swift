#if Server
  import FlowCases
  import FlowHosting
  import FlowKernel
  import HTTPTesting
  import LuaRuntime
  import Testing

  @testable import FlowServer

  /// Workers over HTTP.
  @Suite(.timeLimit(.minutes(5))) struct TaskRoutesTests {
    // MARK: Claims

    @Test("a claim returns a task with its arguments and lease, and the next claim returns none")
    func claims() async throws {
      try await ServedTasks.serve { served async throws in
        try await served.start()
        let opened = WallTime.exact(served.wall.now)
        served.wall.move(5)
        let answer = try await served.post(
          "/tasks/claim", "{\"queues\":[\"mails\",\"jobs\"],\"max\":10,\"worker\":\"w 1\"}")
        #expect(answer.status == 200 && answer.tasks.count == 1)
        let task = try #require(answer.tasks.first)
        let row = try #require(try await served.cases.tasks.list(TaskQuery()).first)
        let token = try #require(row.token)
        #expect(
          task == [
            "id": .string("\(row.id)"), "call": .string(row.task.call), "case": "a",
            "capability": "root.job", "queue": "jobs", "args": ["n": 1], "try": 1, "attempt": 1,
            "token": .string(token), "opened": .string(opened),
            "until": .string(WallTime.exact(served.wall.now + 60_000_000)),
          ])
        #expect(row.worker == "w 1")
        let none = try await served.post("/tasks/claim", "{\"queues\":[\"jobs\"]}")
        #expect(none.status == 200 && none.body == ["tasks": []])
        // A worker without a name has that of its token.
        try await served.cases["a"].dispatch("mail", ["text": "x"])
        let mail = try await served.post(
          "/tasks/claim", "{\"queues\":[\"mails\"]}", token: ServedTasks.worker)
        let deadline = WallTime.exact(served.wall.now + 3_600_000_000)
        #expect(mail.tasks.first?["deadline"] == .string(deadline))
        #expect(mail.tasks.first?["args"] == ["text": "x"])
        #expect(try await served.cases.tasks.list(TaskQuery()).last?.worker == "worker")
      }
    }

    @Test("an invalid claim is a problem document that names the field")
    func wrongClaims() async throws {
      let long = String(repeating: "x", count: 129)
      let many = (1...51).map { "\"q\($0)\"" }.joined(separator: ",")
      let problems: [(String?, Int, String, String)] = [
        ("{\"queue\":[\"jobs\"]}", 400, "malformed", "no field queue; did you mean queues?"),
        (nil, 400, "malformed", "queues is missing"), ("{}", 400, "malformed", "queues is missing"),
        ("[1]", 400, "malformed", "the body must be an object"), ("null", 400, "malformed", "null"),
        ("{\"queues\":[\"jobs\"", 400, "malformed", "the body is not JSON"),
        ("{\"queues\":[]}", 400, "malformed", "queues must be a list of 1 to 50 different strings"),
        ("{\"queues\":[\(many)]}", 400, "malformed", "queues must be a list of 1 to 50"),
        ("{\"queues\":[\"jobs\",\"jobs\"]}", 400, "malformed", "queues must be a list"),
        ("{\"queues\":[\"jobs\",1]}", 400, "malformed", "queues must be a list"),
        ("{\"queues\":\"jobs\"}", 400, "malformed", "queues must be a list"),
        (
          "{\"queues\":[\"jobs\"],\"max\":0}", 400, "malformed",
          "max must be a whole number from 1 to 100"
        ),
        ("{\"queues\":[\"jobs\"],\"max\":101}", 400, "malformed", "max must be a whole number"),
        ("{\"queues\":[\"jobs\"],\"max\":1.5}", 400, "malformed", "max must be a whole number"),
        (
          "{\"queues\":[\"jobs\"],\"wait\":\"51s\"}", 400, "malformed",
          "wait must be a duration from 0 to 50s"
        ),
        ("{\"queues\":[\"jobs\"],\"wait\":-1}", 400, "malformed", "wait must be a duration"),
        ("{\"queues\":[\"jobs\"],\"wait\":\"soon\"}", 400, "malformed", "wait must be a duration"),
        (
          "{\"queues\":[\"jobs\"],\"worker\":\"\"}", 400, "malformed",
          "worker must be a string of 1 to 128"
        ),
        (
          "{\"queues\":[\"jobs\"],\"worker\":\"\(long)\"}", 400, "malformed",
          "worker must be a string"
        ),
        ("{\"queues\":[\"jbs\"]}", 404, "unknown-queue", "queue jbs; did you mean jobs?"),
        ("{\"queues\":[\"jobs\",\"\"]}", 404, "unknown-queue", "no capability has the queue"),
      ]
      try await ServedTasks.serve { served async throws in
        try await served.start()
        for (body, status, problem, part) in problems {
          let answer = try await served.ask("POST", "/tasks/claim", body)
          #expect(
            answer.status == status && answer.problem == problem && answer.detail.contains(part),
            "\(body ?? "") \(answer.text)")
        }
        let text = try await served.ask(
          "POST", "/tasks/claim", "queues", headers: ["Content-Type: text/plain"])
        #expect(text.status == 415 && text.problem == "media-type")
        let longest = String(repeating: " ", count: 1 << 20) + "{}"
        let tooLarge = try await served.post("/tasks/claim", longest)
        #expect(tooLarge.status == 413 && tooLarge.problem == "too-large")
        #expect(try await served.ask("GET", "/tasks/claim").status == 405)
        // None of them has taken the task.
        #expect(try await served.cases.tasks.list(TaskQuery()).map(\.attempt) == [0])
      }
    }

    @Test("the right to work is granted for all queues, or for one of them")
    func rights() async throws {
      try await ServedTasks.serve { served async throws in
        func claim(_ queues: String, _ token: String?) async throws -> ServedTasks.Answer {
          try await served.post("/tasks/claim", "{\"queues\":[\(queues)]}", token: token)
        }
        let none = try await claim("\"jobs\"", nil)
        #expect(none.status == 401 && none.problem == "unauthorized")
        #expect(none.text.lowercased().contains("www-authenticate: bearer"))
        let wrong = try await claim("\"jobs\"", "xxxxxxxxxxxxxxxx")
        #expect(wrong.status == 403 && wrong.problem == "forbidden")
        for token in [ServedTasks.reader, ServedTasks.operatorToken] {
          let answer = try await claim("\"jobs\"", token)
          #expect(answer.status == 403 && answer.problem == "forbidden")
          #expect(answer.detail == "this token may not work on queue jobs")
        }
        for token in [ServedTasks.boss, ServedTasks.worker] {
          #expect(try await claim("\"jobs\",\"mails\"", token).status == 200)
        }
        #expect(try await claim("\"jobs\"", ServedTasks.jobber).status == 200)
        for queues in ["\"mails\"", "\"jobs\",\"mails\""] {
          let answer = try await claim(queues, ServedTasks.jobber)
          #expect(answer.detail == "this token may not work on queue mails")
        }
        // The same holds for what follows.
        try await served.cases.create("a")
        try await served.cases["a"].dispatch("mail", ["text": "x"])
        let task = try await served.claim("mails")
        for (path, body) in [
          ("complete", ""), ("fail", "\"error\":\"no\""), ("extend", ""), ("release", ""),
        ] {
          let answer = try await served.post(
            "/tasks/\(task.id)/\(path)", task.body(body), token: ServedTasks.jobber)
          #expect(answer.status == 403 && answer.detail.hasSuffix("queue mails"), "\(path)")
        }
        #expect(try await served.cases.tasks.list(TaskQuery()).map(\.state) == [.leased])
      }
    }

    @Test("a claim that waits is answered when a task is opened, or when its time has passed")
    func waits() async throws {
      try await ServedTasks.serve { served async throws in
        async let waiting = served.post(
          "/tasks/claim", "{\"queues\":[\"jobs\"],\"wait\":\"50s\"}")
        while served.cases.tasks.waitingClaims == 0 { await Task.yield() }
        let metrics = try await served.ask("GET", "/metrics")
        #expect(metrics.text.contains("\nmoonlatch_polls_waiting 1.0\n"))
        try await served.start()
        #expect(try await waiting.tasks.count == 1)
        let none = try await served.post(
          "/tasks/claim", "{\"queues\":[\"jobs\"],\"wait\":\"10ms\"}")
        #expect(none.status == 200 && none.body == ["tasks": []])
      }
    }

    @Test("a claim whose connection is closed, or half closed, gets no task")
    func goneWorkers() async throws {
      try await ServedTasks.serve { served async throws in
        let bytes = served.bytes(
          "POST", "/tasks/claim", "{\"queues\":[\"jobs\"],\"wait\":\"50s\"}", token: served.token)
        var connection: RawConnection? = try RawConnection(port: served.port)
        await connection?.send(bytes)
        while served.cases.tasks.waitingClaims == 0 { await Task.yield() }
        connection = nil
        while served.cases.tasks.waitingClaims > 0 { await Task.yield() }
        // A worker that only sends nothing more gets its answer at once.
        let half = ServedTasks.answer(try await served.exchange(bytes, halfClosing: true))
        #expect(half.status == 200 && half.body == ["tasks": []])
        try await served.start()
        let rows = try await served.cases.tasks.list(TaskQuery())
        #expect(rows.map(\.state) == [.ready] && rows.map(\.attempt) == [0])
      }
    }

    @Test("claims that wait end with the server")
    func endOfServer() async throws {
      try await ServedTasks.serve { served async throws in
        async let waiting = served.post(
          "/tasks/claim", "{\"queues\":[\"jobs\"],\"wait\":\"50s\"}")
        while served.cases.tasks.waitingClaims == 0 { await Task.yield() }
        served.service.streams.endAll()
        #expect(try await waiting.body == ["tasks": []])
      }
    }

    @Test("a claim beyond the limit of waiting claims is refused with a Retry-After")
    func tooManyPolls() async throws {
      try await ServedTasks.serve { served async throws in
        let tasks = served.cases.tasks
        tasks.mostWaiting = 2
        async let first = served.post("/tasks/claim", "{\"queues\":[\"jobs\"],\"wait\":\"50s\"}")
        async let second = served.post("/tasks/claim", "{\"queues\":[\"mails\"],\"wait\":50}")
        while tasks.waitingClaims < 2 { await Task.yield() }
        let answer = try await served.post(
          "/tasks/claim", "{\"queues\":[\"jobs\"],\"wait\":\"50s\"}")
        #expect(answer.status == 429 && answer.problem == "too-many-polls")
        #expect(answer.detail == "2 claims wait at this node (--max-polls)")
        #expect(answer.text.contains("Retry-After: 5"))
        // One that does not wait has its answer.
        #expect(try await served.post("/tasks/claim", "{\"queues\":[\"mails\"]}").status == 200)
        // Nor is one refused for which there is a task.
        try await served.start()
        try await served.start("b")
        #expect(try await first.tasks.count == 1)
        tasks.mostWaiting = 1
        let third = try await served.post(
          "/tasks/claim", "{\"queues\":[\"jobs\"],\"wait\":\"50s\"}")
        #expect(third.tasks.count == 1)
        served.service.streams.endAll()
        #expect(try await second.body == ["tasks": []])
      }
    }

    @Test("a read-only server, or one whose journal has failed, gives out no tasks")
    func unavailable() async throws {
      try await ServedTasks.serve({ $0.isReadOnly = true }) { served async throws in
        try await served.start()
        for path in ["claim", "1/complete", "1/fail", "1/extend", "1/release", "1/retry", "1/drop"]
        {
          let answer = try await served.post("/tasks/\(path)", "{\"queues\":[\"jobs\"]}")
          #expect(answer.status == 403 && answer.problem == "forbidden", "\(path)")
          #expect(answer.detail.contains("--read-only"))
        }
        #expect(try await served.ask("GET", "/tasks").tasks.count == 1)
      }
      let journal = MemoryJournal()
      try await ServedTasks.serve(journal: journal) { served async throws in
        try await served.start()
        try journal.close()
        for path in ["claim", "1/retry"] {
          let answer = try await served.post(
            "/tasks/\(path)", path == "claim" ? "{\"queues\":[\"jobs\"]}" : "{}")
          #expect(answer.status == 503 && answer.problem == "journal", "\(answer.text)")
          #expect(answer.text.contains("Retry-After: 1"))
        }
      }
    }
  }
#endif
