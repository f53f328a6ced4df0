#if Server
  import FlowKernel
  import LuaRuntime
  import Testing

  @testable import FlowServer

  @Suite struct SchemaTests {
    private func schema(_ type: String) throws -> Value {
      let flow = try LoadedFlow(
        source: "state { x = 0 } action.a { it = \(type) } function reduce.a(s) s.x = 1 end",
        name: "a.lua")
      let action = try #require(flow.flow.actions.first)
      return Schema.of(action.payload)["properties"]?["it"] ?? .nil
    }

    @Test("an empty list may be written as an empty object, and an empty map as an empty array")
    func anEmptyList() throws {
      let list = try schema("list_of(string)")
      #expect(list["type"] == ["array", "object"] && list["maxProperties"] == 0)
      let some = try schema("list_of { string, min_length = 1 }")
      #expect(some["type"] == "array" && some["minItems"] == 1 && some["maxProperties"] == nil)
      let map = try schema("map_of(integer)")
      #expect(map["type"] == ["object", "array"] && map["maxItems"] == 0)
      let numbered = try schema("map_of { string, key = integer }")
      #expect(numbered["items"]?["type"] == "string" && numbered["maxItems"] == nil)
    }

    @Test("the keys of a map with integer keys are numbers, plain or in brackets")
    func integerNames() throws {
      let any = try schema("map_of { string, key = integer }")
      let forms = (any["anyOf"]?.listValue ?? []).compactMap {
        $0["propertyNames"]?["pattern"]?.stringValue
      }
      let expressions = try forms.map { try Regex($0) }
      func matches(_ name: String) -> [Bool] {
        expressions.map { name.firstMatch(of: $0) != nil }
      }
      for name in ["0", "3", "-12"] { #expect(matches(name) == [true, false], "\(name)") }
      for name in ["[3]", "[-12]"] { #expect(matches(name) == [false, true], "\(name)") }
      for name in ["", "03", "[3", "3]", "a", "3.0", "[]"] {
        #expect(matches(name) == [false, false], "\(name)")
      }
      let some = try schema("map_of { string, key = one_of { 5, 10 } }")
      #expect(
        some["anyOf"] == [
          ["propertyNames": ["enum": ["5", "10"]]], ["propertyNames": ["enum": ["[5]", "[10]"]]],
        ])
      #expect(some["description"]?.stringValue?.contains("whole numbers") == true)
    }

    @Test("a record has its declared fields, and any other field must be null")
    func aRecordHas() throws {
      let record = try schema("{ a = string, b = optional(integer) }")
      #expect(record["type"] == "object" && record["required"] == ["a"])
      #expect(record["additionalProperties"] == ["type": "null"])
      let open = try schema("{ b = optional(integer) }")
      #expect(open["type"] == ["object", "array"] && open["required"] == nil)
    }

    @Test("the given state of a new case has complete records")
    func whatIsGiven() throws {
      let flow = try LoadedFlow(
        source: """
          state { place = { x = 0, note = none }, kind = one_of { "a", "b", default = "a" } }
          action.go {}
          """)
      let document = OpenAPI.document(of: flow)
      let body = document["paths"]?["/cases/{id}"]?["post"]?["requestBody"]
      let given = body?["content"]?["application/json"]?["schema"]?["properties"]?["given"]
      #expect(given?["additionalProperties"] == false)
      let place = given?["properties"]?["place"]
      #expect(place?["required"] == ["x"] && place?["additionalProperties"] == false)
      #expect(place?["properties"]?["x"] == ["$ref": "#/components/schemas/Plain"])
      // No default stands in for nothing there.
      #expect(given?["properties"]?["kind"]?["anyOf"] == nil)
    }

    @Test("a Lua pattern becomes an ECMAScript pattern if there is an equivalent")
    func aPatternOf() {
      #expect(LuaPattern.expression("^%l+$") == "^[a-z]+$")
      #expect(LuaPattern.expression("[%w_]-%.") == "[A-Za-z0-9_]*?\\.")
      #expect(LuaPattern.expression("(a)%1") == nil)
    }
  }
#endif
