import LuaRuntime

/// The functions and accesses in the tokens of a file, found in one pass.
struct LuaOutline {
  private enum Frame {
    case bracket
    case block
    case function(Int)
  }

  private let tokens: [LuaToken]
  /// For each token that opens a bracket the index after the closing one.
  let closings: [Int: Int]
  private var frames: [Frame] = []
  /// The functions among the frames.
  private var openFunctions: [Int] = []
  private(set) var functions: [LuaFunction] = []
  private(set) var accesses: [LuaAccess] = []
  private(set) var localNames: Set<String> = []
  /// The tokens that already belong to an access.
  private var taken: Set<Int> = []

  /// The largest number of targets that Lua allows in one assignment.
  private static let mostPlaces = 255

  init(_ tokens: [LuaToken]) {
    self.tokens = tokens
    var closings: [Int: Int] = [:]
    var open: [Int] = []
    for (index, token) in tokens.enumerated() {
      if token.opensBracket { open.append(index) }
      if token.closesBracket, let start = open.popLast() { closings[start] = index + 1 }
    }
    self.closings = closings
  }

  mutating func read() {
    var index = 0
    while index < tokens.count { index = step(index) }
    for open in functions.indices where functions[open].tokens.upperBound == .max {
      functions[open].tokens = functions[open].tokens.lowerBound..<tokens.count
    }
  }

  private mutating func step(_ index: Int) -> Int {
    let token = tokens[index]
    switch token.kind {
    case .keyword: return keyword(token.text, index)
    case .name where !taken.contains(index): return name(index)
    case .symbol:
      if token.opensBracket { frames.append(.bracket) }
      if token.closesBracket, case .bracket? = frames.last { frames.removeLast() }
      if (token.text == "." || token.text == ":") && !taken.contains(index) {
        readAccess(root: "", from: index, steps: index)
      }
      return index + 1
    default: return index + 1
    }
  }

  private mutating func keyword(_ word: String, _ index: Int) -> Int {
    switch word {
    case "function": return beginFunction(index)
    case "do", "if", "repeat": frames.append(.block)
    case "end", "until":
      if case .function(let function)? = frames.last {
        functions[function].tokens = functions[function].tokens.lowerBound..<index
      }
      if let last = frames.last, case .bracket = last {
      } else if let last = frames.popLast(), case .function = last {
        openFunctions.removeLast()
      }
    case "local", "for": noteLocals(index + 1)
    default: break
    }
    return index + 1
  }

  private mutating func noteLocals(_ start: Int) {
    var index = start
    if index < tokens.count, tokens[index].isKeyword("function") { index += 1 }
    while index < tokens.count, tokens[index].kind == .name {
      localNames.insert(tokens[index].text)
      index += 1
      if index + 2 < tokens.count, tokens[index].isSymbol("<") { index += 3 }
      guard index < tokens.count, tokens[index].isSymbol(",") else { return }
      index += 1
    }
  }

  /// Reads the name and the parameters of a function; its body follows.
  private mutating func beginFunction(_ start: Int) -> Int {
    var index = start + 1
    var path: [String] = []
    while index < tokens.count, !tokens[index].isSymbol("(") {
      if tokens[index].kind == .name || tokens[index].kind == .keyword {
        path.append(tokens[index].text)
      }
      index += 1
    }
    if let root = path.first {
      accesses.append(
        LuaAccess(
          root: root, steps: path.dropFirst().map { .field($0) }, tokens: start + 1..<index,
          line: tokens[start].line, function: innermostFunction, use: .defined))
    }
    var parameters: [String] = []
    index += 1
    while index < tokens.count, !tokens[index].isSymbol(")") {
      if tokens[index].kind == .name { parameters.append(tokens[index].text) }
      index += 1
    }
    localNames.formUnion(parameters)
    functions.append(
      LuaFunction(
        name: path.last ?? assignedName(start), parameters: parameters, parent: innermostFunction,
        line: tokens[start].line, tokens: min(index + 1, tokens.count)..<Int.max))
    frames.append(.function(functions.count - 1))
    openFunctions.append(functions.count - 1)
    return index + 1
  }

  /// Returns the name to which an anonymous function is assigned: `local twice = function`.
  private func assignedName(_ start: Int) -> String? {
    guard start >= 2, tokens[start - 1].isSymbol("="), tokens[start - 2].kind == .name else {
      return nil
    }
    return tokens[start - 2].text
  }

  private var innermostFunction: Int? { openFunctions.last }

  // MARK: Accesses

  private mutating func name(_ index: Int) -> Int {
    let before = index > 0 ? tokens[index - 1] : nil
    if before?.isKeyword("goto") == true || before?.isSymbol("::") == true { return index + 1 }
    let isKey =
      index + 1 < tokens.count && tokens[index + 1].isSymbol("=")
      && (before?.isSymbol("{") == true || before?.isSymbol(",") == true
        || before?.isSymbol(";") == true)
      && isInBracket
    if !isKey { readAccess(root: tokens[index].text, from: index, steps: index + 1) }
    return index + 1
  }

  private var isInBracket: Bool {
    if case .bracket? = frames.last { return true }
    return false
  }

  private mutating func readAccess(root: String, from start: Int, steps begin: Int) {
    let (steps, end) = chain(from: begin)
    if root.isEmpty && steps.isEmpty { return }
    taken.formUnion(markedTokens(from: begin, to: end))
    var access = LuaAccess(
      root: root, steps: steps, tokens: start..<end, line: tokens[start].line,
      function: innermostFunction)
    access.use = use(endingAt: end)
    accesses.append(access)
  }

  /// Returns the dots, colons and names of a chain, without the tokens inside brackets.
  private func markedTokens(from begin: Int, to end: Int) -> [Int] {
    var marked: [Int] = []
    var index = begin
    while index < end {
      if tokens[index].opensBracket {
        index = bracketEnd(index)
        marked.append(index - 1)
      } else {
        marked.append(index)
        index += 1
      }
    }
    return marked
  }

  private func chain(from begin: Int) -> ([LuaAccess.Step], Int) {
    var steps: [LuaAccess.Step] = []
    var index = begin
    while index + 1 < tokens.count {
      let token = tokens[index]
      if token.isSymbol("."), isWord(index + 1) {
        steps.append(.field(tokens[index + 1].text))
        index += 2
      } else if token.isSymbol(":"), isWord(index + 1) {
        return (steps + [.method(tokens[index + 1].text)], index + 2)
      } else if token.isSymbol("[") {
        let close = bracketEnd(index)
        let isName = close == index + 3 && tokens[index + 1].kind == .string
        steps.append(isName ? .field(tokens[index + 1].text) : .computed)
        index = close
      } else {
        break
      }
    }
    return (steps, index)
  }

  private func isWord(_ index: Int) -> Bool {
    tokens[index].kind == .name || tokens[index].kind == .keyword
  }

  private func bracketEnd(_ start: Int) -> Int { closings[start, default: tokens.count] }

  /// Returns the use of an access: a read, unless the left side of an assignment leads to an equals sign.
  private func use(endingAt end: Int) -> LuaAccess.Use {
    guard !isInBracket else { return .read }
    var index = end
    var places = 1
    while index < tokens.count, tokens[index].isSymbol(","), index + 1 < tokens.count,
      tokens[index + 1].kind == .name
    {
      places += 1
      if places > LuaOutline.mostPlaces { return .read }
      index = chain(from: index + 2).1
    }
    guard index < tokens.count, tokens[index].isSymbol("=") else { return .read }
    return isCleared(from: index + 1) ? .cleared : .written
  }

  /// Returns true if only nil and `none` are right of the equals sign.
  private func isCleared(from start: Int) -> Bool {
    var index = start
    while index < tokens.count, tokens[index].text == "nil" || tokens[index].text == "none",
      tokens[index].kind != .string
    {
      index += 1
      guard index < tokens.count else { return true }
      if tokens[index].isSymbol(",") {
        index += 1
      } else {
        let next = tokens[index]
        return next.kind == .name || next.isSymbol(";")
          || next.kind == .keyword && next.text != "and" && next.text != "or"
      }
    }
    return false
  }
}
