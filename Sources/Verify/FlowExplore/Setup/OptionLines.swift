import LuaRuntime

/// The lines of an exploration's options, for messages.
///
/// They come from the tokens of the file, since a table has no lines once its constructor has run.
struct OptionLines {
  private let tokens: [LuaToken]
  private let start: Int

  /// Finds the options of the exploration that begins on a line.
  init(_ tokens: [LuaToken], from line: Int) {
    self.tokens = tokens
    start =
      tokens.firstIndex { $0.line >= line && $0.text == "explore" && $0.kind == .name }
      ?? tokens.endIndex
    self.line = line
  }

  private let line: Int

  /// Returns the line of an option, or of the nearest enclosing option that is written out.
  func line(of path: [StatePath.Key]) -> Int {
    guard var at = constructor else { return line }
    var found = tokens[at].line
    for key in path {
      guard let value = value(of: key, in: at), tokens.indices.contains(value.at) else { break }
      found = value.line
      guard tokens[value.at].isSymbol("{") else { break }
      at = value.at
    }
    return path.isEmpty ? line : found
  }

  /// The index of the brace that opens the options; nil if there are none.
  private var constructor: Int? {
    var depth = 0
    for index in tokens.indices.dropFirst(start + 1) {
      let token = tokens[index]
      if token.isSymbol("{") && depth == 1 { return index }
      if token.isKeyword("function") { return nil }
      if token.opensBracket { depth += 1 }
      if token.closesBracket { depth -= 1 }
      if depth <= 0 { return nil }
    }
    return nil
  }

  /// Returns the index and the line of the value of a key, within the table that a brace opens.
  private func value(of key: StatePath.Key, in brace: Int) -> (at: Int, line: Int)? {
    var index = brace + 1
    var number = 1
    while index < tokens.count, !tokens[index].isSymbol("}") {
      let (name, value) = name(at: index)
      if let name {
        if key == .field(name) { return (value, tokens[index].line) }
      } else {
        if key == .index(number) { return (index, tokens[index].line) }
        number += 1
      }
      index = end(from: value)
    }
    return nil
  }

  /// Returns the name of the entry at an index, nil if it has none, and the index of its value.
  private func name(at index: Int) -> (String?, Int) {
    func isSymbol(_ offset: Int, _ text: String) -> Bool {
      index + offset < tokens.count && tokens[index + offset].isSymbol(text)
    }
    if tokens[index].kind == .name, isSymbol(1, "=") { return (tokens[index].text, index + 2) }
    if isSymbol(0, "["), isSymbol(2, "]"), isSymbol(3, "=") {
      return (tokens[index + 1].text, index + 4)
    }
    return (nil, index)
  }

  /// Returns the index after the comma that ends an entry; a function in its value extends to its `end`.
  private func end(from start: Int) -> Int {
    var (depth, index) = (0, start)
    while index < tokens.count {
      let token = tokens[index]
      if depth == 0, token.isSymbol(",") || token.isSymbol(";") { return index + 1 }
      if depth == 0, token.isSymbol("}") { return index }
      if token.opensBracket || token.opensBlock { depth += 1 }
      if token.closesBracket || token.isKeyword("end") || token.isKeyword("until") { depth -= 1 }
      index += 1
    }
    return index
  }
}

extension LuaToken {
  /// True if an `end` or `until` must follow; the one of `while` and `for` follows their `do`.
  fileprivate var opensBlock: Bool {
    kind == .keyword && ["function", "do", "if", "repeat"].contains(text)
  }
}
