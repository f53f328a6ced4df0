import Testing

@testable import Scenarios

/// `print` in a scenario.
@Suite struct PrintingTests {
  @Test(
    "tables are printed with their contents",
    arguments: [
      ("print({ 1, \"a\", x = { true } }, 2)", ["{ 1, \"a\", x = { true } }\t2"]),
      ("print(view.rows())", ["{ { id = 1, note = \"a\" }, { id = 2, note = \"b\" } }"]),
      ("print({}, nil, \"text\")", ["{}\tnil\ttext"]),
      ("print(setmetatable({}, { __tostring = function() return \"own\" end }))", ["own"]),
      ("print()", [""]),
    ])
  func tables(body: String, lines: [String]) throws {
    let played = try Played("scenario(\"it\", function() \(body) end)")
    #expect(played.printed == lines)
  }

  @Test("printing a cyclic table ends")
  func circles() throws {
    let played = try Played("scenario(\"it\", function() local t = {} t.t = t print(t) end)")
    #expect(played.printed.joined().contains("deeper"))
  }
}
