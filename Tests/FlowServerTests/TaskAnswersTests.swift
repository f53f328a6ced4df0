#if Server
  import FlowCases
  import FlowHosting
  import FlowKernel
  import LuaRuntime
  import Testing

  @testable import FlowServer

  /// The answers of workers over HTTP, and their leases.
  @Suite(.timeLimit(.minutes(5))) struct TaskAnswersTests {
    @Test(
      "a result is accepted once; the same one again is accepted, and a different one is refused")
    func complete() async throws {
      try await ServedTasks.serve { served async throws in
        try await served.start()
        let task = try await served.claim()
        let path = "/tasks/\(task.id)/complete"
        let answered: Value = ["id": .string(task.id), "state": "answered"]
        for _ in 0..<2 {
          let answer = try await served.post(
            path, task.body("\"result\":{\"id\":\"r-1\"}"), token: ServedTasks.worker)
          #expect(answer.status == 200 && answer.body == answered)
          #expect(try await served.log() == ["r-1"])
        }
        let other = try await served.post(path, task.body("\"result\":{\"id\":\"r-2\"}"))
        #expect(other.status == 409 && other.problem == "already-answered")
        let failed = try await served.post("/tasks/\(task.id)/fail", task.body("\"error\":\"no\""))
        #expect(failed.status == 409 && failed.problem == "already-answered")
        #expect(try await served.log() == ["r-1"])
      }
    }

    @Test(
      "a result that does not fit is rejected with all of its errors, and the task stays leased")
    func misfit() async throws {
      try await ServedTasks.serve { served async throws in
        try await served.start()
        let task = try await served.claim()
        let path = "/tasks/\(task.id)/complete"
        for result in ["", "\"result\":null", "\"result\":7", "\"result\":{\"id\":7}"] {
          let answer = try await served.post(path, task.body(result))
          #expect(answer.status == 422 && answer.problem == "result-mismatch", "\(result)")
          #expect(answer.detail == "result.id must be a string; the task stays leased")
          #expect(answer.body["faults"] == ["result.id must be a string"])
        }
        let null = try await served.post(
          path, task.body("\"result\":{\"id\":\"a\",\"l\":[1,null]}"))
        #expect(null.status == 422 && null.detail.hasPrefix("result.l[2] is null"))
        let long = "[" + Array(repeating: "{}", count: 400_000).joined(separator: ",") + "]"
        let tooLarge = try await served.post(path, task.body("\"result\":\(long)"))
        #expect(tooLarge.status == 413 && tooLarge.problem == "too-large", "\(tooLarge.detail)")
        #expect(tooLarge.detail == "a result has 1 MiB at most")
        #expect(try await served.cases.tasks.list(TaskQuery()).map(\.state) == [.leased])
        #expect(
          try await served.post(path, task.body("\"result\":{\"id\":\"r-1\"}")).status == 200)
      }
    }

    @Test("a request for a task needs its number, its latest token and known fields")
    func wrongRequests() async throws {
      try await ServedTasks.serve { served async throws in
        try await served.start()
        let task = try await served.claim()
        for (path, fields) in [
          ("complete", "\"result\":{\"id\":\"r-1\"}"), ("fail", "\"error\":\"no\""), ("extend", ""),
          ("release", ""),
        ] {
          for number in ["99", "0", "-1", "x", "9223372036854775808"] {
            let answer = try await served.post("/tasks/\(number)/\(path)", task.body(fields))
            #expect(answer.status == 404 && answer.problem == "unknown-task", "\(answer.text)")
          }
          let long = String(repeating: "x", count: 65)
          for body in [
            "{}", "{\"token\":\"\"}", "{\"token\":7}", "{\"token\":\"\(long)\"}",
            task.body("\"nothing\":1"),
          ] {
            let answer = try await served.post(
              "/tasks/\(task.id)/\(path)", body, token: ServedTasks.worker)
            #expect(answer.status == 400 && answer.problem == "malformed", "\(path) \(body)")
          }
          let other = ServedTasks.Claimed(id: task.id, token: "x")
          let lost = try await served.post("/tasks/\(task.id)/\(path)", other.body(fields))
          #expect(lost.status == 409 && lost.problem == "lease-lost", "\(lost.text)")
        }
        #expect(try await served.cases.tasks.list(TaskQuery()).map(\.state) == [.leased])
      }
    }

    @Test("a failure is tried again by the flow, unless the worker says that it is final")
    func fail() async throws {
      try await ServedTasks.serve { served async throws in
        try await served.start()
        let first = try await served.claim()
        let answer = try await served.post(
          "/tasks/\(first.id)/fail", first.body("\"error\":\"mailbox full\""),
          token: ServedTasks.jobber)
        #expect(answer.body == ["id": .string(first.id), "state": "answered"])
        #expect(try await served.log() == [])
        let second = try await served.claim()
        let task = try await served.ask("GET", "/tasks").tasks.first
        #expect(task?["try"] == 2 && task?["id"] == .string(second.id) && second.id != first.id)
        _ = try await served.post(
          "/tasks/\(second.id)/fail", second.body("\"error\":\"gone\",\"retryable\":false"))
        #expect(try await served.log() == ["failed job: gone"])
        try await served.start("b")
        let third = try await served.claim()
        _ = try await served.post(
          "/tasks/\(third.id)/fail", third.body("\"error\":\"busy\",\"after\":\"1m\""))
        #expect(try await served.log("b") == [])
        // The next try is made after that time.
        #expect(try await served.ask("GET", "/tasks").tasks.isEmpty)
        try await served.cases["b"].advance(.seconds(60))
        #expect(try await served.ask("GET", "/tasks").tasks.first?["try"] == 2)
      }
    }

    @Test("a failure has a message, a class and optionally a delay, each of which is checked")
    func wrongFailures() async throws {
      try await ServedTasks.serve { served async throws in
        try await served.start()
        let task = try await served.claim()
        let long = String(repeating: "x", count: 4_097)
        for (fields, part) in [
          ("", "error is missing"), ("\"error\":\"\"", "error must be a string of 1 to 4096 bytes"),
          ("\"error\":7", "error must be a string"),
          ("\"error\":\"\(long)\"", "error must be a string"),
          ("\"error\":\"no\",\"retryable\":1", "retryable must be true or false"),
          ("\"error\":\"no\",\"after\":\"2h\"", "after must be a duration from 0 to 1h"),
        ] {
          let answer = try await served.post("/tasks/\(task.id)/fail", task.body(fields))
          #expect(answer.status == 400 && answer.detail.contains(part), "\(fields.prefix(40))")
        }
        #expect(try await served.cases.tasks.list(TaskQuery()).map(\.state) == [.leased])
      }
    }

    @Test("a lease is prolonged by the usual time or by another, within limits")
    func extend() async throws {
      try await ServedTasks.serve { served async throws in
        try await served.start()
        let task = try await served.claim()
        served.wall.move(30)
        for (fields, seconds) in [("", 60), ("\"lease\":\"5m\"", 300), ("\"lease\":1", 1)] {
          let answer = try await served.post("/tasks/\(task.id)/extend", task.body(fields))
          let until = WallTime.exact(served.wall.now + seconds * 1_000_000)
          #expect(answer.body == ["id": .string(task.id), "until": .string(until)], "\(fields)")
        }
        for lease in ["0.5", "\"25h\"", "true", "\"soon\""] {
          let answer = try await served.post(
            "/tasks/\(task.id)/extend", task.body("\"lease\":\(lease)"))
          #expect(
            answer.status == 400 && answer.detail.contains("lease must be a duration"), "\(lease)")
        }
      }
    }

    @Test("a released task can be claimed after its delay, and its worker gets 409 from then on")
    func release() async throws {
      try await ServedTasks.serve { served async throws in
        try await served.start()
        let task = try await served.claim()
        let answer = try await served.post(
          "/tasks/\(task.id)/release", task.body("\"after\":\"10s\""))
        #expect(answer.status == 200 && answer.body == ["id": .string(task.id), "state": "ready"])
        let late = try await served.post("/tasks/\(task.id)/extend", task.body())
        #expect(late.status == 409 && late.problem == "lease-lost")
        #expect(late.detail == "task \(task.id) was given back, and waits for a worker")
        #expect(try await served.claim().id == "none")
        served.wall.move(10)
        let second = try await served.claim(by: "two")
        #expect(second.id == task.id && second.token != task.token)
        for after in ["-1", "\"25h\""] {
          let wrong = try await served.post(
            "/tasks/\(second.id)/release", second.body("\"after\":\(after)"))
          #expect(wrong.status == 400, "\(after)")
        }
        let row = try #require(try await served.cases.tasks.list(TaskQuery()).first)
        #expect(row.attempt == 2 && row.lost == 0)
      }
    }

    @Test("a worker whose lease has ended may answer until another one is given the task")
    func lostLease() async throws {
      try await ServedTasks.serve { served async throws in
        try await served.start("a")
        let late = try await served.claim(by: "one")
        served.wall.move(61)
        let answer = try await served.post(
          "/tasks/\(late.id)/complete", late.body("\"result\":{\"id\":\"r-1\"}"))
        #expect(answer.status == 200)
        try await served.start("b")
        let first = try await served.claim(by: "one")
        served.wall.move(61)
        let second = try await served.claim(by: "two")
        #expect(second.id == first.id)
        for (path, fields) in [
          ("complete", "\"result\":{\"id\":\"r-2\"}"), ("fail", "\"error\":\"no\""), ("extend", ""),
          ("release", ""),
        ] {
          let lost = try await served.post("/tasks/\(first.id)/\(path)", first.body(fields))
          #expect(lost.status == 409 && lost.problem == "lease-lost", "\(path)")
          #expect(
            lost.detail == "task \(first.id) was given to two (attempt 2) after the lease of this "
              + "token had ended")
        }
        // The second lost lease is one too many.
        served.wall.move(61)
        #expect(try await served.claim().id == "none")
        let dead = try await served.post("/tasks/\(second.id)/extend", second.body())
        #expect(dead.detail == "task \(second.id) is dead, and waits for an operator")
      }
    }

    @Test("nothing waits for the task of a case that has ended, whose answer is kept as unheard")
    func closed() async throws {
      try await ServedTasks.serve { served async throws in
        try await served.start()
        let task = try await served.claim()
        try await served.cases["a"].end()
        for path in ["extend", "release"] {
          let answer = try await served.post("/tasks/\(task.id)/\(path)", task.body())
          #expect(answer.status == 410 && answer.problem == "task-closed")
          #expect(
            answer.detail == "nothing waits for task \(task.id) any more: stop the work", "\(path)")
        }
        let wrong = try await served.post(
          "/tasks/\(task.id)/complete", "{\"token\":\"x\",\"result\":{\"id\":\"r-1\"}}")
        #expect(wrong.status == 409 && wrong.problem == "lease-lost")
        #expect(try await served.ask("GET", "/tasks").tasks.isEmpty)
        for id in ["r-1", "r-2"] {
          let answer = try await served.post(
            "/tasks/\(task.id)/complete", task.body("\"result\":{\"id\":\"\(id)\"}"))
          #expect(answer.status == 410 && answer.detail.hasSuffix("the answer is kept as unheard"))
        }
        let listed = try await served.ask("GET", "/tasks?state=dead").tasks
        #expect(listed.count == 1 && listed[0]["state"] == "unheard")
        #expect(listed[0]["result"] == ["id": "r-1"])
      }
    }
  }
#endif
