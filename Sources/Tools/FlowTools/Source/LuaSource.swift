import LuaRuntime

/// The source of a file, as far as it can be understood without running it.
///
/// It has the tokens, the functions, and the names and fields that are read and written.
package struct LuaSource: Sendable {
  package let name: String
  package let tokens: [LuaToken]
  package let comments: [LuaComment]
  package private(set) var functions: [LuaFunction] = []
  package private(set) var accesses: [LuaAccess] = []
  /// The names of the file's locals and parameters.
  package private(set) var localNames: Set<String> = []
  /// The syntax tree; nil if the text is not valid Lua.
  package let tree: LuaTree?
  /// For each token that opens a bracket the index after the closing one.
  private let closings: [Int: Int]
  /// The index of the access of some tokens.
  private let accessAt: [Range<Int>: Int]

  package init(name: String, text: String) {
    let lexer = LuaLexer(text)
    self.name = name
    tokens = lexer.tokens
    comments = lexer.comments
    tree = try? LuaTree(lexer)
    var reader = LuaOutline(tokens)
    reader.read()
    functions = reader.functions
    accesses = reader.accesses
    localNames = reader.localNames
    closings = reader.closings
    accessAt = Dictionary(
      reader.accesses.enumerated().map { ($1.tokens, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// Returns the access of exactly these tokens.
  func access(of words: Range<Int>) -> LuaAccess? { accessAt[words].map { accesses[$0] } }

  /// Returns the accesses inside a function and its nested functions, in the order of their tokens.
  func accesses(in function: Int) -> ArraySlice<LuaAccess> {
    let words = functions[function].tokens
    return accesses[firstAccess(from: words.lowerBound)..<firstAccess(from: words.upperBound)]
  }

  private func firstAccess(from word: Int) -> Int {
    var (low, high) = (0, accesses.count)
    while low < high {
      let middle = (low + high) / 2
      if accesses[middle].tokens.lowerBound < word { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Returns the functions around an access, innermost first.
  package func functions(around access: LuaAccess) -> [Int] {
    var around: [Int] = []
    var next = access.function
    while let index = next {
      around.append(index)
      next = functions[index].parent
    }
    return around
  }

  /// Returns the tokens of each argument of the call that follows the access; nil if no call follows.
  package func arguments(of access: LuaAccess) -> [Range<Int>]? {
    let start = access.tokens.upperBound
    guard start < tokens.count else { return nil }
    if tokens[start].kind == .string { return [start..<start + 1] }
    if tokens[start].isSymbol("{") { return [start..<closings[start, default: tokens.count]] }
    guard tokens[start].isSymbol("(") else { return nil }
    var arguments: [Range<Int>] = []
    var begin = start + 1
    var index = begin
    while index < tokens.count {
      if tokens[index].opensBracket {
        index = closings[index, default: tokens.count]
        continue
      }
      let isEnd = tokens[index].closesBracket
      if isEnd || tokens[index].isSymbol(",") {
        if begin < index { arguments.append(begin..<index) }
        begin = index + 1
      }
      if isEnd { break }
      index += 1
    }
    return arguments
  }

  /// Returns the text of an argument that is a single string; nil for any other.
  package func literal(_ argument: Range<Int>?) -> String? {
    guard let argument, argument.count == 1, tokens[argument.lowerBound].kind == .string else {
      return nil
    }
    return tokens[argument.lowerBound].text
  }
}
