#if Server
  import FlowCases
  import FlowHosting
  import FlowKernel
  import HTTPTesting
  import LuaRuntime
  import Testing

  @testable import MoonlatchInspector

  /// The requests of the page of dead tasks.
  @Suite struct InspectorRoutesTasksTests {
    private func ids(_ list: Value) -> [String] {
      (list["tasks"]?.listValue ?? []).compactMap { $0["id"]?.stringValue }
    }

    /// Waits until a case has the answer of its task.
    private func sent(_ cases: Cases, _ id: String) async throws -> String? {
      for _ in 0..<2_000 {
        let sent = try await cases[id].state()["sent"]?.stringValue
        if let sent, !sent.isEmpty { return sent }
        try await Task.sleep(for: .milliseconds(5))
      }
      return nil
    }

    @Test("whoever may look after tasks retries and answers dead ones, and drops unheard answers")
    func operation() async throws {
      try await InspectedTasks.inspect(["a", "b", "c", "d"]) { shop in
        let staff = InspectedTasks.staff
        let list = try await shop.ask("GET", "tasks", token: staff)
        let ids = self.ids(list.json)
        #expect(list.status == 200 && ids.count == 4 && list.json["mayOperate"] == true)
        #expect(list.json["tasks"]?[0]?["args"]?["r"]?[0] == ["pin", "s•••"])
        #expect(try await shop.ask("GET", "tasks?limit=1", token: staff).json["next"] != nil)

        let wrong = try await shop.ask(
          "POST", "tasks/\(ids[0])/complete", "{\"result\":{\"id\":1}}", token: staff)
        #expect(wrong.status == 422 && wrong.json["faults"] == ["result.id must be a string"])
        let right = try await shop.ask(
          "POST", "tasks/\(ids[0])/complete", "{\"result\":{\"id\":\"l-1\"}}", token: staff)
        #expect(right.status == 200 && right.json["state"] == "answered")
        #expect(try await sent(shop.cases, "a") == "l-1")

        let failed = try await shop.ask(
          "POST", "tasks/\(ids[1])/fail", "{\"error\":\"no ink\",\"retryable\":false}",
          token: staff)
        #expect(failed.status == 200)
        #expect(try await sent(shop.cases, "b")?.contains("letter: no ink") == true)

        let open = try await shop.ask("POST", "tasks/\(ids[2])/drop", "{}", token: staff)
        #expect(open.status == 409 && open.json["type"] == "/problems/open-call")
        let ready = try await shop.ask("POST", "tasks/\(ids[2])/retry", "{}", token: staff)
        #expect(ready.status == 200 && ready.json["state"] == "ready")
        let again = try await shop.ask("POST", "tasks/\(ids[2])/retry", "{}", token: staff)
        #expect(again.status == 409)
        let many = try await shop.ask("POST", "tasks/retry", "{\"queue\":\"post\"}", token: staff)
        #expect(many.status == 200 && many.json["count"] == 1)
        #expect(try await self.ids(shop.ask("GET", "tasks", token: staff).json) == [])

        let claimed = try await shop.cases.tasks.claim(
          from: ["post"], most: 1, by: "w", waiting: .zero)
        let row = try #require(claimed?.first)
        try await shop.cases[row.caseID].end()
        _ = try await shop.cases.tasks.answer(row.id, token: row.token, with: .answer(["id": "x"]))
        let unheard = try await shop.ask("GET", "tasks", token: staff).json["tasks"]?[0]
        #expect(unheard?["state"] == "unheard" && unheard?["result"] != nil)
        let dropped = try await shop.ask("POST", "tasks/\(row.id)/drop", "{}", token: staff)
        #expect(dropped.status == 200)
        #expect(try await self.ids(shop.ask("GET", "tasks", token: staff).json) == [])
      }
    }

    @Test("a retry or an answer of what is not dead is refused in words that fit its state")
    func states() async throws {
      try await InspectedTasks.inspect(["a", "b", "c"]) { shop in
        let staff = InspectedTasks.staff
        let ids = try await self.ids(shop.ask("GET", "tasks", token: staff).json)
        try #require(ids.count == 3)
        let result = "{\"result\":{\"id\":\"l-1\"}}"
        func post(_ path: String) async throws -> (status: Int?, json: Value) {
          let body =
            path.hasSuffix("complete")
            ? result : path.hasSuffix("fail") ? "{\"error\":\"no\"}" : "{}"
          return try await shop.ask("POST", "tasks/\(path)", body, token: staff)
        }
        func expect(_ paths: [String], of id: String, _ status: Int, _ sentence: String)
          async throws
        {
          for path in paths {
            let answer = try await post("\(id)/\(path)")
            #expect(answer.status == status, "\(path) \(answer)")
            #expect(answer.json["detail"] == .string(sentence), "\(path) \(answer)")
          }
        }
        // Retried by somebody else meanwhile, and claimed.
        let first = ids[0]
        #expect(try await post("\(first)/retry").status == 200)
        try await expect(
          ["complete", "fail", "retry"], of: first, 409, "task \(first) is ready again, not dead")
        let claimed = try await shop.cases.tasks.claim(
          from: ["post"], most: 1, by: "w", waiting: .zero)
        let row = try #require(claimed?.first)
        try await expect(
          ["complete", "fail", "retry"], of: first, 409, "task \(first) is leased to w, not dead")
        // Cancelled, and unheard once its worker has answered all the same.
        try await shop.cases["a"].end()
        try await expect(
          ["complete", "retry", "drop"], of: first, 410,
          "nothing waits for task \(first) any more, and no answer has come")
        _ = try await shop.cases.tasks.answer(row.id, token: row.token, with: .answer(["id": "x"]))
        try await expect(
          ["complete", "retry"], of: first, 410,
          "nothing waits for task \(first) any more: drop its answer once it was seen to")
        #expect(try await post("\(first)/drop").status == 200)
        try await expect(
          ["drop"], of: first, 404,
          "there is no task \(first), or it was closed more than an hour ago")
        // Answered already.
        #expect(try await post("\(ids[1])/complete").status == 200)
        #expect(try await sent(shop.cases, "b") == "l-1")
        try await expect(
          ["complete", "retry", "drop"], of: ids[1], 410,
          "task \(ids[1]) is answered, and its call has the answer")
      }
    }

    @Test("a task that nobody provides is answered, and neither retried nor dropped")
    func missing() async throws {
      try await InspectedTasks.inspect(["a"]) { shop in
        let staff = InspectedTasks.staff
        // A task that is not dead for another reason is dead because nobody provides it.
        #expect(try await shop.ask("POST", "tasks/retry", "{}", token: staff).json["count"] == 1)
        try await shop.cases.tasks.use([:])
        let list = try await shop.ask("GET", "tasks", token: staff).json
        let id = try #require(ids(list).first)
        let task = list["tasks"]?[0]
        #expect(task?["missing"] == true && task?["error"] == "nobody provides root.letter")
        let retry = try await shop.ask("POST", "tasks/\(id)/retry", "{}", token: staff)
        #expect(retry.status == 409)
        #expect(retry.json["detail"] == "nobody provides root.letter: name it in the host file")
        let many = try await shop.ask("POST", "tasks/retry", "{}", token: staff)
        #expect(many.status == 200 && many.json["count"] == 0)
        let drop = try await shop.ask("POST", "tasks/\(id)/drop", "{}", token: staff)
        #expect(drop.status == 409)
        #expect(
          drop.json["detail"]
            == .string("task \(id) is dead, and a call waits for it: answer it, or end the case"))
        let answer = try await shop.ask(
          "POST", "tasks/\(id)/complete", "{\"result\":{\"id\":\"l-1\"}}", token: staff)
        #expect(answer.status == 200)
        #expect(try await sent(shop.cases, "a") == "l-1")
      }
    }

    @Test("whoever may only read is shown dead tasks without their values, and changes nothing")
    func rights() async throws {
      try await InspectedTasks.inspect(["a"]) { shop in
        let list = try await shop.ask("GET", "tasks", token: InspectedTasks.reader)
        let id = try #require(ids(list.json).first)
        #expect(list.status == 200 && list.json["mayOperate"] == false)
        #expect(list.json["tasks"]?[0]?["args"] == nil && list.json["tasks"]?[0]?["error"] != nil)
        // A worker may not look at the cases, and answers at the paths of workers.
        #expect(try await shop.ask("GET", "tasks", token: InspectedTasks.worker).status == 403)
        for token in [InspectedTasks.reader, InspectedTasks.worker] {
          for (path, body) in [
            ("\(id)/retry", "{}"), ("\(id)/drop", "{}"), ("retry", "{}"), ("\(id)/complete", "{}"),
            ("\(id)/fail", "{\"error\":\"x\"}"),
          ] {
            let answer = try await shop.ask("POST", "tasks/\(path)", body, token: token)
            #expect(answer.status == 403, "\(path)")
          }
        }
        #expect(try await shop.status("GET", "/inspect/api/tasks", token: nil) == 401)
        #expect(try await shop.ask("GET", "tasks?queue=x").json["tasks"] == [])
        #expect(try await shop.ask("GET", "tasks?state=ready").status == 400)
        let moment = try await shop.ask("GET", "cases/a/moment", token: InspectedTasks.reader)
        let wait = moment.json["pending"]?[0]?["waits_for"]?[0]
        #expect(wait?["task"]?["id"] == .string(id) && wait?["task"]?["state"] == "dead")
      }
    }

    @Test("a read-only inspector shows dead tasks, and changes none")
    func readOnly() async throws {
      try await InspectedTasks.inspect(["a"], isReadOnly: true) { shop in
        let list = try await shop.ask("GET", "tasks")
        let id = try #require(ids(list.json).first)
        #expect(list.json["mayOperate"] == false && list.json["tasks"]?[0]?["args"] != nil)
        for path in ["\(id)/retry", "\(id)/drop", "retry", "\(id)/complete", "\(id)/fail"] {
          #expect(try await shop.ask("POST", "tasks/\(path)", "{}").status == 403, "\(path)")
        }
        #expect(try await shop.ask("GET", "counts").json["dead"] == 1)
      }
    }
  }
#endif
