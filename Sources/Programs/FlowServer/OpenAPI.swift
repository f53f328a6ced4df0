#if Server
  import LuaRuntime
  import Moonlatch

  /// The OpenAPI 3.1 document of a flow: each action with the type of its payload.
  package enum OpenAPI {
    /// The document as it is served.
    package static func text(of loaded: LoadedFlow) -> String {
      JSONText.text(document(of: loaded))
    }

    /// The document.
    package static func document(of loaded: LoadedFlow) -> Value {
      let flow = loaded.flow
      var paths: [String: Value] = [
        "/cases": .record([
          "get": operation(
            "Cases, in order of id",
            [
              query(
                "in",
                ["type": "string", "pattern": "^[^.]+\\.[\\s\\S]+$"]),
              query("after", ["type": "string"]), query("limit", limit),
            ], ["200", "400", "404"])
        ]),
        "/cases/{id}": .record([
          "get": operation("What is known of a case", [id], ["200", "404"]),
          "post": operation(
            "Begins a case", [id], ["201", "400", "409", "422"],
            body: [
              "type": ["object", "array"], "additionalProperties": false, "maxItems": 0,
              "properties": ["given": given(flow)],
            ]),
        ]),
        "/cases/{id}/end": .record([
          "post": operation("Ends a case", [id], ["200", "404", "409"])
        ]),
        "/cases/{id}/state": .record([
          "get": operation("The whole state", [id], ["200", "404"])
        ]),
        "/cases/{id}/effects": .record([
          "get": operation(
            "The effects under way, and why others failed",
            [id, query("failed", ["type": "integer", "minimum": 0, "maximum": 1_000])],
            ["200", "400", "404"])
        ]),
        "/cases/{id}/entries": .record([
          "get": operation(
            "What has happened",
            [
              id, query("from", seq),
              query("limit", limit),
            ],
            ["200", "400", "404"])
        ]),
        "/cases/{id}/events": .record([
          "get": operation(
            "What has happened, and what happens",
            [id, query("from", seq), last],
            ["200", "400", "404"], stream: true)
        ]),
        "/health/live": .record(["get": operation("Whether it runs", [], ["200"], isOpen: true)]),
        "/health/ready": .record([
          "get": operation("Whether it can serve", [], ["200", "503"], isOpen: true)
        ]),
      ]
      for view in flow.views.map(\.function.name) {
        let name = escaped(view)
        paths["/cases/{id}/views/\(name)"] = .record([
          "get": operation("The view \(view)", [id], ["200", "404", "500"])
        ])
        paths["/cases/{id}/views/\(name)/events"] = .record([
          "get": operation(
            "The view \(view), whenever it changes", [id, last], ["200", "404"], stream: true)
        ])
      }
      for action in flow.actions where !action.isInternal {
        let name = escaped(action.name)
        let schema = Schema.of(action.payload)
        paths["/cases/{id}/actions/\(name)"] = .record([
          "post": operation(
            "Offers \(action.name)", [id, key], ["200", "400", "404", "409", "422", "500", "503"],
            body: schema)
        ])
        paths["/cases/{id}/may/\(name)"] = .record([
          "post": operation(
            "Whether \(action.name) may pass now", [id], ["200", "400", "404", "422", "500"],
            body: schema)
        ])
      }
      return [
        "openapi": "3.1.0",
        "info": [
          "title": .string(flow.file), "version": .string("\(flow.version)"),
          "description":
            "Cases of a flow: each begins under an id, is offered actions, and is looked at.",
        ],
        "paths": .record(paths),
        "security": [["token": .list([])]],
        "components": [
          "securitySchemes": ["token": ["type": "http", "scheme": "bearer"]],
          "schemas": ["Problem": problem, "Plain": plain],
        ],
      ]
    }

    private static let limit: Value = ["type": "integer", "minimum": 1, "maximum": 1_000]
    private static let seq: Value = [
      "type": "integer", "minimum": .integer(Call.seqs.lowerBound),
      "maximum": .integer(Call.seqs.upperBound),
    ]
    private static let id: Value = [
      "name": "id", "in": "path", "required": true,
      "schema": [
        "type": "string", "minLength": 1, "maxLength": 256, "pattern": "^[^\\u0000]+$",
      ],
    ]
    private static let key: Value = [
      "name": "Idempotency-Key", "in": "header",
      "schema": [
        "type": "string", "pattern": .string(IdempotencyKey.pattern),
        "examples": ["8e03978e-40d5-43dd-bc93-6894a57f9324"],
      ],
      "description": "One for each thing that is to be done once.",
    ]
    private static let last: Value = [
      "name": "Last-Event-ID", "in": "header", "schema": ["type": "string"],
    ]
    /// What a state can hold: no nothing, least of all in a list.
    private static let plain: Value = [
      "anyOf": [
        ["type": "boolean"], ["type": "number"], ["type": "string"],
        ["type": "array", "items": ["$ref": "#/components/schemas/Plain"]],
        [
          "type": "object",
          "additionalProperties": [
            "anyOf": [["$ref": "#/components/schemas/Plain"], ["type": "null"]]
          ],
        ],
      ]
    ]
    private static let problem: Value = [
      "type": "object", "required": ["status", "title", "why"],
      "properties": [
        "status": ["type": "integer"], "title": ["type": "string"], "why": ["type": "string"],
        "who": ["type": "string"], "place": ["type": "string"],
        "faults": ["type": "array", "items": ["type": "string"]],
      ],
    ]

    /// A part of the state: its fields, as far as they have types.
    private static func given(_ flow: Flow) -> Value {
      var fields: [String: Value] = [:]
      for field in flow.fields {
        fields[field.name] = part(field.shape, flow.types.root[field.name])
      }
      return record(fields, required: [])
    }

    /// What may stand at a place: as its type says, or else as the value does with which it begins.
    private static func part(_ shape: StateShape, _ place: StateTypes.Place?) -> Value {
      if case .typed(let type)? = place { return Schema.of(type, isGiven: true) }
      switch shape {
      case .none, .any:
        return ["anyOf": [["$ref": "#/components/schemas/Plain"], ["type": "null"]]]
      case .record(let shapes):
        var places: [String: StateTypes.Place] = [:]
        if case .record(let known)? = place { places = known }
        // A record is given whole: what it begins with, it has.
        let required = shapes.keys.filter { name in
          if case .typed(let type)? = places[name] { return !type.mayBeMissing }
          return shapes[name] != StateShape.none
        }
        return record(
          Dictionary(uniqueKeysWithValues: shapes.map { ($0, part($1, places[$0])) }),
          required: required.sorted())
      default: return ["$ref": "#/components/schemas/Plain"]
      }
    }

    /// A record with these fields alone; an empty table is an empty list, too.
    private static func record(_ fields: [String: Value], required: [String]) -> Value {
      var schema: [String: Value] = [
        "type": "object", "additionalProperties": false, "properties": .record(fields),
      ]
      if required.isEmpty {
        schema["type"] = ["object", "array"]
        schema["maxItems"] = 0
      } else {
        schema["required"] = .list(required.map { .string($0) })
      }
      return .record(schema)
    }

    private static func query(_ name: String, _ schema: Value) -> Value {
      ["name": .string(name), "in": "query", "schema": schema]
    }

    private static func escaped(_ name: String) -> String {
      name.utf8.map { byte in
        let isPlain =
          (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
          || byte == 95
          || byte == 45
        let digits = String(byte, radix: 16, uppercase: true)
        return isPlain ? String(UnicodeScalar(byte)) : "%" + (digits.count < 2 ? "0" : "") + digits
      }.joined()
    }

    private static func operation(
      _ summary: String, _ parameters: [Value], _ codes: [String], body: Value? = nil,
      stream: Bool = false, isOpen: Bool = false
    ) -> Value {
      var responses: [String: Value] = [:]
      for code in codes + ["400", "401", "403", "408", "413", "415"] {
        if code.hasPrefix("2") {
          responses[code] = [
            "description": "Done",
            "content": stream
              ? ["text/event-stream": ["schema": ["type": "string"]]]
              : ["application/json": ["schema": .record([:])]],
          ]
        } else {
          responses[code] = [
            "description": "Not done",
            "content": [
              "application/problem+json": ["schema": ["$ref": "#/components/schemas/Problem"]]
            ],
          ]
        }
      }
      var fields: [String: Value] = [
        "summary": .string(summary), "parameters": .list(parameters),
        "responses": .record(responses),
      ]
      if isOpen { fields["security"] = .list([]) }
      if let body {
        fields["requestBody"] = [
          "required": .boolean(body["required"] != nil),
          "content": ["application/json": ["schema": body]],
        ]
      }
      return .record(fields)
    }
  }
#endif
