/// Advice for syntax errors that come from the syntax of other languages.
struct ForeignSyntax {
  private let tokens: [LuaToken]
  private let message: String
  /// The tokens of the line with the error, and the one before it, where the mistake often stands.
  private let near: Range<Int>
  /// True if a brace follows a closing parenthesis there, as in `if (x) {`.
  private let opensBrace: Bool

  /// Returns the advice for a syntax error; nil if nothing around it is known from another language.
  static func advice(for message: String, line: Int, in text: String) -> String? {
    if message.contains("invalid escape sequence") {
      return "patterns use % in place of \\; write \\\\ for a backslash"
    }
    let tokens = LuaLexer(text).tokens
    if let advice = decrement(before: line, tokens, text) { return advice }
    return ForeignSyntax(message, line, tokens).advice
  }

  /// Returns the advice for `x--`, which Lua reads as a name and a comment.
  private static func decrement(
    before line: Int, _ tokens: [LuaToken], _ text: String
  ) -> String? {
    guard let last = tokens.last(where: { $0.line < line }), last.kind == .name else { return nil }
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    guard lines.indices.contains(last.line - 1) else { return nil }
    let rest = lines[last.line - 1].utf8.dropFirst(last.column - 1 + last.text.utf8.count)
    let behind = rest.dropFirst(2).filter { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: ";") }
    return rest.starts(with: "--".utf8) && behind.isEmpty ? "Lua has no --: write x = x - 1" : nil
  }

  private init(_ message: String, _ line: Int, _ tokens: [LuaToken]) {
    (self.message, self.tokens) = (message, tokens)
    let first = tokens.firstIndex { $0.line >= line } ?? tokens.endIndex
    let start = tokens[..<first].last.flatMap { last in
      tokens.firstIndex { $0.line == last.line }
    }
    let end = tokens[first...].firstIndex { $0.line > line } ?? tokens.endIndex
    near = (start ?? first)..<end
    opensBrace = zip(tokens[near], tokens[near].dropFirst()).contains {
      $0.isSymbol(")") && $1.isSymbol("{") && $0.line == $1.line
    }
  }

  private var advice: String? {
    if message.contains("'end' expected"), let line = looseElseIf {
      return "Lua writes elseif; else if in line \(line) needs its own end"
    }
    return near.lazy.compactMap(symbols).first ?? near.lazy.compactMap(words).first
  }

  /// The line of the last `else if` inside the block in which an `end` is missing.
  private var looseElseIf: Int? {
    // As in: 'end' expected (to close 'function' at line 7) near <eof>
    let first = message.firstMatch(of: /at line (\d+)/).flatMap { Int($0.1) } ?? 0
    return tokens.indices.dropFirst().last {
      tokens[$0].isKeyword("if") && tokens[$0 - 1].isKeyword("else")
        && tokens[$0].line == tokens[$0 - 1].line && tokens[$0].line >= first
    }.map { tokens[$0].line }
  }

  /// Symbols of other languages, longest first, with what Lua writes in their place.
  private static let written: [(symbols: String, advice: String)] = [
    ("===", "Lua writes == for ==="), ("!==", "Lua writes ~= for !=="),
    ("!=", "Lua writes ~= for !="), ("&&", "Lua writes and for &&"),
    ("||", "Lua writes or for ||"), ("??", "Lua writes or for ??"),
    ("++", "Lua has no ++: write x = x + 1"),
    ("+=", "Lua has no +=: write x = x + y"), ("-=", "Lua has no -=: write x = x - y"),
    ("*=", "Lua has no *=: write x = x * y"), ("/=", "Lua has no /=: write x = x / y"),
    ("%=", "Lua has no %=: write x = x % y"), ("..=", "Lua has no ..=: write x = x .. y"),
    ("=>", "Lua has no =>: write function(x) return y end"),
    ("/*", "Lua writes --[[ and ]] around a comment"), ("!", "Lua writes not for !"),
    ("?", "Lua has no ? and :, write condition and x or y"),
    ("`", "Lua has no `: join strings with .., or use string.format"),
  ]

  private func symbols(at index: Int) -> String? {
    if let known = ForeignSyntax.written.first(where: { isWritten($0.symbols, at: index) }) {
      return known.advice
    }
    let token = tokens[index]
    let beginsLine = index == 0 || tokens[index - 1].line < token.line
    if token.isSymbol("//"), beginsLine { return "Lua writes -- before a comment" }
    if token.isSymbol(":"), index > 1, tokens[index - 2].isKeyword("local") {
      return "Lua has no types of locals: leave : and the type out"
    }
    return nil
  }

  /// Returns true if symbols follow each other without a space in between.
  private func isWritten(_ symbols: String, at index: Int) -> Bool {
    var text = ""
    var next = index
    while text.utf8.count < symbols.utf8.count, next < tokens.endIndex {
      let token = tokens[next]
      guard token.kind == .symbol, token.line == tokens[index].line,
        token.column == tokens[index].column + text.utf8.count
      else { return false }
      text += token.text
      next += 1
    }
    return text == symbols
  }

  private func words(at index: Int) -> String? {
    let token = tokens[index]
    let next = index + 1 < tokens.endIndex ? tokens[index + 1] : nil
    if token.kind == .name, isPartOfExpression(index) { return nil }
    switch token.text {
    case "const", "let", "var":
      guard token.kind == .name, next?.kind == .name else { return nil }
      return "Lua writes local for \(token.text)"
    case "elif", "elsif", "elseIf":
      return token.kind == .name ? "Lua writes elseif" : nil
    case "continue":
      return token.kind == .name ? "Lua has no continue: put the rest of the loop into an if" : nil
    case "switch":
      return token.kind == .name && next?.isSymbol("(") == true
        ? "Lua has no switch: write if, elseif and else" : nil
    case "async", "await":
      return token.kind == .name ? "an effect waits by itself: leave \(token.text) out" : nil
    case "for":
      guard token.kind == .keyword, next?.isSymbol("(") == true || message.contains("';'") else {
        return nil
      }
      return "Lua writes for i = 1, n do ... end"
    case "if", "while", "function":
      guard token.kind == .keyword, opensBrace else { return nil }
      let word = ["if": "then", "while": "do"][token.text]
      return "Lua has no { } around statements: write \(word.map { "\($0) ... end" } ?? "... end")"
    default: return nil
    }
  }

  /// Returns true for a name that is no statement's first word: a field, a key, an operand or an argument.
  private func isPartOfExpression(_ index: Int) -> Bool {
    let next = index + 1 < tokens.endIndex ? tokens[index + 1] : nil
    if next?.isSymbol("=") == true || next?.isSymbol(".") == true { return true }
    guard index > 0, tokens[index - 1].kind == .symbol else { return false }
    return !tokens[index - 1].isSymbol(";") && !tokens[index - 1].closesBracket
  }
}
