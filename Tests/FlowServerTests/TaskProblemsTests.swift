#if Server
  import FlowCases
  import FlowHosting
  import FlowKernel
  import Foundation
  import HTTPTesting
  import LuaRuntime
  import Testing

  @testable import FlowServer

  /// The table of problems on the page about serving.
  @Suite(.timeLimit(.minutes(5))) struct TaskProblemsTests {
    private func expect(
      _ answer: ServedTasks.Answer, _ status: Int, _ problem: String, _ detail: String
    ) {
      #expect(answer.status == status && answer.problem == problem, "\(answer.text)")
      #expect(answer.detail == detail)
      #expect(answer.body["status"] == .integer(status))
      #expect(answer.text.contains("application/problem+json"))
    }

    @Test("each row of the table of problems has a request that leads to it, and a sentence")
    func rows() async throws {
      try await ServedTasks.serve { served async throws in
        for id in ["a", "b", "c"] { try await served.start(id) }
        let claim = "{\"queues\":[\"jobs\"]}"
        expect(
          try await served.post("/tasks/claim", "{\"queue\":[\"jobs\"]}"), 400, "malformed",
          "the body has no field queue; did you mean queues?; it takes queues, max, wait and worker"
        )
        expect(
          try await served.post("/tasks/claim", claim, token: nil), 401, "unauthorized",
          "a token of this server is needed: Authorization: Bearer TOKEN")
        expect(
          try await served.post("/tasks/claim", claim, token: ServedTasks.reader), 403, "forbidden",
          "this token may not work on queue jobs")
        expect(
          try await served.post("/tasks/claim", "{\"queues\":[\"jos\"]}"), 404, "unknown-queue",
          "no capability has the queue jos; did you mean jobs?")
        expect(
          try await served.post("/tasks/99/extend", "{\"token\":\"x\"}"), 404, "unknown-task",
          "there is no task 99, or it was closed more than an hour ago")
        expect(
          try await served.ask(
            "POST", "/tasks/claim", "queues", headers: ["Content-Type: text/plain"]), 415,
          "media-type", "a body must be application/json, not text/plain")

        let first = try await served.claim(by: "one")
        let path = "/tasks/\(first.id)"
        let large = String(repeating: "x", count: 1 << 20)
        expect(
          try await served.post("\(path)/complete", first.body("\"result\":\"\(large)\"")), 413,
          "too-large", "a result has 1 MiB at most")
        expect(
          try await served.post("\(path)/complete", first.body("\"result\":7")), 422,
          "result-mismatch", "result.id must be a string; the task stays leased")
        expect(
          try await served.post("\(path)/retry"), 409, "not-dead",
          "task \(first.id) is leased to one, not dead")
        expect(
          try await served.post("\(path)/drop"), 409, "open-call",
          "task \(first.id) is leased, and a call waits for it: answer it, or end the case")
        served.wall.move(61)
        // The tasks that were free before are claimed first.
        let others = [try await served.claim(by: "two"), try await served.claim(by: "two")]
        let second = try await served.claim(by: "two")
        #expect(second.id == first.id)
        expect(
          try await served.post("\(path)/extend", first.body()), 409, "lease-lost",
          "task \(first.id) was given to two (attempt 2) after the lease of this token had ended")
        _ = try await served.post("\(path)/complete", second.body("\"result\":{\"id\":\"r-1\"}"))
        expect(
          try await served.post("\(path)/complete", second.body("\"result\":{\"id\":\"r-2\"}")),
          409,
          "already-answered",
          "task \(first.id) has another answer already; the same answer again is accepted")
        try await served.cases["b"].end()
        let cancelled = others[0]
        expect(
          try await served.post("/tasks/\(cancelled.id)/extend", cancelled.body()), 410,
          "task-closed", "nothing waits for task \(cancelled.id) any more: stop the work")
        expect(
          try await served.post(
            "/tasks/\(cancelled.id)/complete", cancelled.body("\"result\":{\"id\":\"r-3\"}")), 410,
          "task-closed",
          "nothing waits for task \(cancelled.id) any more: stop the work; the answer is kept as unheard"
        )
      }
    }

    @Test("the page about serving names every type of problem, and no other")
    func documented() throws {
      let page = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../Sources/Programs/Moonlatch/Moonlatch.docc/Serving.md")
      let text = try String(contentsOf: page, encoding: .utf8)
      let named = Set(text.matches(of: /\/problems\/([a-z-]+)/).map { String($0.output.1) })
      #expect(named == Set(ProblemPages.texts.keys))
    }
  }
#endif
