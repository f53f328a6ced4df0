import LuaRuntime
import Testing

@testable import FlowHosting
@testable import FlowKernel

/// JSON, as read by types.
@Suite struct PayloadTypeJSONTests {
  private static let fitting: [(String, String, Value)] = [
    ("map_of { string, key = integer }", "{\"3\":\"a\",\"-1\":\"b\"}", .map([3: "a", -1: "b"])),
    ("map_of { string, key = integer }", "{\"[3]\":\"a\"}", .map([3: "a"])),
    ("map_of { string, key = integer }", "{\"[3]\":\"a\",\"[4]\":\"b\"}", .map([3: "a", 4: "b"])),
    ("map_of { string, key = one_of { 5, 10 } }", "{\"5\":\"a\"}", .map([5: "a"])),
    ("map_of { string, key = integer }", "[\"a\"]", .map([1: "a"])),
    ("list_of { map_of { string, key = integer } }", "[{\"3\":\"a\"}]", [.map([3: "a"])]),
    (
      "optional { m = map_of { integer, key = integer } }", "{\"m\":{\"3\":1}}",
      ["m": .map([3: 1])]
    ),
    ("map_of(string)", "{\"3\":\"a\"}", ["3": "a"]),
    ("map_of(string)", "{\"[3]\":\"a\"}", ["[3]": "a"]),
    ("any", "{\"[3]\":\"a\"}", .map([3: "a"])), ("any", "{\"3\":\"a\"}", ["3": "a"]),
  ]

  @Test("JSON names that are integers, plain or in brackets, are the keys of a map")
  func fits() throws {
    for (declared, json, value) in PayloadTypeJSONTests.fitting {
      let host = try host(declared)
      let payload = ["f": try JSONText.value(of: json)] as Value
      #expect(try host.dispatch("go", host.read(payload)).isPassed, "\(declared) \(json)")
      #expect(try host.state()["f"] == value, "\(declared) \(json)")
    }
  }

  @Test(
    "a JSON name that is no integer, or a key in both forms, does not fit",
    arguments: [
      "{\"a\":\"x\"}", "{\"03\":\"x\"}", "{\"3\":\"x\",\"[3]\":\"y\"}", "{\"3.0\":\"x\"}",
    ])
  func misfits(json: String) throws {
    let host = try host("map_of { string, key = integer }")
    let payload = ["f": try JSONText.value(of: json)] as Value
    #expect(try !host.dispatch("go", host.read(payload)).isPassed)
  }

  @Test("a part of the state is read from JSON by its type")
  func state() throws {
    let flow = try LoadedFlow(
      source: "state { at = { m = map_of { string, key = integer } }, open = map {} }\naction.go {}"
    )
    let given = try JSONText.value(of: "{\"at\":{\"m\":{\"3\":\"a\"}},\"open\":{\"3\":\"a\"}}")
    #expect(
      flow.flow.types.reading(json: given) == ["at": ["m": .map([3: "a"])], "open": ["3": "a"]])
  }

  private func host(_ type: String) throws -> FlowHost {
    try FlowHost(
      source: """
        action.go { f = \(type) }
        state { f = none }
        function reduce.go(s, a) s.f = a.f end
        """)
  }
}

extension FlowHost {
  fileprivate func read(_ payload: Value) throws -> Value {
    try use { $0.flow.reading(json: payload, of: "go") }
  }
}
