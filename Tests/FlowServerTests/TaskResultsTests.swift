#if Server
  import FlowCases
  import FlowHosting
  import FlowKernel
  import HTTPTesting
  import LuaRuntime
  import Testing

  @testable import FlowServer

  /// The results of tasks: their types, defaults and sizes, and what a task says first.
  @Suite(.timeLimit(.minutes(5))) struct TaskResultsTests {
    private static let fit = "\"result\":{\"id\":\"r-1\"}"
    private static let (unfit, holed) = ("\"result\":7", "\"result\":[null]")

    @Test("a task that takes no answer any more says so, whatever the result is")
    func order() async throws {
      try await ServedTasks.serve { served async throws in
        for id in ["a", "b", "c"] { try await served.start(id) }
        let (lost, answered, cancelled) = (
          try await served.claim(), try await served.claim(), try await served.claim()
        )
        _ = try await served.post("/tasks/\(lost.id)/release", lost.body())
        _ = try await served.post("/tasks/\(answered.id)/complete", answered.body(Self.fit))
        try await served.cases["c"].end()
        let large = "\"result\":\"\(String(repeating: "x", count: 1 << 20))\""
        for result in [Self.holed, large, Self.unfit] {
          for (number, task, status, problem) in [
            ("99", lost, 404, "unknown-task"), (lost.id, lost, 409, "lease-lost"),
            (answered.id, answered, 409, "already-answered"),
            (cancelled.id, cancelled, 410, "task-closed"),
          ] {
            let answer = try await served.post("/tasks/\(number)/complete", task.body(result))
            #expect(
              answer.status == status && answer.problem == problem,
              "\(result.prefix(20)) \(answer.detail)")
          }
        }
        #expect(try await served.log("b") == ["r-1"])
        // The last one could be stored, and is kept although it is not of its type.
        let unheard = try await served.ask("GET", "/tasks?state=dead").tasks
        #expect(unheard.compactMap { $0["id"]?.stringValue } == [cancelled.id])
        #expect(unheard.first?["result"] == 7 && unheard.first?["state"] == "unheard")
        // One that is leased stays so.
        let again = try await served.claim()
        #expect(again.id == lost.id)
        for (result, status) in [(Self.holed, 422), (large, 413), (Self.unfit, 422)] {
          let answer = try await served.post("/tasks/\(again.id)/complete", again.body(result))
          #expect(answer.status == status, "\(answer.detail)")
        }
        #expect(
          try await served.post("/tasks/\(again.id)/complete", again.body(Self.fit)).status == 200)
        #expect(try await served.log("a") == ["r-1"])
      }
    }

    @Test(
      "a result that is stored has the defaults of its type, and the same one again is accepted")
    func defaults() async throws {
      try await ServedTasks.serve { served async throws in
        try await served.start()
        let job = TaskCapability(
          kind: .worker, queue: "jobs", arguments: { ["n": $0.first ?? .nil] },
          filled: { $0["id"] == nil ? ["id": "r-0"] : $0 })
        try await served.cases.tasks.use(["root.job": job])
        let task = try await served.claim()
        for result in ["{}", "{\"id\":\"r-0\"}"] {
          let answer = try await served.post(
            "/tasks/\(task.id)/complete", task.body("\"result\":\(result)"))
          #expect(answer.status == 200, "\(answer.detail)")
        }
        #expect(try await served.log() == ["r-0"])
        let rows = try await served.cases.tasks.list(TaskQuery(state: .closed))
        #expect(rows.map(\.outcome) == [.answer(["id": "r-0"])])
      }
    }

    @Test("a result that is missing or null is nil, if the type allows that")
    func none() async throws {
      try await ServedTasks.serve { served async throws in
        for (id, fields) in [("a", ""), ("b", "\"result\":null")] {
          try await served.cases.create(id).dispatch("mail", ["text": "x"])
          let task = try await served.claim("mails")
          for same in [fields, "", "\"result\":null"] {
            let answer = try await served.post("/tasks/\(task.id)/complete", task.body(same))
            #expect(answer.status == 200, "\(answer.detail)")
          }
          let other = try await served.post(
            "/tasks/\(task.id)/complete", task.body("\"result\":false"))
          #expect(other.status == 409 && other.problem == "already-answered")
          #expect(try await served.log(id) == ["mailed"])
        }
        let rows = try await served.cases.tasks.list(TaskQuery(state: .closed))
        #expect(rows.map(\.outcome) == [.answer(.nil), .answer(.nil)])
        try await served.start("c")
        let task = try await served.claim()
        for fields in ["", "\"result\":null"] {
          let answer = try await served.post("/tasks/\(task.id)/complete", task.body(fields))
          #expect(answer.status == 422 && answer.problem == "result-mismatch")
        }
      }
    }

    @Test("a result has 1 MiB at most as JSON, in a body that may be larger")
    func sizes() async throws {
      try await ServedTasks.serve { served async throws in
        let most = 1 << 20
        let around = JSONText.text(["id": ""]).utf8.count
        for (id, count, blanks, status) in [
          ("a", most - around, 0, 200), ("b", most - around + 1, 0, 413),
          ("c", most - around, most, 200), ("d", 2 * most, 0, 413),
        ] {
          try await served.start(id)
          let task = try await served.claim()
          let text = String(repeating: "x", count: count)
          let result = "{\"id\":\"\(text)\"}" + String(repeating: " ", count: blanks)
          let answer = try await served.post(
            "/tasks/\(task.id)/complete", task.body("\"result\":\(result)"))
          #expect(answer.status == status, "\(id): \(answer.detail)")
          if status == 413 {
            #expect(answer.problem == "too-large")
            #expect(answer.detail == "a result has 1 MiB at most")
          }
        }
      }
    }
  }
#endif
