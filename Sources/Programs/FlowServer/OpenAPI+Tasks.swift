#if Server
  import FlowHosting
  import LuaRuntime

  extension OpenAPI {
    /// The paths of tasks, which workers claim and answer and operators look after, and those of types of problems.
    static var taskPaths: [String: Value] {
      [
        "/tasks": ["get": listTasks.value], "/tasks/claim": ["post": claimTasks.value],
        "/tasks/retry": ["post": retryTasks.value],
        "/tasks/{id}/complete": ["post": completeTask.value],
        "/tasks/{id}/fail": ["post": failTask.value],
        "/tasks/{id}/extend": ["post": extendTask.value],
        "/tasks/{id}/release": ["post": releaseTask.value],
        "/tasks/{id}/retry": ["post": retryTask.value],
        "/tasks/{id}/drop": ["post": dropTask.value],
        "/problems/{name}": ["get": getProblemType.value],
      ]
    }

    private static let taskID: Value = [
      "name": "id", "in": "path", "required": true,
      "schema": ["type": "string", "pattern": "^[1-9][0-9]{0,17}$"],
      "description": "The number of the task.",
    ]

    /// Returns the meaning of a status that several types of problems have.
    static func problems(_ names: String...) -> String {
      names.map { "\($0): \(ProblemPages.texts[$0] ?? "")" }.joined(separator: "\n\n")
    }

    /// The statuses of requests that need a lease.
    private static let leased = [
      "404": problems("unknown-task"), "409": problems("lease-lost", "already-answered"),
      "410": problems("task-closed"), "503": problems("journal"),
    ]

    /// The statuses of answers, which operators give without a token.
    private static let answered = leased.merging([
      "409": problems("lease-lost", "already-answered", "not-dead")
    ]) { $1 }

    // MARK: Workers

    private static var claimTasks: Operation {
      Operation(
        "claimTasks", "Claims tasks",
        description: """
          Leases free tasks of the queues to a worker. Each comes with all of its arguments, and with the token with \
          which the worker answers it. If there is none, the response comes once there is one, or with an empty list \
          once the time to wait has passed. It needs the right to work on each of the queues.
          """, [], ["200"],
        reasons: [
          "404": problems("unknown-queue"), "429": problems("too-many-polls"),
          "503": problems("journal"),
        ],
        answer: OpenAPISchemas.list("tasks", of: "ClaimedTask"), body: OpenAPISchemas.claimBody)
    }

    private static var completeTask: Operation {
      Operation(
        "completeTask", "Answers a task with a result",
        description: """
          The call in the flow returns the result, with the defaults of its type; without a result it returns nil. The \
          same answer again has the same response. An operator with the right to look after tasks answers a dead task \
          without a token.
          """, [taskID], ["200"],
        reasons: answered.merging([
          "413": problems("too-large"), "422": problems("result-mismatch"),
        ]) { $1 },
        answer: OpenAPISchemas.stateAnswer, body: OpenAPISchemas.completeBody)
    }

    private static var failTask: Operation {
      Operation(
        "failTask", "Answers a task with an error",
        description: """
          The call in the flow raises the error. The same answer again has the same response. An operator with the \
          right to look after tasks answers a dead task without a token.
          """, [taskID], ["200"], reasons: answered, answer: OpenAPISchemas.stateAnswer,
        body: OpenAPISchemas.failBody)
    }

    private static var extendTask: Operation {
      Operation(
        "extendTask", "Prolongs a lease",
        description:
          "Send it every third of the lease to show that the worker is alive. On status 410, stop the work.",
        [taskID], ["200"], reasons: leased, answer: OpenAPISchemas.extendAnswer,
        body: OpenAPISchemas.extendBody)
    }

    private static var releaseTask: Operation {
      Operation(
        "releaseTask", "Gives a task back",
        description: "Any worker can then claim it. It does not count as a lost lease.",
        [taskID], ["200"], reasons: leased, answer: OpenAPISchemas.stateAnswer,
        body: OpenAPISchemas.releaseBody)
    }

    // MARK: Operators

    private static var listTasks: Operation {
      let states = StoredTask.State.allCases.map { Value.string($0.name) }
      return Operation(
        "listTasks", "Tasks, in order of number",
        description: """
          Without a state it lists open tasks, and unheard answers: those that nothing waited for. Secret arguments are \
          dots. It needs the right to look after tasks.
          """,
        [
          query(
            "state", ["type": "string", "enum": .list(states)],
            "The value dead lists unheard answers too."),
          query("queue", ["type": "string"]),
          query("case", ["type": "string"], "The id of a case."), query("limit", limit),
          query(
            "after",
            [
              "type": "integer", "minimum": 0,
              "maximum": .integer(OutsideNumber.counts.upperBound),
            ], "The list begins after the task with this number."),
        ], ["200"], reasons: ["503": problems("journal")], answer: OpenAPISchemas.listAnswer)
    }

    private static var retryTasks: Operation {
      Operation(
        "retryTasks", "Makes dead tasks ready again",
        description: """
          At most 1,000 of them: those of a queue or of a case, if they are named. A task that nobody provides stays \
          dead. It needs the right to look after tasks.
          """, [], ["200"], reasons: ["503": problems("journal")],
        answer: OpenAPISchemas.record(["count": OpenAPISchemas.count]),
        body: OpenAPISchemas.retryBody)
    }

    private static var retryTask: Operation {
      Operation(
        "retryTask", "Makes a dead task ready again",
        description: "Lost leases count from 0 again. It needs the right to look after tasks.",
        [taskID], ["200"],
        reasons: [
          "404": problems("unknown-task"), "409": problems("not-dead"),
          "410": problems("task-closed"), "503": problems("journal"),
        ], answer: OpenAPISchemas.stateAnswer)
    }

    private static var dropTask: Operation {
      Operation(
        "dropTask", "Deletes an unheard answer, or skips an event of a notification",
        description:
          "It deletes no task for which a call waits, and skips no event of which no try has failed. "
          + "It needs the right to look after tasks.",
        [taskID], ["200"],
        reasons: [
          "404": problems("unknown-task"), "409": problems("open-call"),
          "410": problems("task-closed"), "503": problems("journal"),
        ], answer: OpenAPISchemas.record(["id": OpenAPISchemas.text]))
    }

    // MARK: Problems

    private static var getProblemType: Operation {
      let names = ProblemPages.texts.keys.sorted().map { Value.string($0) }
      return Operation(
        "getProblemType", "Explains a problem type",
        description: "The type of a problem is the URL of this page.",
        [
          [
            "name": "name", "in": "path", "required": true,
            "schema": ["type": "string", "enum": .list(names)],
          ]
        ], ["200", "404"], answer: OpenAPISchemas.text, as: "text/plain",
        isOpen: true)
    }
  }
#endif
