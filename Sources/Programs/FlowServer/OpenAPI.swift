import FlowLanguage

#if Server
  import FlowCases
  import FlowKernel
  import LuaRuntime

  /// The OpenAPI 3.1 document of a flow: each action with the type of its payload.
  package enum OpenAPI {
    /// Returns the document as JSON text.
    package static func text(of loaded: LoadedFlow) -> String {
      JSONText.text(document(of: loaded))
    }

    /// Returns the document as a value.
    package static func document(of loaded: LoadedFlow) -> Value {
      let flow = loaded.flow
      var paths = serverPaths
      for more in [taskPaths, hookPaths, casePaths(flow), ownPaths(flow)] {
        paths.merge(more) { $1 }
      }
      return [
        "openapi": "3.1.0",
        "info": [
          "title": .string(flow.file), "version": .string("\(flow.version)"),
          "description":
            "Cases of a flow: create a case under an id, dispatch actions to it, read it.",
        ],
        "paths": .record(paths),
        "security": [["token": .list([])]],
        "components": [
          "securitySchemes": ["token": ["type": "http", "scheme": "bearer"]],
          "schemas": .record(OpenAPISchemas.all(of: flow)),
        ],
      ]
    }

    // MARK: Paths

    private static func casePaths(_ flow: Flow) -> [String: Value] {
      [
        "/cases": .record([
          "get": Operation(
            "listCases", "Cases, in order of id",
            [
              query("in", ["type": "string", "pattern": "^[^.]+\\.[\\s\\S]+$"]),
              query("after", ["type": "string"]), query("limit", limit),
            ], ["200", "400", "404"], answer: OpenAPISchemas.list("cases", of: "Case")
          ).value
        ]),
        "/cases/{id}": .record([
          "get": Operation(
            "getCase", "The summary of a case", [id, known], ["200", "304", "404"],
            answer: OpenAPISchemas.reference("Case")
          ).value,
          "post": Operation(
            "createCase", "Creates a case", [id, key], ["201", "400", "409", "422"],
            answer: OpenAPISchemas.record(["id": ["type": "string"]]),
            body: [
              "type": ["object", "array"], "additionalProperties": false, "maxItems": 0,
              "items": OpenAPISchemas.reference("Plain"),
              "properties": ["given": OpenAPISchemas.given(flow)],
            ]
          ).value,
        ]),
        "/cases/{id}/end": .record([
          "post": Operation(
            "endCase", "Ends a case", [id, key, expected], ["200", "404", "409", "412"],
            answer: OpenAPISchemas.record([
              "id": ["type": "string"], "ended": ["type": "boolean"],
            ])
          ).value
        ]),
        "/cases/{id}/state": .record([
          "get": Operation(
            "getState", "The whole state", [id, known], ["200", "304", "404"],
            answer: OpenAPISchemas.reference("State")
          ).value
        ]),
        "/cases/{id}/effects": .record([
          "get": Operation(
            "listEffects", "The running effects, and the errors of failed ones",
            [id, query("failed", ["type": "integer", "minimum": 0, "maximum": 1_000])],
            ["200", "400", "404"], answer: OpenAPISchemas.reference("Effects")
          ).value
        ]),
        "/cases/{id}/entries": .record([
          "get": Operation(
            "listEntries", "The entries of a case",
            [id, query("from", seq), query("limit", limit)],
            ["200", "400", "404"], answer: OpenAPISchemas.list("entries", of: "Entry")
          ).value
        ]),
        "/cases/{id}/events": .record([
          "get": Operation(
            "streamEntries", "The entries of a case, then new ones as they are stored",
            [id, query("from", seq), last], ["200", "400", "404"], answer: events,
            as: eventStream
          ).value
        ]),
      ]
    }

    /// The schema and the media type of a stream of events.
    private static let (events, eventStream): (Value, String) = (
      ["type": "string"], "text/event-stream"
    )

    private static var serverPaths: [String: Value] {
      let live = OpenAPISchemas.record(["live": ["type": "boolean"]])
      let ready = OpenAPISchemas.reference("Readiness")
      return [
        "/health/live": .record([
          "get": Operation(
            "getLiveness", "Says if the server runs", [], ["200"], answer: live, isOpen: true
          )
          .value
        ]),
        "/health/ready": .record([
          "get": Operation(
            "getReadiness", "Says if the server can serve cases", [], ["200", "503"], answer: ready,
            isOpen: true
          ).value
        ]),
      ]
    }

    /// The paths of the flow's views and actions.
    private static func ownPaths(_ flow: Flow) -> [String: Value] {
      var paths: [String: Value] = [:]
      let views = flow.views.map(\.function.name)
      let viewNames = OperationNames(views)
      for view in views {
        let (name, title) = (escaped(view), viewNames[view])
        paths["/cases/{id}/views/\(name)"] = .record([
          "get": Operation(
            "getView_\(title)", "The view \(view)", [id, known], ["200", "304", "404", "500"],
            answer: ["description": "Any plain value, or null."]
          ).value
        ])
        paths["/cases/{id}/views/\(name)/events"] = .record([
          "get": Operation(
            "streamView_\(title)", "The view \(view), whenever it changes", [id, last],
            ["200", "404"], answer: events, as: eventStream
          ).value
        ])
      }
      let actions = flow.actions.filter { !$0.isInternal }
      let actionNames = OperationNames(actions.map(\.name))
      for action in actions {
        let (name, title) = (escaped(action.name), actionNames[action.name])
        let schema = Schema.of(action.payload)
        paths["/cases/{id}/actions/\(name)"] = .record([
          "post": Operation(
            "dispatch_\(title)", "Dispatches \(action.name)", [id, key, expected],
            ["200", "404", "409", "412", "422", "500", "503"],
            answer: OpenAPISchemas.reference("Passed"), body: schema
          ).value
        ])
        paths["/cases/{id}/may/\(name)"] = .record([
          "post": Operation(
            "may_\(title)", "Says if \(action.name) may pass now", [id],
            ["200", "404", "422", "500"], answer: OpenAPISchemas.reference("Permission"),
            body: schema
          ).value
        ])
      }
      return paths
    }

    // MARK: Parameters

    static let limit: Value = ["type": "integer", "minimum": 1, "maximum": 1_000]
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
      "description": "A key for each request that must be done only once.",
    ]
    private static let last = header(
      "Last-Event-ID", ["type": "string"], "The id of the last event that was received.")
    private static let known = header(
      "If-None-Match", ["type": "string"], "The ETag of the response that the client still has.")
    private static let expected = header(
      "If-Match",
      [
        "type": "string", "pattern": "^\"[0-9]{1,18}(-[0-9a-f]+)?\"$", "minLength": 3,
        "examples": ["\"0\""],
      ],
      "The ETag of the case, its state or a view at the expected revision.")

    private static func header(_ name: String, _ schema: Value, _ description: String) -> Value {
      [
        "name": .string(name), "in": "header", "schema": schema,
        "description": .string(description),
      ]
    }

    static func query(_ name: String, _ schema: Value, _ description: String? = nil) -> Value {
      var fields: [String: Value] = ["name": .string(name), "in": "query", "schema": schema]
      fields["description"] = description.map { .string($0) }
      return .record(fields)
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
  }

  /// The names of views or actions as they appear in operation ids: letters, digits and `_`.
  ///
  /// The names stay distinct even for clients that convert all names to one style.
  struct OperationNames {
    private var names: [String: String] = [:]

    init(_ names: [String]) {
      var taken: Set<String> = []
      for name in names.sorted() {
        let plain = OperationNames.plain(name)
        var number = 1
        var title = plain
        while !taken.insert(title.lowercased().filter { $0 != "_" }).inserted {
          number += 1
          title = "\(plain)_\(number)"
        }
        self.names[name] = title
      }
    }

    subscript(name: String) -> String { names[name] ?? name }

    private static func plain(_ name: String) -> String {
      let plain = name.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" }
      return plain.contains { $0 != "_" } ? String(plain) : "x\(plain.count)"
    }
  }
#endif
