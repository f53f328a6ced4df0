#if Server
  import FlowCases
  import FlowKernel
  import HTTPTesting
  import LuaRuntime
  import Testing

  @testable import FlowServer

  @Suite struct OpenAPITasksTests {
    private func document() throws -> Value {
      OpenAPI.document(of: try LoadedFlow(source: ServedTasks.source, name: "shop.lua"))
    }

    @Test("the paths of tasks and of types of problems are described with their statuses")
    func paths() throws {
      let paths = try #require(try document()["paths"])
      let always: Set<String> = ["400", "401", "403", "408", "413", "414", "415", "431"]
      let expected: [(path: String, method: String, codes: Set<String>)] = [
        ("/tasks", "get", ["200", "503"]), ("/tasks/retry", "post", ["200", "503"]),
        ("/tasks/claim", "post", ["200", "404", "429", "503"]),
        ("/tasks/{id}/complete", "post", ["200", "404", "409", "410", "422", "503"]),
        ("/tasks/{id}/fail", "post", ["200", "404", "409", "410", "503"]),
        ("/tasks/{id}/extend", "post", ["200", "404", "409", "410", "503"]),
        ("/tasks/{id}/release", "post", ["200", "404", "409", "410", "503"]),
        ("/tasks/{id}/retry", "post", ["200", "404", "409", "410", "503"]),
        ("/tasks/{id}/drop", "post", ["200", "404", "409", "410", "503"]),
        ("/problems/{name}", "get", ["200", "404"]),
        ("/hooks/{name}", "post", ["200", "404", "409", "500", "503"]),
      ]
      for (path, method, codes) in expected {
        let operation = paths[path]?[method]
        let found = Set((operation?["responses"]?.recordValue ?? [:]).keys)
        #expect(found == codes.union(always), "\(path)")
        #expect(operation?["description"]?.stringValue?.hasSuffix(".") == true, "\(path)")
        for code in codes where code.hasPrefix("4") && path.hasPrefix("/tasks") {
          // Each names the types of problems that it has.
          let reason = operation?["responses"]?[code]?["description"]?.stringValue ?? ""
          let name = String(reason.prefix { $0 != ":" })
          #expect(ProblemPages.texts[name] != nil, "\(path) \(code)")
        }
      }
      let known = paths.recordValue?.keys.filter {
        $0.hasPrefix("/tasks") || $0.hasPrefix("/problems") || $0.hasPrefix("/hooks")
      }
      #expect(known?.count == expected.count)
    }

    @Test("every reference leads to a schema")
    func references() throws {
      let document = try document()
      let names = Set((document["components"]?["schemas"]?.recordValue ?? [:]).keys)
      func all(in value: Value) -> [String] {
        switch value {
        case .record(let fields):
          (fields["$ref"]?.stringValue.map { [$0] } ?? []) + fields.values.flatMap(all)
        case .list(let elements): elements.flatMap(all)
        default: []
        }
      }
      let found = all(in: document)
      #expect(found.contains("#/components/schemas/ClaimedTask"))
      for each in Set(found) {
        #expect(names.contains(String(each.dropFirst("#/components/schemas/".count))), "\(each)")
      }
    }

    @Test("fields of bodies may be null unless they are required, and other fields are rejected")
    func bodies() throws {
      let paths = try #require(try document()["paths"])
      func body(_ name: String) -> Value? {
        let request = paths["/tasks/\(name)"]?["post"]?["requestBody"]
        return request?["content"]?["application/json"]?["schema"]
      }
      let claim = body("claim")
      #expect(claim?["required"] == ["queues"] && claim?["additionalProperties"] == false)
      #expect(claim?["properties"]?["queues"]?["type"] == "array")
      #expect(claim?["properties"]?["max"]?["anyOf"]?[1] == ["type": "null"])
      #expect(claim?["properties"]?["wait"]?["anyOf"]?.listValue?.count == 3)
      #expect(body("{id}/fail")?["required"] == ["error"])
      #expect(body("{id}/extend")?["required"] == ["token"])
      // An operator answers without a token, and with no result.
      #expect(body("{id}/complete")?["required"] == nil)
      #expect(body("{id}/retry") == nil && body("{id}/drop") == nil)
    }

    @Test("the pattern of durations matches those that the routes accept")
    func durations() throws {
      let body = try document()["paths"]?["/tasks/{id}/release"]?["post"]?["requestBody"]
      let after = body?["content"]?["application/json"]?["schema"]?["properties"]?["after"]
      let pattern = try #require(after?["anyOf"]?[1]?["pattern"]?.stringValue)
      let expression = try Regex(pattern)
      for text in ["20s", "1h30m", "500ms", "1m30s", "1.5s", "2w", "1d12h"] {
        #expect(
          text.firstMatch(of: expression) != nil && Value.string(text).seconds != nil, "\(text)")
      }
      for text in ["20", "s", "30m1h", "1x", "-1s", "1 s"] {
        #expect(
          text.firstMatch(of: expression) == nil && Value.string(text).seconds == nil, "\(text)")
      }
    }

    @Test("the routes of tasks answer with the statuses and the fields that the document describes")
    func responses() async throws {
      let document = try document()
      try await ServedTasks.serve { served async throws in
        let asked = Asked(served: served, document: document)
        for id in ["a", "b", "c", "d"] { try await served.start(id) }
        try await served.cases.create("m").dispatch("mail", ["text": "hello"])
        try await asked.post("claim", "{\"queues\":[\"jos\"]}", 404)
        try await asked.post("claim", "{\"queues\":[\"jobs\"]}", 403, token: ServedTasks.reader)
        try await asked.post("claim", "{\"queues\":[]}", 400)
        let first = try await asked.claim(token: ServedTasks.jobber)

        let list = try await asked.get("/tasks?limit=1")
        #expect(list["next"] != nil && list["tasks"]?[0]?["state"] == "leased")
        #expect(try await asked.get("/tasks?state=dead")["tasks"] == [])
        let secret = try await asked.get("/tasks?queue=mails")["tasks"]?[0]
        #expect(secret?["args"]?["text"] == "•••" && secret?["deadline"] != nil)

        try await asked.post("\(first.id)/extend", first.body(), 200)
        try await asked.post("\(first.id)/extend", "{\"token\":\"x\"}", 409)
        let wrong = first.body("\"result\":{\"id\":1}")
        #expect(try await asked.post("\(first.id)/complete", wrong, 422)["faults"] != nil)
        let right = first.body("\"result\":{\"id\":\"j-1\"}")
        for _ in 1...2 { try await asked.post("\(first.id)/complete", right, 200) }
        let other = first.body("\"result\":{\"id\":\"j-2\"}")
        try await asked.post("\(first.id)/complete", other, 409)
        try await asked.post("99/complete", right, 404)

        let second = try await asked.claim()
        let failure = second.body("\"error\":\"full\",\"retryable\":false")
        try await asked.post("\(second.id)/fail", failure, 200)
        let third = try await asked.claim()
        try await asked.post("\(third.id)/release", third.body(), 200)

        let late = try await asked.claim()
        #expect(late.id == third.id)
        try await served.cases["c"].end()
        try await asked.post("\(late.id)/extend", late.body(), 410)
        try await asked.post("\(late.id)/complete", late.body("\"result\":{\"id\":\"j-3\"}"), 410)
        let unheard = try await asked.get("/tasks?state=dead")["tasks"]?[0]
        #expect(unheard?["state"] == "unheard" && unheard?["result"]?["id"] == "j-3")
        try await asked.post("\(late.id)/drop", nil, 200)
        try await asked.post("\(late.id)/drop", nil, 404)

        // The second lease that ends without an answer makes the task dead.
        let dead = try await asked.claim()
        for _ in 1...2 {
          served.wall.move(61)
          try await asked.post("claim", "{\"queues\":[\"jobs\"]}", 200)
        }
        #expect(try await asked.get("/tasks?state=dead")["tasks"]?[0]?["id"] == .string(dead.id))
        try await asked.post("\(dead.id)/drop", nil, 409)
        try await asked.post("\(dead.id)/retry", nil, 200)
        try await asked.post("\(dead.id)/retry", nil, 409)
        try await asked.post("retry", "{\"state\":\"dead\",\"queue\":\"jobs\"}", 200)

        let page = try await served.request("GET", "/problems/lease-lost", token: nil)
        #expect(ServedTasks.status(page) == 200 && page.contains("Content-Type: text/plain"))
        #expect(try await served.status("GET", "/problems/none", token: nil) == 404)
      }
    }
  }

  /// A server that is asked, each answer of which is compared with a document.
  private struct Asked {
    let served: ServedTasks
    let document: Value

    func claim(token: String = ServedTasks.boss) async throws -> ServedTasks.Claimed {
      let answer = try await post(
        "claim", "{\"queues\":[\"jobs\"],\"worker\":\"w\"}", 200, token: token)
      let task = try #require(answer["tasks"]?[0])
      return ServedTasks.Claimed(
        id: try #require(task["id"]?.stringValue), token: try #require(task["token"]?.stringValue))
    }

    func get(_ path: String) async throws -> Value {
      try expect(try await served.ask("GET", path), 200, "get", path)
    }

    @discardableResult
    func post(
      _ path: String, _ body: String?, _ status: Int, token: String = ServedTasks.boss
    ) async throws -> Value {
      let answer = try await served.ask("POST", "/tasks/\(path)", body, token: token)
      return try expect(answer, status, "post", "/tasks/\(path)")
    }

    private func expect(
      _ answer: ServedTasks.Answer, _ status: Int, _ method: String, _ path: String
    ) throws -> Value {
      #expect(answer.status == status, "\(path): \(answer.text)")
      let parts = path.prefix { $0 != "?" }.split(separator: "/").map {
        Int($0) == nil ? String($0) : "{id}"
      }
      let operation = document["paths"]?["/" + parts.joined(separator: "/")]?[method]
      let response = try #require(operation?["responses"]?["\(status)"], "\(path) \(status)")
      check(answer.body, response["content"]?.recordValue?.first?.value["schema"], path)
      return answer.body
    }

    /// Checks that a value has the required fields of a schema, and no field that the schema does not have.
    private func check(_ value: Value, _ schema: Value?, _ place: String) {
      guard let schema else { return }
      if let name = schema["$ref"]?.stringValue?.split(separator: "/").last {
        return check(value, document["components"]?["schemas"]?[String(name)], place)
      }
      if let items = schema["items"] {
        for each in value.listValue ?? [] { check(each, items, place) }
      }
      guard let known = schema["properties"]?.recordValue, let fields = value.recordValue else {
        return
      }
      for name in schema["required"]?.listValue?.compactMap(\.stringValue) ?? [] {
        #expect(fields[name] != nil, "\(place) lacks \(name)")
      }
      for (name, field) in fields {
        #expect(known[name] != nil, "\(place) has \(name)")
        check(field, known[name], "\(place).\(name)")
      }
    }
  }
#endif
