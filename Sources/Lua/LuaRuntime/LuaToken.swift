/// A token of Lua source.
package struct LuaToken: Sendable, Hashable {
  package enum Kind: Sendable {
    case name, keyword, string, number, symbol
  }

  package let kind: Kind
  /// The text of the token, or the content of a string.
  package let text: String
  /// The line on which the token begins, counted from 1.
  package let line: Int
  /// The byte of the line at which the token begins, counted from 1.
  package let column: Int

  package func isSymbol(_ text: String) -> Bool { kind == .symbol && self.text == text }
  package func isKeyword(_ text: String) -> Bool { kind == .keyword && self.text == text }
  /// True if the token opens a bracket of any kind.
  package var opensBracket: Bool { kind == .symbol && ["(", "{", "["].contains(text) }
  /// True if the token closes a bracket of any kind.
  package var closesBracket: Bool { kind == .symbol && [")", "}", "]"].contains(text) }

  static let keywords: Set<String> = [
    "and", "break", "do", "else", "elseif", "end", "false", "for", "function", "goto", "if", "in",
    "local", "nil", "not", "or", "repeat", "return", "then", "true", "until", "while",
  ]
}

/// A comment of Lua source, without its dashes.
package struct LuaComment: Sendable, Hashable {
  package let text: String
  package let line: Int
}

/// The error in a text that is not Lua.
package struct LuaSyntaxError: Error, Sendable, Hashable {
  package let message: String
  package let line: Int

  package init(message: String, line: Int) { (self.message, self.line) = (message, line) }
}
