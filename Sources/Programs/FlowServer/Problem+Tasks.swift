#if Server
  import FlowHosting
  import FlowKernel
  import FlowLanguage
  import HTTPTypes

  /// The problems of requests about tasks.
  extension Problem {
    /// No task has the number.
    static func unknownTask(_ number: String) -> Problem {
      Problem(
        .notFound, "there is no task \(number), or it was closed more than an hour ago",
        slug: "unknown-task")
    }

    /// No capability has the queue.
    static func unknownQueue(_ name: String, among known: [String]) -> Problem {
      Problem(
        .notFound,
        "no capability has the queue \(name)\(Names.suggestion(for: name, among: known))",
        slug: "unknown-queue")
    }

    /// So many claims wait that no other one may.
    static func tooManyPolls(_ most: Int) -> Problem {
      let claims = "\(most) \(most == 1 ? "claim waits" : "claims wait")"
      var problem = Problem(
        .tooManyRequests, "\(claims) at this node (--max-polls)", slug: "too-many-polls")
      problem.headers[.retryAfter] = "5"
      return problem
    }

    /// The sender's token gives no right to the task any more.
    static func leaseLost(_ row: StoredTask) -> Problem {
      Problem(.conflict, loss(of: row), slug: "lease-lost")
    }

    private static func loss(of row: StoredTask) -> String {
      switch row.state {
      case .dead: return "task \(row.id) is dead, and waits for an operator"
      case .answered, .closed, .cancelled:
        guard row.token != nil else { return "task \(row.id) was ended by somebody else" }
      case .ready, .leased, .called: break
      }
      guard row.token != nil, let worker = row.worker else {
        return "task \(row.id) was given back, and waits for a worker"
      }
      return "task \(row.id) was given to \(worker) (attempt \(row.attempt)) "
        + "after the lease of this token had ended"
    }

    /// The task has another answer.
    static func alreadyAnswered(_ row: StoredTask) -> Problem {
      Problem(
        .conflict, "task \(row.id) has another answer already; the same answer again is accepted",
        slug: "already-answered")
    }

    /// Nothing waits for the task, as its worker is told.
    static func taskClosed(_ row: StoredTask) -> Problem {
      let kept = row.isUnheard ? "; the answer is kept as unheard" : ""
      return Problem(
        .gone, "nothing waits for task \(row.id) any more: stop the work\(kept)",
        slug: "task-closed")
    }

    /// An operator asks for a task that is not dead.
    static func notDead(_ row: StoredTask) -> Problem {
      let text: String
      switch row.state {
      case .dead where row.task.kind == .notification:
        text =
          "task \(row.id) is a notification, which takes no answer: retry it, or drop the event"
      case .dead where row.task.kind == .missing:
        text = "nobody provides \(row.task.capability): name it in the host file"
      case .ready where row.attempt > 0: text = "task \(row.id) is ready again, not dead"
      case .leased:
        text = "task \(row.id) is leased to \(row.worker ?? "a worker"), not dead"
      case .called: text = "task \(row.id) waits for a callback, and is not dead"
      case .answered: text = "task \(row.id) is answered, not dead"
      case .ready, .dead: text = "task \(row.id) is \(row.state.name), not dead"
      case .cancelled, .closed: return nothingWaits(row)
      }
      return Problem(.conflict, text, slug: "not-dead")
    }

    /// An operator would drop the event of a notification that is being sent, or was not tried yet.
    static func nothingFailed(_ row: StoredTask) -> Problem {
      Problem(
        .conflict,
        "task \(row.id) is \(row.state.name), and no try of its event has failed: there is nothing to drop",
        slug: "open-call")
    }

    /// A call waits for the task that an operator would drop; there is nothing to drop once nothing waits.
    static func notUnheard(_ row: StoredTask) -> Problem {
      switch row.state {
      case .cancelled, .closed: nothingWaits(row)
      case .answered:
        Problem(
          .conflict, "task \(row.id) is answered, and a call waits for it: it gets the answer soon",
          slug: "open-call")
      case .ready, .leased, .called, .dead:
        Problem(
          .conflict,
          "task \(row.id) is \(row.state.name), and a call waits for it: answer it, or end the case",
          slug: "open-call")
      }
    }

    /// Nothing waits for the task, as an operator is told.
    private static func nothingWaits(_ row: StoredTask) -> Problem {
      let text: String
      if row.isUnheard {
        text = "nothing waits for task \(row.id) any more: drop its answer once it was seen to"
      } else if row.state == .closed {
        text = "task \(row.id) is answered, and its call has the answer"
      } else {
        text = "nothing waits for task \(row.id) any more, and no answer has come"
      }
      return Problem(.gone, text, slug: "task-closed")
    }

    /// The result is larger than allowed.
    static var largeResult: Problem {
      Problem(.contentTooLarge, "a result has 1 MiB at most", slug: "too-large")
    }

    /// The problem of a result that the effect does not get.
    init(_ result: TaskResult, of row: StoredTask) {
      if case .tooLarge = result {
        self = Problem.largeResult
        return
      }
      let fault = result.fault ?? ""
      self.init(
        .unprocessableContent, "\(fault); the task stays \(row.state.name)",
        slug: "result-mismatch")
      if case .misfit(let faults) = result { self.faults = faults }
    }
  }
#endif
