#if Server
  import LuaRuntime

  extension OpenAPI {
    /// An operation of the document: what a method does at a path.
    struct Operation {
      let value: Value

      /// The statuses that every operation may have.
      private static let always = ["400", "401", "403", "408", "413", "414", "415", "431"]

      /// Creates an operation.
      ///
      /// - Parameters:
      ///   - codes: the statuses of its responses, besides those that every operation may have.
      ///   - reasons: further statuses, each with its meaning here.
      ///   - answer: the schema of a response that has done what was asked.
      ///   - mediaType: the type of that response.
      ///   - body: the schema of the request's body; nil if there is none.
      ///   - isOpen: true if no token is needed.
      init(
        _ name: String, _ summary: String, description: String? = nil, _ parameters: [Value],
        _ codes: [String], reasons: [String: String] = [:], answer: Value = [:],
        as mediaType: String = "application/json", body: Value? = nil, isOpen: Bool = false
      ) {
        let done: Value = .record([mediaType: ["schema": answer]])
        var responses: [String: Value] = [:]
        for code in codes + Array(reasons.keys) + Operation.always {
          responses[code] = Operation.response(code, reasons[code], done)
        }
        var fields: [String: Value] = [
          "operationId": .string(name), "summary": .string(summary),
          "parameters": .list(parameters), "responses": .record(responses),
        ]
        fields["description"] = description.map { .string($0) }
        if isOpen { fields["security"] = .list([]) }
        if let body {
          fields["requestBody"] = [
            "required": .boolean(body["required"] != nil),
            "content": ["application/json": ["schema": body]],
          ]
        }
        value = .record(fields)
      }

      private static func response(_ code: String, _ reason: String?, _ done: Value) -> Value {
        if code == "304" { return ["description": "Nothing has changed"] }
        if code.hasPrefix("2") {
          return ["description": .string(reason ?? "Done"), "content": done]
        }
        let problem: Value = ["schema": OpenAPISchemas.reference("Problem")]
        return [
          "description": .string(reason ?? "Not done"),
          "content": .record([Problem.mediaType: problem]),
        ]
      }
    }
  }
#endif
