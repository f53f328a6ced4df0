import LuaRuntime

/// The source of a file, as far as it can be understood without running it: its words, its
/// functions, and which names and fields it reads and writes.
package struct LuaSource: Sendable {
  package let name: String
  package let tokens: [LuaToken]
  package let comments: [LuaComment]
  package private(set) var functions: [LuaFunction] = []
  package private(set) var accesses: [LuaAccess] = []
  /// Names that the file makes its own somewhere: locals and parameters.
  package private(set) var localNames: Set<String> = []

  package init(name: String, text: String) {
    let lexer = LuaLexer(text)
    self.name = name
    tokens = lexer.tokens
    comments = lexer.comments
    var reader = LuaOutline(tokens)
    reader.read()
    functions = reader.functions
    accesses = reader.accesses
    localNames = reader.localNames
  }

  /// The functions around an access, innermost first.
  package func functions(around access: LuaAccess) -> [Int] {
    var around: [Int] = []
    var next = access.function
    while let index = next {
      around.append(index)
      next = functions[index].parent
    }
    return around
  }

  /// The arguments of the call that follows the access: for each its words; nil where none follows.
  package func arguments(of access: LuaAccess) -> [Range<Int>]? {
    let start = access.tokens.upperBound
    guard start < tokens.count else { return nil }
    if tokens[start].kind == .string { return [start..<start + 1] }
    if tokens[start].isSymbol("{") { return [start..<closing(start)] }
    guard tokens[start].isSymbol("(") else { return nil }
    var arguments: [Range<Int>] = []
    var begin = start + 1
    var depth = 0
    for index in start..<tokens.count {
      let token = tokens[index]
      if token.opensBracket { depth += 1 }
      if token.closesBracket { depth -= 1 }
      if depth == 0 || depth == 1 && token.isSymbol(",") {
        if begin < index { arguments.append(begin..<index) }
        begin = index + 1
      }
      if depth == 0 { break }
    }
    return arguments
  }

  /// The text of a string that is the whole argument.
  package func literal(_ argument: Range<Int>?) -> String? {
    guard let argument, argument.count == 1, tokens[argument.lowerBound].kind == .string else {
      return nil
    }
    return tokens[argument.lowerBound].text
  }

  /// The first index behind what a bracket encloses.
  private func closing(_ start: Int) -> Int {
    var depth = 0
    for index in start..<tokens.count {
      if tokens[index].opensBracket { depth += 1 }
      if tokens[index].closesBracket { depth -= 1 }
      if depth == 0 { return index + 1 }
    }
    return tokens.count
  }
}
