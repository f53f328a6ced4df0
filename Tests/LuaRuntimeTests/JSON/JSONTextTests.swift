import Testing

@testable import LuaRuntime

@Suite struct JSONTextTests {
  private func problem(_ text: String) -> String {
    do throws(JSONText.Malformed) {
      return "read as \(try JSONText.value(of: text).source)"
    } catch {
      return error.description
    }
  }

  @Test(
    "invalid JSON is rejected with its column",
    arguments: [
      ("\"\\ud800\\u0041\"", "column 2: half of a character"),
      ("[\"\\ud800\"]", "column 3: half of a character"),
      ("\"\\udc00\"", "column 2: half of a character"),
      ("\"\\ud800\\ud800\"", "column 2: half of a character"),
      ("\"\\ud800\\n\"", "column 2: half of a character"),
      ("\"\\ud800\\", "column 2: half of a character"),
      ("\"\\ud800\\u", "column 10: four hexadecimal digits were expected"),
      ("\"\\u+041\"", "column 4: four hexadecimal digits were expected"),
      ("\"\\u-001\"", "column 4: four hexadecimal digits were expected"),
      ("\"\\u00", "column 4: four hexadecimal digits were expected"),
      ("\"\\x\"", "column 2: there is no such escape"),
      ("\"\\", "column 3: the text ends too early"),
      ("\"", "column 2: a text ends with a quote"), ("", "column 1: the text ends too early"),
      ("1e999", "column 1: this number is larger than any that can be held"),
      ("[-1e999]", "column 2: this number is larger than any that can be held"),
      ("+1", "column 1: this is no value"), ("01", "column 1: this is no value"),
      ("1.", "column 1: this is no value"), (".5", "column 1: this is no value"),
      ("-", "column 1: this is no value"), ("1e", "column 1: this is no value"),
      ("1.2.3", "column 1: this is no value"), ("nan", "column 1: this is no value"),
      ("--1", "column 1: this is no value"), ("0x10", "column 2: something follows the value"),
      ("nul", "column 1: this is no value"), ("[1,]", "column 4: this is no value"),
      ("{\"a\"}", "column 5: a colon was expected"),
      ("{a:1}", "column 2: a name in quotes was expected"),
      ("[1 2]", "column 4: a list ends with ]"), ("{\"a\":1", "column 7: an object ends with }"),
      ("1 2", "column 3: something follows the value"),
    ])
  func malformed(text: String, reason: String) { #expect(problem(text) == reason) }

  @Test("numbers that fit are integers, and others the nearest floating-point number")
  func numbers() throws {
    let all =
      [
        ("9223372036854775807", .integer(.max)), ("-9223372036854775808", .integer(.min)),
        ("9223372036854775808", .number(9_223_372_036_854_775_808)), ("-0", 0), ("1.0", 1.0),
        ("1e-999", 0.0), ("1E2", 100.0), ("1.5e-1", 0.15),
        (String(repeating: "9", count: 300), .number(1e300)),
      ] as [(String, Value)]
    for (text, value) in all {
      #expect(try JSONText.value(of: text) == value)
    }
  }

  @Test("two escapes of a surrogate pair make one character")
  func pairs() throws {
    #expect(try JSONText.value(of: "\"\\ud83d\\ude00\\ufffd\\u00e9\"") == "😀\u{fffd}é")
  }

  @Test("values without a form in JSON are written as names in brackets")
  func brackets() throws {
    let all =
      [
        (.map([7: "a", -1: 2]), #"{"[-1]":2,"[7]":"a"}"#), (.map([:]), #"{"[]":null}"#),
        (.number(.infinity), #"{"[math.huge]":null}"#),
        (.number(-.infinity), #"{"[-math.huge]":null}"#), (["[7]": 1], #"{"[[7]]":1}"#),
        (["[]": .nil], #"{"[[]]":null}"#), (["[7]": 1, "a": 2], #"{"[7]":1,"a":2}"#),
        (["[07]": 1], #"{"[07]":1}"#), (["[nan]": .nil], #"{"[[nan]]":null}"#),
        (-0.0, "-0.0"), ([], "[]"), ([:], "{}"), ([1, 1.0], "[1,1.0]"), ([.nil], "[null]"),
      ] as [(Value, String)]
    for (value, text) in all {
      #expect(JSONText.text(value) == text)
      #expect(try JSONText.value(of: text) == value)
    }
  }

  @Test("NaN is read as NaN")
  func nan() throws {
    guard case .number(let number) = try JSONText.value(of: JSONText.text(.number(.nan))) else {
      return #expect(Bool(false))
    }
    #expect(number.isNaN)
  }

  @Test("values can be nested as deeply as anywhere else, and deeper ones are rejected")
  func depth() throws {
    func nested(_ depth: Int, _ inside: String) -> String {
      String(repeating: "[", count: depth) + inside + String(repeating: "]", count: depth)
    }
    let most = ValueReader.deepest - 1
    for inside in ["1", "[]", "{\"[nan]\":null}", "{\"[]\":null}"] {
      let value = try JSONText.value(of: nested(most, inside))
      #expect(JSONText.text(value) == nested(most, inside))
    }
    for text in [nested(most + 1, "1"), nested(100_000, "1"), nested(most, "{\"a\":1}")] {
      #expect(problem(text).contains("values are nested more than \(most) deep"))
    }
    // The limit leaves space for the structure that is recorded around the deepest value of a flow.
    #expect(Limits(nesting: .max).deepest + 2 < most)
  }

  @Test("a location in a text is found by its path")
  func columns() {
    let text = #" {"a": [1, {"b" : "x"}], "a": [2, {"b": "y", "c": null}]}"#
    func rest(_ keys: [StatePath.Key]) -> String {
      String(text.dropFirst(JSONText.column(of: StatePath(keys), in: text[...].utf8) - 1))
    }
    #expect(rest([]).hasPrefix(#"{"a""#))
    #expect(rest(["a"]).hasPrefix("[2"))
    #expect(rest(["a", 2, "c"]) == "null}]}")
    #expect(rest(["a", 9]).hasPrefix("[2"))
    #expect(rest(["nothing"]).hasPrefix(#"{"a""#))
  }
}
