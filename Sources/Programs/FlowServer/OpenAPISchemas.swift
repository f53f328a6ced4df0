import FlowLanguage

#if Server
  import FlowCases
  import FlowKernel
  import LuaRuntime

  /// The schemas that the OpenAPI document of a flow refers to.
  enum OpenAPISchemas {
    /// Returns all schemas, by name.
    static func all(of flow: Flow) -> [String: Value] {
      [
        "Task": task, "ClaimedTask": claimedTask,
        "Problem": problem, "Plain": plain, "Case": summary(flow), "State": state(flow),
        "Entry": entry, "Commit": commit, "Refused": refused, "Passed": passed,
        "Permission": permission, "Readiness": readiness, "Effects": effects,
      ]
    }

    static func reference(_ name: String) -> Value {
      ["$ref": .string("#/components/schemas/\(name)")]
    }

    /// Returns the schema of a record with these fields, which are required unless they are listed as optional.
    static func record(_ fields: [String: Value], optional: Set<String> = []) -> Value {
      [
        "type": "object", "properties": .record(fields),
        "required": .list(fields.keys.filter { !optional.contains($0) }.sorted().map(Value.string)),
      ]
    }

    /// Returns the schema of a record with one list.
    static func list(_ name: String, of schema: String) -> Value {
      record([name: ["type": "array", "items": reference(schema)]])
    }

    // MARK: Answers

    static let text: Value = ["type": "string"]
    static let count: Value = ["type": "integer"]
    static let flag: Value = ["type": "boolean"]

    private static func time(_ what: String) -> Value {
      ["type": "integer", "description": .string("\(what), in microseconds since 1970 (UTC).")]
    }

    /// The schema of the values that a state can hold: never null, least of all in a list.
    ///
    /// It names no type, so that client generators accept any value for it. The rest of the schema says what fits.
    private static let plain: Value = [
      "description": "Any value but null. A list in it cannot contain null either.",
      "not": ["type": "null"], "items": ["$ref": "#/components/schemas/Plain"],
      "additionalProperties": [
        "anyOf": [["$ref": "#/components/schemas/Plain"], ["type": "null"]]
      ],
    ]

    private static let problem = record(
      [
        "type": text, "detail": text, "status": count, "title": text, "why": text, "who": text,
        "place": text, "faults": ["type": "array", "items": text],
      ], optional: ["type", "detail", "who", "place", "faults"])

    private static func summary(_ flow: Flow) -> Value {
      let machines = flow.machines.map { machine -> (String, Value) in
        (machine.name, ["type": "array", "items": text])
      }
      return record(
        [
          "id": text, "seq": count, "revision": count,
          "born": time("When the case began"), "written": time("When its last entry was written"),
          "due": time("When something of it is due next"), "ended": time("When it ended"),
          "machines": [
            "type": "object", "additionalProperties": ["type": "array", "items": text],
            "properties": .record(Dictionary(machines, uniquingKeysWith: { first, _ in first })),
            "description": "The paths of the active states of each machine.",
          ],
        ], optional: ["due", "ended"])
    }

    private static let passed = record(["action": text, "revision": count])
    private static let permission = record(
      ["may": flag, "who": text, "why": text, "place": text], optional: ["who", "why", "place"])

    private static let readiness: Value = [
      "type": "object", "properties": ["ready": flag], "required": ["ready"],
      "additionalProperties": true,
    ]

    /// The schema of the effects of a case.
    ///
    /// The page about serving documents the fields of an effect; each kind of wait has others.
    private static let effects = record([
      "effects": [
        "type": "array",
        "items": [
          "type": "object", "additionalProperties": true,
          "properties": ["waits_for": ["type": "array", "items": wait]],
        ],
      ],
      "failed": ["type": "array", "items": ["type": "object", "additionalProperties": true]],
    ])

    private static let wait: Value = [
      "type": "object", "additionalProperties": true,
      "properties": [
        "capability": text, "call": text, "function": text, "attempt": count, "retries": flag,
        "task": taskOfWait,
      ],
    ]

    private static let entry = record([
      "seq": count, "written": time("When it was written"), "revision": count, "kind": text,
      "transitions": ["type": "array", "items": reference("Commit")],
      "refused": ["type": "array", "items": reference("Refused")],
    ])

    private static let commit = record(
      [
        "revision": count, "action": text,
        "payload": ["description": "The payload, as the action's type says."],
        "time": ["type": "number", "description": "When, in seconds since the case began."],
        "changes": [
          "type": "array",
          "items": record(["operation": text, "path": text, "old": [:], "new": [:]]),
        ],
        "by": text, "cause": count,
      ], optional: ["by", "cause"])

    private static let refused = record(
      ["action": text, "why": text, "failed": flag, "payload": [:], "by": text],
      optional: ["payload", "by"])

    /// Returns the schema of the state in responses: untyped fields hold any plain value, and secrets are dots.
    private static func state(_ flow: Flow) -> Value {
      var fields: [String: Value] = [:]
      for field in flow.fields { fields[field.name] = answered(flow.types.root[field.name]) }
      for machine in flow.machines where machine.records == nil {
        for field in machine.regionFields.map(\.field) {
          fields[field] = [
            "description": .string("The active state of machine \(machine.name).")
          ]
        }
      }
      return ["type": "object", "properties": .record(fields)]
    }

    private static func answered(_ place: StateTypes.Place?) -> Value {
      switch place {
      case .typed(let type): Schema.answered(type)
      case .record(let fields):
        ["type": "object", "properties": .record(fields.mapValues(answered))]
      case .open, nil: ["description": "Any plain value."]
      }
    }

    // MARK: Requests

    /// Returns the schema of a part of the state that a client gives: its fields, with their types where they have
    /// some.
    static func given(_ flow: Flow) -> Value {
      var fields: [String: Value] = [:]
      for field in flow.fields {
        fields[field.name] = part(field.shape, flow.types.root[field.name])
      }
      return closed(fields, required: [])
    }

    /// Returns the schema of the values of a place: from its type, or else from its initial value.
    private static func part(_ shape: StateShape, _ place: StateTypes.Place?) -> Value {
      if case .typed(let type)? = place { return Schema.of(type, isGiven: true) }
      switch shape {
      case .none, .any: return ["anyOf": [reference("Plain"), ["type": "null"]]]
      case .record(let shapes):
        var places: [String: StateTypes.Place] = [:]
        if case .record(let known)? = place { places = known }
        // A record is given whole: fields that have an initial value are required.
        let required = shapes.keys.filter { name in
          if case .typed(let type)? = places[name] { return !type.mayBeMissing }
          return shapes[name] != StateShape.none
        }
        return closed(
          Dictionary(uniqueKeysWithValues: shapes.map { ($0, part($1, places[$0])) }),
          required: required.sorted())
      default: return reference("Plain")
      }
    }

    /// Returns the schema of a record with no other fields; an empty list stands for an empty table, too.
    static func closed(_ fields: [String: Value], required: [String]) -> Value {
      var schema: [String: Value] = [
        "type": "object", "additionalProperties": false, "properties": .record(fields),
      ]
      if required.isEmpty {
        schema["type"] = ["object", "array"]
        schema["items"] = reference("Plain")
        schema["maxItems"] = 0
      } else {
        schema["required"] = .list(required.map { .string($0) })
      }
      return .record(schema)
    }
  }
#endif
