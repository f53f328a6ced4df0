import LuaRuntime

/// Where the options of an exploration stand in its file, for messages: what a table constructor says carries no line
/// once it has run.
struct OptionLines {
  private let tokens: [LuaToken]
  private let start: Int

  /// Looks for the options of the exploration that begins on a line.
  init(_ tokens: [LuaToken], from line: Int) {
    self.tokens = tokens
    start =
      tokens.firstIndex { $0.line >= line && $0.text == "explore" && $0.kind == .name }
      ?? tokens.endIndex
    self.line = line
  }

  private let line: Int

  /// The line on which an option stands, or the nearest thing around it that is written out.
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

  /// The brace that opens the options.
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

  /// Where what stands under a key begins, within the brace that opens a table.
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

  /// The name of the entry that begins there, if it has one, and where its value begins.
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

  /// Behind the comma that ends the entry whose value begins there; a function in it goes up to its `end`.
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
  /// Whether an `end` or `until` is to follow for it: `while` and `for` have theirs by their `do`.
  fileprivate var opensBlock: Bool {
    kind == .keyword && ["function", "do", "if", "repeat"].contains(text)
  }
}
