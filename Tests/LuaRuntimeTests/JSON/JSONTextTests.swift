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
      ("\"\\ud800\\u0041\"", "column 2: half of a surrogate pair"),
      ("[\"\\ud800\"]", "column 3: half of a surrogate pair"),
      ("\"\\udc00\"", "column 2: half of a surrogate pair"),
      ("\"\\ud800\\ud800\"", "column 2: half of a surrogate pair"),
      ("\"\\ud800\\n\"", "column 2: half of a surrogate pair"),
      ("\"\\ud800\\", "column 2: half of a surrogate pair"),
      ("\"\\ud800\\u", "column 10: expected four hexadecimal digits"),
      ("\"\\u+041\"", "column 4: expected four hexadecimal digits"),
      ("\"\\u-001\"", "column 4: expected four hexadecimal digits"),
      ("\"\\u00", "column 4: expected four hexadecimal digits"),
      ("\"\\x\"", "column 2: unknown escape sequence"),
      ("\"\\", "column 3: the text ends before the value does"),
      ("\"", "column 2: the string has no closing quote"),
      ("", "column 1: the text ends before the value does"),
      ("1e999", "column 1: this number is too large"),
      ("[-1e999]", "column 2: this number is too large"),
      ("+1", "column 1: this is not a JSON value"), ("01", "column 1: this is not a JSON value"),
      ("1.", "column 1: this is not a JSON value"), (".5", "column 1: this is not a JSON value"),
      ("-", "column 1: this is not a JSON value"), ("1e", "column 1: this is not a JSON value"),
      ("1.2.3", "column 1: this is not a JSON value"),
      ("nan", "column 1: this is not a JSON value"),
      ("--1", "column 1: this is not a JSON value"),
      ("0x10", "column 2: unexpected text after the value"),
      ("nul", "column 1: this is not a JSON value"), ("[1,]", "column 4: this is not a JSON value"),
      ("{\"a\"}", "column 5: expected a colon"),
      ("{a:1}", "column 2: expected a name in quotes"),
      ("[1 2]", "column 4: expected , or ] in the list"),
      ("{\"a\":1", "column 7: expected , or } in the object"),
      ("1 2", "column 3: unexpected text after the value"),
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
