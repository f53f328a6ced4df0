#if Server
  import FlowCases
  import FlowHosting
  import FlowKernel

  /// The metrics of tasks.
  enum TaskMeters {
    /// Returns the gauges that are read for each response; they are missing while the journal does not answer.
    static func gauges(of cases: Cases) async -> [(name: String, value: Double)] {
      let waiting = ("moonlatch_polls_waiting", Double(cases.tasks.waitingClaims))
      guard cases.journal is any TaskReading, let counts = try? await cases.tasks.counts() else {
        return [waiting]
      }
      let sorted = counts.sorted { ($0.queue, $0.state.rawValue) < ($1.queue, $1.state.rawValue) }
      let numbers = sorted.map { count in
        (
          ServerMeters.name(
            "moonlatch_tasks", [("queue", count.queue), ("state", count.state.name)]),
          Double(count.count)
        )
      }
      let now = cases.wall
      let open = sorted.filter { $0.state.rawValue < StoredTask.State.cancelled.rawValue }
      let oldest = Dictionary(grouping: open, by: \.queue).sorted { $0.key < $1.key }.map {
        queue, counts in
        let opened = counts.map(\.oldest).min() ?? now
        return (
          ServerMeters.name("moonlatch_task_oldest_seconds", [("queue", queue)]),
          EngineTime.seconds(max(0, now - opened))
        )
      }
      return [waiting] + numbers + oldest + lags(of: cases, open)
    }

    /// Returns the age of the oldest commit that each notification has still to send; 0 if there is none.
    private static func lags(of cases: Cases, _ open: [TaskCount]) -> [(String, Double)] {
      let now = cases.wall
      let notifications = cases.tasks.capabilities.filter { $0.value.kind == .notification }
      return notifications.sorted { $0.key < $1.key }.map { title, notification in
        let unsent = open.filter { $0.queue == notification.queue }
        let oldest = unsent.map(\.oldest).min() ?? now
        let name = String(title.dropFirst(OpenTask.notificationScope.count + 1))
        return (
          ServerMeters.name("moonlatch_notify_lag_seconds", [("notification", name)]),
          EngineTime.seconds(max(0, now - oldest))
        )
      }
    }

    /// Returns the number of answers to this node.
    static func counters(of cases: Cases) -> [(name: String, value: Double)] {
      cases.tasks.answerCounts.sorted { $0.key < $1.key }.flatMap { capability, classes in
        classes.sorted { $0.key < $1.key }.map { name, count in
          (
            ServerMeters.name(
              "moonlatch_tasks_answered_total", [("capability", capability), ("class", name)]),
            Double(count)
          )
        }
      }
    }
  }
#endif
