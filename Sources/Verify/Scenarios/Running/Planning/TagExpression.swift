/// An expression over the tags of a scenario, such as `smoke and not (slow or flaky)`.
package indirect enum TagExpression: Sendable, Hashable {
  case tag(String)
  case not(TagExpression)
  case and(TagExpression, TagExpression)
  case or(TagExpression, TagExpression)

  /// An error that says what is wrong with an expression.
  package struct Malformed: Error, CustomStringConvertible {
    package let description: String
  }

  /// Reads an expression of tags, `and`, `or`, `not` and parentheses.
  package init(_ text: String) throws(Malformed) {
    var parser = Parser(text)
    self = try parser.alternatives()
    if let rest = parser.next { throw parser.malformed("\"\(rest)\" is not expected here") }
  }

  /// Returns true if the expression holds for these tags.
  package func holds(for tags: [String]) -> Bool {
    switch self {
    case .tag(let tag): tags.contains(tag)
    case .not(let other): !other.holds(for: tags)
    case .and(let first, let second): first.holds(for: tags) && second.holds(for: tags)
    case .or(let first, let second): first.holds(for: tags) || second.holds(for: tags)
    }
  }

  private struct Parser {
    let text: String
    private var words: ArraySlice<String>

    init(_ text: String) {
      self.text = text
      words =
        text.replacing("(", with: " ( ").replacing(")", with: " ) ")
        .split(whereSeparator: \.isWhitespace).map(String.init)[...]
    }

    var next: String? { words.first }

    func malformed(_ why: String) -> Malformed {
      Malformed(
        description: "the tags \"\(text)\" cannot be read: \(why) "
          + "(write tags with and, or, not and parentheses: smoke and not slow)")
    }

    mutating func alternatives() throws(Malformed) -> TagExpression {
      var expression = try conjunction()
      while consume("or") { expression = .or(expression, try conjunction()) }
      return expression
    }

    private mutating func conjunction() throws(Malformed) -> TagExpression {
      var expression = try negation()
      while consume("and") { expression = .and(expression, try negation()) }
      return expression
    }

    private mutating func negation() throws(Malformed) -> TagExpression {
      if consume("not") { return .not(try negation()) }
      if consume("(") {
        let inner = try alternatives()
        guard consume(")") else { throw malformed("a ) is missing") }
        return inner
      }
      guard let word = words.first, !["and", "or", ")"].contains(word) else {
        throw malformed(
          words.first.map { "a tag is missing before \"\($0)\"" } ?? "a tag is missing at the end")
      }
      words.removeFirst()
      return .tag(word)
    }

    private mutating func consume(_ word: String) -> Bool {
      guard words.first == word else { return false }
      words.removeFirst()
      return true
    }
  }
}
