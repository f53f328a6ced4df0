#if Server
  import FlowCases
  import FlowHosting
  import FlowKernel
  import HTTPTesting
  import LuaRuntime
  import Testing

  @testable import FlowServer

  /// Workers that break off, answer twice or too late: no task is lost, and none answered twice.
  @Suite(.timeLimit(.minutes(5))) struct TaskFaultsTests {
    @Test(
      "tasks whose claim was not read are given to another worker after their lease at the latest")
    func unreadClaims() async throws {
      try await ServedTasks.serve { served async throws in
        let ids = (1...9).map { "c\($0)" }
        let text = String(repeating: "x", count: 250_000)
        for id in ids {
          try await served.cases.create(id).dispatch("mail", ["text": .string(text)])
        }
        let bytes = served.bytes(
          "POST", "/tasks/claim", "{\"queues\":[\"mails\"],\"max\":100}", token: served.token)
        var connection: RawConnection? = try RawConnection(port: served.port, window: 4_096)
        await connection?.send(bytes)
        // The response has begun, and its reader goes.
        _ = await connection?.receive(until: "HTTP/1.1 200")
        connection = nil
        served.wall.move(61)
        var found: Set<String> = []
        for _ in 1...ids.count {
          let task = try await served.claim("mails", by: "two")
          let answer = try await served.post("/tasks/\(task.id)/complete", task.body())
          #expect(answer.status == 200, "\(answer.text)")
          found.insert(task.id)
        }
        #expect(found.count == ids.count && !found.contains("none"))
        for id in ids { #expect(try await served.log(id) == ["mailed"]) }
      }
    }

    @Test("of many answers at the same time one counts, and all others are told so")
    func concurrentAnswers() async throws {
      try await ServedTasks.serve { served async throws in
        try await served.start()
        let task = try await served.claim()
        let statuses = try await withThrowingTaskGroup(of: Int?.self) { group in
          for number in 1...8 {
            group.addTask {
              try await served.post(
                "/tasks/\(task.id)/complete", task.body("\"result\":{\"id\":\"r-\(number)\"}")
              ).status
            }
          }
          return try await group.reduce(into: [Int?]()) { $0.append($1) }
        }
        #expect(statuses.count { $0 == 200 } == 1 && statuses.count { $0 == 409 } == 7)
        #expect(try await served.log().count == 1)
      }
    }

    @Test("of a worker and an operator who answer the same dead task the first one counts")
    func operatorAndWorker() async throws {
      try await ServedTasks.serve { served async throws in
        try await served.start()
        _ = try await served.claim(by: "one")
        served.wall.move(61)
        let last = try await served.claim(by: "two")
        served.wall.move(61)
        #expect(try await served.claim().id == "none")
        let path = "/tasks/\(last.id)/complete"
        let first = try await served.post(
          path, "{\"result\":{\"id\":\"by hand\"}}", token: ServedTasks.operatorToken)
        #expect(first.status == 200)
        let late = try await served.post(path, last.body("\"result\":{\"id\":\"r-1\"}"))
        #expect(late.status == 409 && late.problem == "already-answered")
        let second = try await served.post(
          path, "{\"result\":{\"id\":\"again\"}}", token: ServedTasks.operatorToken)
        #expect(second.status == 409 || second.status == 410)
        #expect(try await served.log() == ["by hand"])
      }
    }

    @Test("a request whose body is cut off answers nothing, and the task stays leased")
    func cutOffAnswers() async throws {
      try await ServedTasks.serve { served async throws in
        try await served.start()
        let task = try await served.claim()
        let bytes = served.bytes(
          "POST", "/tasks/\(task.id)/complete", task.body("\"result\":{\"id\":\"r-1\"}"),
          token: served.token)
        for cut in [1, 10] {
          _ = try await served.exchange(Array(bytes.dropLast(cut)), halfClosing: true)
          #expect(try await served.cases.tasks.list(TaskQuery()).map(\.state) == [.leased])
        }
        // Sent whole, it counts even if nobody reads the response, and may be sent again.
        var connection: RawConnection? = try RawConnection(port: served.port)
        await connection?.send(bytes)
        connection = nil
        let again = ServedTasks.answer(try await served.exchange(bytes))
        #expect(again.status == 200)
        #expect(try await served.log() == ["r-1"])
      }
    }
  }
#endif
