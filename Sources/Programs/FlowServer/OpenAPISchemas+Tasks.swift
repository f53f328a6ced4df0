#if Server
  import FlowHosting
  import LuaRuntime

  /// The schemas of tasks: of the bodies of requests, and of responses.
  extension OpenAPISchemas {
    private static func described(_ type: String, _ description: String) -> Value {
      ["type": .string(type), "description": .string(description)]
    }

    private static func moment(_ description: String) -> Value {
      [
        "type": "string", "format": "date-time",
        "description": .string("\(description) (RFC 3339)."),
      ]
    }

    // MARK: Requests

    /// Returns the schema of a body whose fields may be null unless they are required.
    private static func body(_ fields: [String: Value], required: [String] = []) -> Value {
      let null: Value = ["type": "null"]
      var all = fields
      for (name, schema) in fields where !required.contains(name) {
        var wider = schema.recordValue ?? [:]
        if let choices = schema["anyOf"]?.listValue {
          wider["anyOf"] = .list(choices + [null])
        } else {
          wider = ["anyOf": [schema, null]]
        }
        all[name] = .record(wider)
      }
      return closed(all, required: required.sorted())
    }

    /// Returns the schema of a text of at most so many bytes, which are as many characters of ASCII.
    private static func string(upTo longest: Int) -> Value {
      ["type": "string", "minLength": 1, "maxLength": .integer(longest)]
    }

    /// The pattern of durations, from weeks to milliseconds.
    private static let durations =
      "^" + ["w", "d", "h", "m", "s", "ms"].map { "([0-9]+(\\.[0-9]+)?\($0))?" }.joined() + "$"

    private static func duration(_ range: ClosedRange<Int>, _ description: String) -> Value {
      let number: Value = [
        "type": "number", "minimum": .integer(range.lowerBound),
        "maximum": .integer(range.upperBound),
      ]
      let text: Value = [
        "type": "string", "minLength": 2, "pattern": .string(durations), "examples": ["20s"],
      ]
      return [
        "anyOf": [number, text],
        "description": .string(
          "\(description): a number of seconds, or a text such as 20s or 1m30s; \(range.lowerBound) "
            + "to \(range.upperBound) seconds."),
      ]
    }

    private static let token = string(upTo: 64)

    static let claimBody = body(
      [
        "queues": [
          "type": "array", "minItems": 1, "maxItems": 50, "uniqueItems": true,
          "items": ["type": "string", "pattern": "^[a-z0-9_.-]{1,64}$"],
        ],
        "max": ["type": "integer", "minimum": 1, "maximum": 100],
        "wait": duration(0...50, "The longest time to wait for a task"),
        "worker": string(upTo: 128),
      ], required: ["queues"])

    static let completeBody = body(["token": token, "result": reference("Plain")])

    static let failBody = body(
      [
        "token": token, "error": string(upTo: 4_096),
        "retryable": described(
          "boolean", "False if a retry would fail too: then retry stops. Default: true."),
        "after": duration(0...3_600, "The time to wait before a retry"),
      ], required: ["error"])

    static let extendBody = body(
      ["token": token, "lease": duration(1...86_400, "The new lease, counted from now")],
      required: ["token"])

    static let releaseBody = body(
      [
        "token": token,
        "after": duration(0...86_400, "The time after which the task can be claimed"),
      ], required: ["token"])

    static let retryBody = body([
      "state": ["type": "string", "enum": ["dead"]], "queue": string(upTo: 64),
      "case": string(upTo: 1_024),
    ])

    // MARK: Responses

    private static let common: [String: Value] = [
      "id": described("string", "The number of the task."),
      "call": described("string", "The id of the call: the same at each try, for the provider."),
      "case": text, "queue": text,
      "capability": described("string", "The name with its scope, such as root.mail."),
      "try": described("integer", "The number of the try: each attempt of a retry opens a task."),
      "attempt": described("integer", "The number of times that this task was claimed."),
      "opened": moment("The time of the call"),
      "deadline": moment("The time at which the call fails without an answer"),
    ]

    private static func taskRecord(
      _ more: [String: Value], optional: Set<String> = []
    ) -> Value {
      record(common.merging(more) { $1 }, optional: optional.union(["deadline"]))
    }

    static let claimedTask = taskRecord([
      "args": ["description": "The arguments, by name."],
      "token": described("string", "The right to answer the task."),
      "until": moment("The end of the lease"),
    ])

    static let task = taskRecord(
      [
        "args": ["description": "The arguments, by name; secrets are dots."],
        "state": [
          "type": "string",
          "enum": .list((StoredTask.State.allCases.map(\.name) + ["unheard"]).map(Value.string)),
        ],
        "lost": described("integer", "The number of leases that ended without an answer."),
        "until": moment("The end of the lease"),
        "worker": described("string", "The worker that had the latest lease."), "error": text,
        "result": ["description": "The answer, once there is one."],
        "final": described("boolean", "True if a retry would fail too."),
      ], optional: ["until", "worker", "error", "result", "final"])

    /// The schema of the open task for which an effect waits.
    static var taskOfWait: Value {
      let open = StoredTask.State.allCases.filter {
        $0.rawValue < StoredTask.State.cancelled.rawValue
      }
      var schema =
        record([
          "id": described("string", "The number of the task."), "queue": text,
          "state": ["type": "string", "enum": .list(open.map { .string($0.name) })],
          "attempt": described("integer", "The number of times that this task was claimed."),
        ]).recordValue ?? [:]
      schema["description"] = "The open task of a call that workers perform."
      return .record(schema)
    }

    static let listAnswer = record(
      [
        "tasks": ["type": "array", "items": reference("Task")],
        "next": described(
          "string", "The value of after for the next page, if there may be more tasks."),
      ], optional: ["next"])

    static let stateAnswer = record(["id": text, "state": text])

    static let extendAnswer = record(["id": text, "until": moment("The end of the lease")])
  }
#endif
