#if Server
  import FlowCases
  import FlowHosting
  import FlowKernel
  import FlowLanguage
  import Hummingbird
  import LuaRuntime
  import NIOCore

  /// The HTTP routes for workers, who claim and answer tasks, and for operators, who look after dead ones.
  package struct TaskRoutes: Sendable {
    private let tasks: CaseTasks
    private let texts: TaskTexts
    private let streams: OpenStreams

    /// The greatest size of an error text, in bytes.
    private static let longestError = 4_096
    /// The greatest size of a body with a result: a sender may escape characters and write blanks.
    private static let largestCompletion = 4 << 20
    private static let longestToken = 64

    private init(_ tasks: CaseTasks, _ service: HTTPService) {
      (self.tasks, texts, streams) = (tasks, TaskTexts(tasks: tasks), service.streams)
    }

    /// Mounts the routes on a service.
    static func mount(_ cases: Cases, on service: HTTPService) {
      let routes = TaskRoutes(cases.tasks, service)
      routes.mountWork(service.routes)
      routes.mountList(service.routes)
      routes.mountOperation(service.routes)
    }

    /// Mounts below another path what operators do: they retry and answer dead tasks, and drop answers that nothing
    /// waited for, and events of notifications.
    package static func mountOperation(
      of tasks: CaseTasks, below path: Routes, on service: HTTPService
    ) {
      let routes = TaskRoutes(tasks, service)
      routes.mountOperation(path)
      path.post("tasks/:id/complete", needs: .tasks) { call in try await routes.complete(call) }
      path.post("tasks/:id/fail", needs: .tasks) { call in try await routes.fail(call) }
    }

    private func mountWork(_ routes: Routes) {
      routes.post("tasks/claim", needs: .anyWork) { call in try await claim(call) }
      routes.post("tasks/:id/complete", needs: .anyWork) { call in try await complete(call) }
      routes.post("tasks/:id/fail", needs: .anyWork) { call in try await fail(call) }
      routes.post("tasks/:id/extend", needs: .anyWork) { call in
        let (row, id) = try await row(of: call)
        let request = try await TaskRequest(call, fields: ["token", "lease"])
        try call.expect(.work(row.task.queue))
        let token = try request.requiredText("token", longest: TaskRoutes.longestToken)
        let lease = try request.duration("lease", in: 1...86_400, "1s to 24h")
        let reply = try await tasks.extend(
          id, token: token, by: lease.map(EngineTime.microseconds))
        let extended = try done(reply, id)
        return .json([
          "id": .string(String(id)), "until": TaskTexts.time(extended.free) ?? .nil,
        ])
      }
      routes.post("tasks/:id/release", needs: .anyWork) { call in
        let (row, id) = try await row(of: call)
        let request = try await TaskRequest(call, fields: ["token", "after"])
        try call.expect(.work(row.task.queue))
        let token = try request.requiredText("token", longest: TaskRoutes.longestToken)
        let after = try request.duration("after", in: 0...86_400, "0 to 24h") ?? 0
        let reply = try await tasks.release(
          id, token: token, after: EngineTime.microseconds(after))
        return state(of: try done(reply, id))
      }
    }

    private func mountList(_ routes: Routes) {
      routes.get("tasks", needs: .tasks, query: ["state", "queue", "case", "limit", "after"]) {
        call in
        let limit = try call.number("limit", in: 1...1_000) ?? 100
        let rows = try await tasks.list(try query(of: call, limit: limit))
        var fields: [String: Value] = ["tasks": .list(rows.map(texts.listed))]
        if rows.count == limit, let last = rows.last {
          fields["next"] = .string(String(last.id))
        }
        return .json(.record(fields))
      }
    }

    private func mountOperation(_ routes: Routes) {
      routes.post("tasks/retry", needs: .tasks) { call in
        let request = try await TaskRequest(call, fields: ["state", "queue", "case"])
        if let name = try request.text("state", longest: 32),
          try TaskRoutes.state(named: name) != .dead
        {
          throw Problem.badRequest("state is dead: other tasks need no retry")
        }
        let query = TaskQuery(
          queue: try request.text("queue", longest: 64),
          caseID: try request.text("case", longest: AppendPosition.longestName), limit: 1_000)
        return .json(["count": .integer(try await tasks.retry(query))])
      }
      routes.post("tasks/:id/retry", needs: .tasks) { call in
        let (_, id) = try await row(of: call)
        _ = try await TaskRequest(call, fields: [])
        let reply = try await tasks.retry(id)
        switch reply {
        case .answered(let row), .closed(let row): throw Problem.notDead(row)
        case .done, .unknown, .leaseLost, .unheard: return state(of: try done(reply, id))
        }
      }
      routes.post("tasks/:id/drop", needs: .tasks) { call in
        let (_, id) = try await row(of: call)
        _ = try await TaskRequest(call, fields: [])
        let reply = try await tasks.drop(id)
        if case .answered(let row) = reply {
          throw row.task.kind == .notification
            ? Problem.nothingFailed(row) : Problem.notUnheard(row)
        }
        _ = try done(reply, id)
        return .json(["id": .string(String(id))])
      }
    }

    // MARK: Claims

    private func claim(_ call: Call) async throws -> Response {
      let request = try await TaskRequest(call, fields: ["queues", "max", "wait", "worker"])
      let queues = try request.texts("queues", most: 50)
      for queue in queues { try call.expect(.work(queue)) }
      let known = tasks.queues
      for queue in queues where !known.contains(queue) {
        throw Problem.unknownQueue(queue, among: known)
      }
      let most = try request.number("max", in: 1...100) ?? 1
      let wait = try request.duration("wait", in: 0...50, "0 to 50s") ?? 0
      let worker = try request.text("worker", longest: 128) ?? call.by ?? "worker"
      let channel = call.context.channel
      let claiming = Task { [tasks] in
        try await tasks.claim(from: queues, most: most, by: worker, waiting: .seconds(wait))
      }
      let number = streams.add { claiming.cancel() }
      defer { streams.remove(number) }
      // A worker that is gone must not be given a task that is opened later.
      if wait > 0 { await channel.whenInputCloses { claiming.cancel() } }
      let claimed: [StoredTask]?
      do {
        claimed = try await claiming.value
      } catch is CancellationError {
        claimed = []
      }
      if wait > 0 { await channel.whenInputCloses(nil) }
      guard let claimed else { throw Problem.tooManyPolls(tasks.mostWaiting) }
      guard channel.isActive, !claiming.isCancelled else {
        await tasks.release(claimed)
        return .json(["tasks": []])
      }
      let response = Response.json(["tasks": .list(claimed.map(texts.claimed))])
      if claimed.isEmpty { return response }
      return response.orElse { [tasks] in await tasks.release(claimed) }
    }

    // MARK: Answers

    private func complete(_ call: Call) async throws -> Response {
      let (row, id) = try await row(of: call)
      let request = try await TaskRequest(
        call, fields: ["token", "result"], upTo: TaskRoutes.largestCompletion, Problem.largeResult)
      let token = try token(of: request, for: row, call)
      let result = try fit(request["result"] ?? .nil, for: row, token)
      return try await answer(id, token, with: .answer(result))
    }

    /// Returns a result with the defaults of its type.
    ///
    /// A task that takes no answer with this token is told of that first, whatever the result is. The answer of a
    /// cancelled task, and that of a call that has failed, is kept even if it is not of its type: it says that something
    /// was done.
    private func fit(_ result: Value, for row: StoredTask, _ token: String?) throws -> Value {
      let (refusal, checked) = (
        row.refusal(of: token), TaskResult(result, of: tasks.capability(of: row.task))
      )
      switch checked {
      case .fits(let filled): return filled
      case .misfit where refusal != nil: return result
      case .misfit, .nullInList, .tooLarge:
        if let refusal { _ = try done(refusal, row.id) }
        throw Problem(checked, of: row)
      }
    }

    private func fail(_ call: Call) async throws -> Response {
      let (row, id) = try await row(of: call)
      let request = try await TaskRequest(call, fields: ["token", "error", "retryable", "after"])
      let token = try token(of: request, for: row, call)
      let error = try request.requiredText("error", longest: TaskRoutes.longestError)
      let failure = CallFailure(
        message: "\(row.task.name): \(error)",
        isFinal: try !(request.flag("retryable") ?? true),
        after: try request.duration("after", in: 0...3_600, "0 to 1h"))
      return try await answer(id, token, with: .failure(failure))
    }

    /// Answers a task, and returns the response.
    private func answer(
      _ id: Int, _ token: String?, with outcome: TaskOutcome
    ) async throws -> Response {
      let reply = try await tasks.answer(id, token: token, with: outcome)
      // A dead task may have been retried just now.
      if token == nil, case .leaseLost(let row) = reply { throw Problem.notDead(row) }
      return state(of: try done(reply, id))
    }

    /// Returns the token of a request; nil for an operator, who answers dead tasks without one.
    private func token(
      of request: TaskRequest, for row: StoredTask, _ call: Call
    ) throws -> String? {
      if let token = try request.text("token", longest: TaskRoutes.longestToken) {
        try call.expect(.work(row.task.queue))
        return token
      }
      if row.state == .dead {
        try call.expect(.tasks)
        return nil
      }
      // The task may have been retried since an operator has seen it.
      guard call.caller?.may(.tasks) != false else { throw Problem.badRequest("token is missing") }
      throw Problem.notDead(row)
    }

    // MARK: Replies

    private func row(of call: Call) async throws -> (StoredTask, id: Int) {
      let text = try call.parameter("id")
      guard let id = Int(text), id > 0, let row = try await tasks.task(id) else {
        throw Problem.unknownTask(text)
      }
      return (row, id)
    }

    private func state(of row: StoredTask) -> Response {
      let name = row.state == .closed ? StoredTask.State.answered.name : row.state.name
      return .json(["id": .string(String(row.id)), "state": .string(name)])
    }

    /// Returns the task of a reply; throws a problem for a request that was not performed.
    private func done(_ reply: TaskReply, _ id: Int) throws -> StoredTask {
      switch reply {
      case .done(let row): return row
      case .unknown: throw Problem.unknownTask(String(id))
      case .leaseLost(let row): throw Problem.leaseLost(row)
      case .answered(let row): throw Problem.alreadyAnswered(row)
      case .closed(let row), .unheard(let row): throw Problem.taskClosed(row)
      }
    }

    private static func state(named name: String) throws -> StoredTask.State {
      if let state = StoredTask.State(name: name) { return state }
      let names = StoredTask.State.allCases.map(\.name)
      throw Problem.badRequest(
        "there is no state \(name)\(Names.suggestion(for: name, among: names)); the states are "
          + Names.list(names))
    }

    private func query(of call: Call, limit: Int) throws -> TaskQuery {
      let state = try call.query("state").map { try TaskRoutes.state(named: $0) }
      let after = try call.number("after", in: 0...OutsideNumber.counts.upperBound) ?? 0
      return TaskQuery(
        state: state, queue: try call.query("queue"), caseID: try call.query("case"),
        after: after, limit: limit)
    }
  }
#endif
