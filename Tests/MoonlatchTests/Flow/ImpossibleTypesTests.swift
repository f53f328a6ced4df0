import FlowHosting
import FlowKernel
import FlowLanguage
import Testing

/// Types that no value fits, and constraints without effect, which `types.lua` rejects.
@Suite struct ImpossibleTypesTests {
  @Test(
    "a type that no value fits, or with a part that has no effect, is an error at loading",
    arguments: [
      ("map_of { string, key = number }", "map_of: number is not a type for keys"),
      ("map_of { string, key = any }", "map_of: any is not a type for keys"),
      ("map_of { string, key = boolean }", "map_of: boolean is not a type for keys"),
      ("map_of { string, key = optional(string) }", "map_of: optional is not a type for keys"),
      ("map_of { string, key = list_of(string) }", "map_of: list_of is not a type for keys"),
      ("map_of { string, key = { a = string } }", "map_of: a record is not a type for keys"),
      ("map_of { string, key = one_of { 1.5 } }", "map_of: 1.5 is not a key"),
      ("map_of { string, key = one_of { true } }", "map_of: true is not a key"),
      (
        "map_of { string, key = one_of { 5, \"a\" } }",
        "must all be strings or all be whole numbers"
      ),
      ("map_of(string) { key = number }", "map_of: number is not a type for keys"),
      ("map_of(optional(string))", "map_of: an entry of a map always has a value"),
      ("list_of(optional(string))", "list_of: an element of a list always has a value"),
      ("list_of { optional { a = string }, max_length = 3 }", "list_of: an element of a list"),
      ("one_of { { a = 1 }, { a = 2 } }", "one_of[1]: one_of chooses among strings, numbers"),
      (
        "one_of { \"a\", none }",
        "one_of[2]: none cannot be a choice; write optional(one_of { ... })"
      ),
      ("one_of { [1] = \"a\", [3] = \"c\" }", "one_of: the values to choose from must be a list"),
      ("one_of { \"a\", [true] = 1 }", "one_of has no constraint true"),
      ("integer { min = 1.2, max = 1.8 }", "integer: no value is from min to max"),
      ("integer { min = 1e300 }", "integer: no value is from min to max"),
      ("number { min = math.huge }", "number: no value is from min to max"),
      ("number { max = -math.huge }", "number: no value is from min to max"),
      ("integer { 5 }", "integer takes constraints by their names: integer { default = ... }"),
      ("string { 5 }", "string takes constraints by their names: string { max_length = ... }"),
      (
        "list_of { string, integer }",
        "list_of takes a single type for all its elements; remove number 2"
      ),
      ("{ [\"\\xff\"] = string }", "names must be UTF-8"),
    ])
  func refused(declared: String, fault: String) {
    for declaration in ["action.go { f = \(declared) }", "state { f = optional(\(declared)) }"] {
      let error = #expect(throws: FlowError.self, "\(declaration)") {
        try LoadedFlow(source: "action.a {}\n\(declaration)")
      }
      #expect("\(String(describing: error))".contains(fault), "\(declaration): \(error as Any)")
      #expect(!"\(String(describing: error))".contains("there is no host to answer"))
    }
  }

  @Test(
    "a default or sample is read by its type: with integer keys it is a map",
    arguments: [
      "map_of { string, key = integer, default = { [10] = \"a\" } }",
      "map_of { string, key = one_of { 5, 10 }, samples = { { [10] = \"a\" } }, default = {} }",
      "list_of { map_of { string, key = integer }, default = { { [7] = \"a\" } } }",
      "map_of { { m = map_of { string, key = integer } }, default = { a = { m = { [7] = \"a\" } } } }",
    ])
  func defaults(type: String) throws {
    let flow =
      "action.go { f = \(type) }\nstate { f = \(type) }\nfunction reduce.go(s, a) s.f = a.f end"
    let host = try FlowHost(source: flow)
    let state = try host.state()
    #expect(try host.dispatch("go").isPassed)
    #expect(try host.state() == state)
  }

  @Test(
    "the fix that an error about a missing initial value suggests is accepted",
    arguments: [
      "integer { min = 3 }", "integer { max = -3 }", "number { min = 0.5 }", "string",
      "string { min_length = 2 }", "one_of { \"a\", 2 }", "boolean",
      "list_of { integer { min = 5 }, min_length = 1 }",
    ])
  func beginning(type: String) throws {
    let error = #expect(throws: FlowError.self) {
      try LoadedFlow(source: "state { f = \(type) }\naction.a {}")
    }
    let text = String(describing: error)
    let advice = try #require(
      text.firstMatch(of: /write \w+(?: \{ (?:\.\.\., |.*, )?| \{ )(default = .*?) \} or optional/))
    let refined =
      type.contains("{") ? type.dropLast(2) + ", \(advice.1) }" : "\(type) { \(advice.1) }"
    #expect(throws: Never.self) { try LoadedFlow(source: "state { f = \(refined) }\naction.a {}") }
  }
}
