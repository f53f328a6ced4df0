#if Server
  import FlowCases
  import FlowHosting
  import FlowKernel
  import LuaRuntime
  import Testing

  /// Notifications among the tasks of a server.
  @Suite(.timeLimit(.minutes(5))) struct TaskRoutesNotificationsTests {
    /// A notification of commits of `mail`, whose receiver is gone.
    private static var erp: TaskCapability {
      .notification(
        "erp", NotificationRules(actions: ["mail"]),
        by: LocalPerformer(atOnce: 16, timeout: 1_000_000) { _ in .dead("410 gone") })
    }

    /// Returns the dead task of a notification, once there is one.
    private func dead(_ served: ServedTasks) async throws -> Value {
      while true {
        let listed = try await served.ask("GET", "/tasks?state=dead&queue=%23notify.erp")
        if let task = listed.tasks.first { return task }
        await Task.yield()
      }
    }

    @Test("a dead notification is listed with its error and its age; it is dropped, not answered")
    func operation() async throws {
      try await ServedTasks.serve(notifications: ["erp": Self.erp]) { served async throws in
        try await served.cases.create("a")
        let idle = try await served.ask("GET", "/metrics").text
        #expect(idle.contains("\nmoonlatch_notify_lag_seconds{notification=\"erp\"} 0.0\n"))
        try await served.cases["a"].dispatch("mail", ["text": "x"])
        let task = try await dead(served)
        #expect(task["capability"] == "#notify.erp" && task["error"] == "410 gone")
        let id = try #require(task["id"]?.stringValue)
        served.wall.move(7)
        let metrics = try await served.ask("GET", "/metrics").text
        #expect(metrics.contains("\nmoonlatch_notify_lag_seconds{notification=\"erp\"} 7.0\n"))
        let answered = try await served.post("/tasks/\(id)/complete", "{\"result\":1}")
        #expect(answered.status == 409 && answered.problem == "not-dead")
        #expect(answered.detail.contains("is a notification, which takes no answer"))
        #expect(try await served.post("/tasks/\(id)/drop").status == 200)
        while try await served.ask("GET", "/tasks?queue=%23notify.erp").tasks.isEmpty == false {
          await Task.yield()
        }
        let again = try await served.post("/tasks/\(id)/drop")
        #expect(again.status == 404 && again.problem == "unknown-task")
      }
    }
  }
#endif
