#if Server
  import FlowCases
  import FlowKernel
  import LuaRuntime
  import Testing

  @testable import FlowServer

  @Suite struct OpenAPITests {
    private func operations(_ document: Value) -> [Value] {
      (document["paths"]?.recordValue ?? [:]).values.flatMap { path in
        (path.recordValue ?? [:]).values
      }
    }

    @Test("operation ids are unique, also without regard to case and underscores")
    func operationIDs() throws {
      let flow = try LoadedFlow(
        source: """
          state { x = 0 }
          action["pay now"] {} action.pay_now {} action.payNow {} action["é"] {} action["ü"] {}
          function view.x(s) return s.x end
          function view.X(s) return s.x end
          """)
      let document = OpenAPI.document(of: flow)
      let ids = operations(document).compactMap { $0["operationId"]?.stringValue }
      #expect(ids.count == operations(document).count)
      #expect(Set(ids.map { $0.lowercased().filter { $0 != "_" } }).count == ids.count, "\(ids)")
      for id in ids {
        #expect(id.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") })
      }
      #expect(ids.contains("dispatch_pay_now") && ids.contains("getView_X"))
      #expect(OpenAPI.document(of: flow) == document)
    }

    @Test("responses have schemas: the state according to its types, with secrets masked")
    func answers() throws {
      let flow = try LoadedFlow(
        source: """
          state { cents = integer { min = 1, default = 1 }, pin = optional(string { secret = true }),
                  kind = one_of { "a", "b", default = "a" }, names = list_of(string), free = 0 }
          machine.order { initial = "open", open = { close = "closed" }, closed = {} }
          action.close {}
          """)
      let document = OpenAPI.document(of: flow)
      for operation in operations(document) {
        for (code, response) in operation["responses"]?.recordValue ?? [:] where code != "304" {
          let content = response["content"]?.recordValue?.first?.value
          #expect(content?["schema"] != nil, "\(code)")
        }
      }
      let state = document["components"]?["schemas"]?["State"]?["properties"]
      #expect(state?["cents"]?["type"] == "integer")
      #expect(state?["pin"]?["type"] == "string" && state?["kind"]?["enum"] == ["a", "b"])
      #expect(state?["names"]?["items"]?["type"] == "string")
      #expect(state?["free"]?["type"] == nil && state?["order"] != nil)
      let born = document["components"]?["schemas"]?["Case"]?["properties"]?["born"]
      #expect(born?["description"]?.stringValue?.contains("microseconds since 1970") == true)
    }

    @Test("a choice among values of several types is described by type")
    func choices() throws {
      let flow = try LoadedFlow(
        source: "state { x = 0 } action.a { it = one_of { \"b\", 1, true, \"c\" } }")
      let action = try #require(flow.flow.actions.first)
      let schema = Schema.of(action.payload)["properties"]?["it"]
      #expect(schema?["anyOf"] == [["enum": ["b", "c"]], ["enum": [1]], ["const": true]])
    }
  }
#endif
