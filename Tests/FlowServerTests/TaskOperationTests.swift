#if Server
  import FlowCases
  import FlowHosting
  import FlowKernel
  import LuaRuntime
  import Testing

  @testable import FlowServer

  /// Operators, who look after tasks over HTTP.
  @Suite(.timeLimit(.minutes(5))) struct TaskOperationTests {
    /// Lets the task of a case lose its leases, and returns its number.
    private func kill(_ served: ServedTasks, _ id: String = "a") async throws -> String {
      try await served.start(id)
      for _ in 0..<2 {
        _ = try await served.claim()
        served.wall.move(61)
      }
      #expect(try await served.claim().id == "none")
      let answer = try await served.ask("GET", "/tasks?state=dead&case=\(id)")
      return answer.tasks.first?["id"]?.stringValue ?? "none"
    }

    @Test("tasks are listed by state, queue and case, in pages")
    func lists() async throws {
      try await ServedTasks.serve { served async throws in
        for id in ["a", "b", "c"] { try await served.start(id) }
        try await served.cases["b"].dispatch("mail", ["text": "x"])
        let claimed = try await served.claim()
        func ids(_ query: String) async throws -> [String] {
          try await served.ask("GET", "/tasks\(query)", token: ServedTasks.operatorToken).tasks
            .compactMap { $0["id"]?.stringValue }
        }
        let all = try await ids("")
        #expect(all.count == 4 && all.first == claimed.id)
        #expect(try await ids("?state=leased") == [all[0]])
        #expect(try await ids("?state=ready&queue=jobs") == [all[1], all[2]])
        #expect(try await ids("?queue=mails") == [all[3]])
        #expect(try await ids("?case=b") == [all[1], all[3]])
        #expect(try await ids("?case=nobody").isEmpty)
        #expect(try await ids("?state=closed").isEmpty)
        let first = try await served.ask("GET", "/tasks?limit=3")
        #expect(first.tasks.count == 3 && first.body["next"] == .string(all[2]))
        let second = try await served.ask("GET", "/tasks?limit=3&after=\(all[2])")
        #expect(second.tasks.count == 1 && second.body["next"] == nil)
        let task = try #require(first.tasks.first)
        #expect(task["state"] == "leased" && task["lost"] == 0 && task["attempt"] == 1)
        #expect(task["worker"] == "one" && task["token"] == nil && task["args"] == ["n": 1])
        let until = WallTime.exact(served.wall.now + 60_000_000)
        #expect(task["until"] == .string(until) && first.tasks[1]["until"] == nil)
      }
    }

    @Test("an invalid list query is a problem document with the nearest name")
    func wrongLists() async throws {
      try await ServedTasks.serve { served async throws in
        for (query, part) in [
          ("state=ded", "there is no state ded; did you mean dead?; the states are ready, leased"),
          ("stat=dead", "there is no query parameter stat here; did you mean state?"),
          ("limit=0", "limit must be a whole number from 1 to 1000"),
          ("limit=1001", "limit must be a whole number"),
          ("limit=x", "limit must be a whole number"),
          ("lmit=5", "no query parameter lmit here; did you mean limit?"),
          ("after=-1", "after must be a whole number from 0"),
          ("after=x", "after must be a whole number"), ("queue=%ff", "queue is not UTF-8 text"),
        ] {
          let answer = try await served.ask("GET", "/tasks?\(query)")
          #expect(
            answer.status == 400 && answer.problem == "malformed" && answer.detail.contains(part),
            "\(query): \(answer.detail)")
        }
      }
    }

    @Test("the paths of tasks take their methods alone, and HEAD wherever GET is taken")
    func methods() async throws {
      try await ServedTasks.serve { served async throws in
        try await served.start()
        let head = try await served.ask("HEAD", "/tasks")
        #expect(head.status == 200 && head.text.hasSuffix("\r\n\r\n"), "\(head.text)")
        #expect(try await served.ask("HEAD", "/tasks?state=ded").status == 400)
        #expect(try await served.ask("HEAD", "/tasks", token: ServedTasks.worker).status == 403)
        for (method, path, allowed) in [
          ("POST", "", "GET, HEAD"), ("PUT", "", "GET, HEAD"), ("OPTIONS", "", "GET, HEAD"),
          ("GET", "/retry", "POST"), ("OPTIONS", "/claim", "POST"), ("HEAD", "/claim", "POST"),
          ("GET", "/1/complete", "POST"), ("DELETE", "/1/drop", "POST"),
          ("PATCH", "/1/extend", "POST"), ("GET", "/1/fail", "POST"), ("GET", "/1/retry", "POST"),
          ("GET", "/1/release", "POST"),
        ] {
          let answer = try await served.ask(
            method, "/tasks\(path)", method == "POST" ? "{}" : nil)
          #expect(answer.status == 405, "\(method) \(path)")
          #expect(answer.text.contains("Allow: \(allowed)\r\n"), "\(method) \(path)")
        }
        #expect(try await served.cases.tasks.list(TaskQuery()).map(\.attempt) == [0])
      }
    }

    @Test("only the right to look after tasks lists, tries again and drops them")
    func rights() async throws {
      try await ServedTasks.serve { served async throws in
        let id = try await kill(served)
        for token in [ServedTasks.worker, ServedTasks.jobber, ServedTasks.reader] {
          for (method, path) in [
            ("GET", ""), ("POST", "/retry"), ("POST", "/\(id)/retry"), ("POST", "/\(id)/drop"),
          ] {
            let answer = try await served.ask(
              method, "/tasks\(path)", method == "POST" ? "{}" : nil, token: token)
            #expect(answer.status == 403 && answer.problem == "forbidden")
            #expect(answer.detail == "this token may not look after tasks", "\(path)")
          }
        }
        #expect(try await served.ask("GET", "/tasks", token: nil).status == 401)
        #expect(
          try await served.post("/tasks/\(id)/retry", token: ServedTasks.operatorToken).status
            == 200)
      }
    }

    @Test("secrets are masked in lists, and visible to workers")
    func secrets() async throws {
      try await ServedTasks.serve { served async throws in
        try await served.cases.create("a")
        try await served.cases["a"].dispatch("mail", ["text": "geheim"])
        let listed = try await served.ask("GET", "/tasks")
        #expect(listed.tasks.first?["args"] == ["text": "•••"])
        #expect(!listed.text.contains("geheim"))
        let claimed = try await served.post("/tasks/claim", "{\"queues\":[\"mails\"]}")
        #expect(claimed.tasks.first?["args"] == ["text": "geheim"])
        let id = claimed.tasks.first?["id"]?.stringValue ?? ""
        let token = claimed.tasks.first?["token"]?.stringValue ?? ""
        _ = try await served.post(
          "/tasks/\(id)/complete", "{\"token\":\"\(token)\",\"result\":\"geheim\"}")
        #expect(try await served.log() == ["mailed"])
        for capabilities in [ServedTasks.capabilities, [:]] {
          try await served.cases.tasks.use(
            Dictionary(uniqueKeysWithValues: capabilities.map { ("root.\($0.key)", $0.value) }))
          let answer = try await served.ask("GET", "/tasks?state=closed")
          #expect(answer.tasks.count == 1 && answer.tasks[0]["result"] == "•••")
          #expect(!answer.text.contains("geheim"))
        }
      }
    }

    @Test("an operator answers a dead task without a token, and no other task")
    func answersOfOperators() async throws {
      try await ServedTasks.serve { served async throws in
        let (dead, other) = (try await kill(served, "a"), try await kill(served, "c"))
        try await served.start("b")
        let leased = try await served.claim()
        let body = "{\"result\":{\"id\":\"r-1\"}}"
        let needed = try await served.post(
          "/tasks/\(leased.id)/complete", body, token: ServedTasks.operatorToken)
        #expect(needed.status == 409 && needed.problem == "not-dead")
        #expect(needed.detail == "task \(leased.id) is leased to one, not dead")
        let worker = try await served.post(
          "/tasks/\(dead)/complete", body, token: ServedTasks.worker)
        #expect(worker.status == 403 && worker.detail == "this token may not look after tasks")
        let wrong = try await served.post(
          "/tasks/\(dead)/complete", "{\"result\":7}", token: ServedTasks.operatorToken)
        #expect(wrong.status == 422)
        let answer = try await served.post(
          "/tasks/\(dead)/complete", body, token: ServedTasks.operatorToken)
        #expect(answer.status == 200 && answer.body == ["id": .string(dead), "state": "answered"])
        #expect(try await served.log("a") == ["r-1"])
        _ = try await served.post(
          "/tasks/\(other)/fail", "{\"error\":\"given up\",\"retryable\":false}",
          token: ServedTasks.operatorToken)
        #expect(try await served.log("c") == ["failed job: given up"])
      }
    }

    @Test("a dead task is tried again by its number, or with others by queue and case")
    func retries() async throws {
      try await ServedTasks.serve { served async throws in
        let first = try await kill(served, "a")
        let answer = try await served.post("/tasks/\(first)/retry", "{}")
        #expect(answer.status == 200 && answer.body == ["id": .string(first), "state": "ready"])
        let again = try await served.post("/tasks/\(first)/retry")
        #expect(again.status == 409 && again.problem == "not-dead")
        #expect(again.detail == "task \(first) is ready again, not dead")
        let task = try await served.claim()
        let listed = try await served.ask("GET", "/tasks").tasks.first
        #expect(task.id == first && listed?["lost"] == 0 && listed?["attempt"] == 3)
        _ = try await served.post(
          "/tasks/\(first)/complete", task.body("\"result\":{\"id\":\"r-1\"}"))
        for id in ["b", "c"] { _ = try await kill(served, id) }
        for (body, count) in [
          ("{\"queue\":\"mails\"}", 0), ("{\"case\":\"b\",\"queue\":\"jobs\"}", 1),
          ("{\"state\":\"dead\"}", 1), ("{}", 0),
        ] {
          let answer = try await served.post("/tasks/retry", body)
          #expect(answer.status == 200 && answer.body == ["count": .integer(count)], "\(body)")
        }
        for (body, part) in [
          ("{\"state\":\"ready\"}", "state is dead: other tasks need no retry"),
          ("{\"state\":\"ded\"}", "there is no state ded; did you mean dead?"),
          ("{\"state\":7}", "state must be a string"),
          ("{\"queue\":\"\"}", "queue must be a string of 1 to 64"),
          ("{\"case\":[]}", "case must be a string"),
          ("{\"limit\":5}", "the body has no field limit"),
          ("{\"queues\":\"jobs\"}", "no field queues; did you mean queue?"),
        ] {
          let answer = try await served.post("/tasks/retry", body)
          #expect(answer.status == 400 && answer.detail.contains(part), "\(body)")
        }
        #expect(try await served.post("/tasks/99/retry").problem == "unknown-task")
      }
    }

    @Test("a task that nobody provides is dead, and waits for the host file")
    func missing() async throws {
      try await ServedTasks.serve { served async throws in
        try await served.start()
        let id = try await served.ask("GET", "/tasks").tasks.first?["id"]?.stringValue ?? ""
        try await served.cases.tasks.use([:])
        let task = try #require(try await served.ask("GET", "/tasks?state=dead").tasks.first)
        #expect(task["error"] == "nobody provides root.job" && task["args"] == "•••")
        let retry = try await served.post("/tasks/\(id)/retry")
        #expect(retry.status == 409 && retry.problem == "not-dead")
        #expect(retry.detail == "nobody provides root.job: name it in the host file")
        let claim = try await served.post("/tasks/claim", "{\"queues\":[\"jobs\"]}")
        #expect(claim.problem == "unknown-queue")
        let job = try #require(ServedTasks.capabilities["job"])
        try await served.cases.tasks.use(["root.job": job])
        #expect(try await served.claim().id == id)
      }
    }

    @Test("an answer that nothing waited for is dropped, and an open task is not")
    func drops() async throws {
      try await ServedTasks.serve { served async throws in
        try await served.start()
        let task = try await served.claim()
        let open = try await served.post("/tasks/\(task.id)/drop")
        #expect(open.status == 409 && open.problem == "open-call")
        #expect(open.detail.hasPrefix("task \(task.id) is leased, and a call waits for it"))
        try await served.cases["a"].end()
        _ = try await served.post(
          "/tasks/\(task.id)/complete", task.body("\"result\":{\"id\":\"r-1\"}"))
        let retry = try await served.post("/tasks/\(task.id)/retry")
        #expect(retry.status == 410 && retry.problem == "task-closed")
        let wrong = try await served.post("/tasks/\(task.id)/drop", "{\"why\":1}")
        #expect(wrong.status == 400 && wrong.detail == "the body has no field why; it takes none")
        let dropped = try await served.post("/tasks/\(task.id)/drop")
        #expect(dropped.status == 200 && dropped.body == ["id": .string(task.id)])
        #expect(try await served.post("/tasks/\(task.id)/drop").problem == "unknown-task")
      }
    }

    @Test("each type of problem leads to a page, which needs no token")
    func pages() async throws {
      try await ServedTasks.serve { served async throws in
        for name in ProblemPages.texts.keys {
          let answer = try await served.ask("GET", "/problems/\(name)", token: nil)
          #expect(answer.status == 200 && answer.text.contains("\r\n\r\n\(name)\n\n"), "\(name)")
        }
        #expect(try await served.ask("GET", "/problems/nothing", token: nil).status == 404)
        let problem = try await served.post("/tasks/99/retry")
        #expect(problem.body["type"] == "/problems/unknown-task")
        #expect(problem.text.contains("application/problem+json"))
      }
    }

    @Test("tasks are counted by queue and state, and answers by capability and class")
    func metrics() async throws {
      try await ServedTasks.serve { served async throws in
        let dead = try await kill(served, "a")
        for id in ["b", "c"] { try await served.start(id) }
        try await served.cases["b"].dispatch("mail", ["text": "x"])
        let claimed = try await served.claim()
        let mail = try await served.claim("mails")
        _ = try await served.post("/tasks/\(mail.id)/complete", mail.body())
        _ = try await served.post(
          "/tasks/\(claimed.id)/fail", claimed.body("\"error\":\"no\",\"retryable\":false"))
        _ = try await served.log("b")
        served.wall.move(7)
        let text = try await served.ask("GET", "/metrics").text
        for line in [
          "moonlatch_tasks{queue=\"jobs\",state=\"dead\"} 1.0",
          "moonlatch_tasks{queue=\"jobs\",state=\"ready\"} 1.0",
          "moonlatch_tasks_answered_total{capability=\"root.job\",class=\"final\"} 1.0",
          "moonlatch_tasks_answered_total{capability=\"root.mail\",class=\"answer\"} 1.0",
          "moonlatch_polls_waiting 0.0",
          // The dead task was opened two leases earlier.
          "moonlatch_task_oldest_seconds{queue=\"jobs\"} 129.0",
        ] { #expect(text.contains("\n\(line)\n"), "\(line)\n\(text)") }
        #expect(!text.contains("queue=\"mails\"") && dead != "none")
      }
    }
  }
#endif
