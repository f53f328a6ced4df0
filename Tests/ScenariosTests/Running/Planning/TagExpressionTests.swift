import Testing

@testable import Scenarios

@Suite struct TagExpressionTests {
  @Test(
    "and binds closer than or, but not closest of all",
    arguments: [
      ("a", ["a"], true), ("a", [], false), ("not a", [], true), ("not not a", ["a"], true),
      ("a and b", ["a"], false), ("a or b and c", ["a"], true), ("(a or b) and c", ["a"], false),
      ("(a or b)and c", ["b", "c"], true), ("a and not b", ["a", "b"], false),
      ("not a or b", ["a", "b"], true), ("not (a or b)", ["c"], true),
    ])
  func holds(text: String, tags: [String], expected: Bool) throws {
    #expect(try TagExpression(text).holds(for: tags) == expected)
  }

  @Test(
    "an invalid expression is an error with the reason",
    arguments: [
      ("", "a tag is missing at the end"), ("a and", "a tag is missing at the end"),
      ("or a", "a tag is missing before \"or\""), ("(a", "a ) is missing"),
      ("a b", "\"b\" is not expected here"), ("a)", "\")\" is not expected here"),
    ])
  func malformed(text: String, why: String) {
    do throws(TagExpression.Malformed) {
      _ = try TagExpression(text)
      Issue.record("\(text) was read")
    } catch {
      #expect(error.description.hasPrefix("the tags \"\(text)\" cannot be read: \(why) "))
    }
  }
}
