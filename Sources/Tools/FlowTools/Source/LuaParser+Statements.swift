import LuaRuntime

/// The grammar of statements and blocks.
extension LuaParser {
  typealias StatementID = LuaTree.StatementID

  /// True if a block ends here.
  private var isBlockEnd: Bool {
    guard let token else { return true }
    return token.kind == .keyword && ["else", "elseif", "end", "until"].contains(token.text)
  }

  mutating func statements() throws(LuaSyntaxError) -> [StatementID] {
    var list: [StatementID] = []
    while !isBlockEnd {
      let isReturn = at(keyword: "return")
      if let statement = try statement() { list.append(statement) }
      if isReturn { break }
    }
    return list
  }

  private mutating func block(isLoop: Bool = false) throws(LuaSyntaxError) -> [StatementID] {
    names.enterBlock(isLoop: isLoop)
    let list = try statements()
    try names.leaveBlock()
    return list
  }

  /// Parses a statement; returns nil for a semicolon.
  private mutating func statement() throws(LuaSyntaxError) -> StatementID? {
    try enter()
    let line = line
    let kind = try statementKind(line)
    leave()
    return kind.map { add($0, at: line) }
  }

  private mutating func statementKind(
    _ line: Int
  ) throws(LuaSyntaxError) -> LuaTree.Statement.Kind? {
    guard let token else { throw unexpected() }
    if accept(symbol: ";") { return nil }
    if accept(symbol: "::") { return try label() }
    guard token.kind == .keyword else { return try expressionStatement() }
    switch token.text {
    case "if":
      return try conditional(line)
    case "while":
      advance()
      let condition = try expression()
      try expect(keyword: "do")
      names.enterBlock(isLoop: true)
      let body = try block()
      try expect(keyword: "end", toClose: line)
      try names.leaveBlock()
      return .loop(condition: condition, body)
    case "do":
      advance()
      let body = try block()
      try expect(keyword: "end", toClose: line)
      return .block(body)
    case "for": return try forLoop(line)
    case "repeat": return try repeatLoop(line)
    case "function": return try functionStatement(line)
    case "local":
      advance()
      return accept(keyword: "function") ? try localFunction() : try local()
    case "return": return try returnStatement()
    case "break":
      advance()
      names.jump(to: "break", line: line)
      return .break
    case "goto":
      advance()
      let target = try name()
      names.jump(to: target.text, line: line)
      return .goto(target.text)
    default: return try expressionStatement()
    }
  }

  private mutating func returnStatement() throws(LuaSyntaxError) -> LuaTree.Statement.Kind {
    advance()
    let values = isBlockEnd || at(symbol: ";") ? [] : try expressions()
    _ = accept(symbol: ";")
    return .return(values)
  }

  private mutating func label() throws(LuaSyntaxError) -> LuaTree.Statement.Kind {
    let name = try name()
    try expect(symbol: "::")
    while at(symbol: ";") || at(symbol: "::") { _ = try statement() }
    guard names.isFree(label: name.text) else {
      throw fault("label '\(name.text)' is there already")
    }
    let isLast = isBlockEnd && !at(keyword: "until")
    try names.label(name.text, isLast: isLast, line: name.line)
    return .label(name.text)
  }

  // MARK: Branches and loops

  private mutating func conditional(
    _ line: Int
  ) throws(LuaSyntaxError) -> LuaTree.Statement.Kind {
    var branches: [(condition: ExpressionID, block: [StatementID])] = []
    repeat {
      advance()
      let condition = try expression()
      try expect(keyword: "then")
      branches.append((condition, try block()))
    } while at(keyword: "elseif")
    let otherwise = accept(keyword: "else") ? try block() : nil
    try expect(keyword: "end", toClose: line)
    return .conditional(branches, otherwise: otherwise)
  }

  private mutating func repeatLoop(
    _ line: Int
  ) throws(LuaSyntaxError) -> LuaTree.Statement.Kind {
    advance()
    names.enterBlock(isLoop: true)
    names.enterBlock(isLoop: false)
    let body = try statements()
    try expect(keyword: "until", toClose: line)
    let condition = try expression()
    try names.leaveBlock()
    try names.leaveBlock()
    return .until(body, condition: condition)
  }

  private mutating func forLoop(_ line: Int) throws(LuaSyntaxError) -> LuaTree.Statement.Kind {
    advance()
    names.enterBlock(isLoop: true)
    let first = try name()
    let kind: LuaTree.Statement.Kind
    if at(symbol: "=") {
      kind = try numericFor(first)
    } else if at(symbol: ",") || at(keyword: "in") {
      kind = try genericFor(first)
    } else {
      throw expected("'=' or 'in'")
    }
    try expect(keyword: "end", toClose: line)
    try names.leaveBlock()
    return kind
  }

  /// Declares the hidden locals of a loop, which count as locals.
  private mutating func declareHidden(_ count: Int) throws(LuaSyntaxError) {
    for _ in 0..<count where !names.declare() {
      throw fault("too many local variables (limit is 200)")
    }
  }

  private mutating func numericFor(
    _ first: LuaToken
  ) throws(LuaSyntaxError) -> LuaTree.Statement.Kind {
    try declareHidden(3)
    let counter = try declare(first, as: .counter)
    advance()
    var bounds = [try expression()]
    try expect(symbol: ",")
    bounds.append(try expression())
    if accept(symbol: ",") { bounds.append(try expression()) }
    let body = try forBody([counter], hidden: 3)
    return .numericFor(counter, bounds, body)
  }

  private mutating func genericFor(
    _ first: LuaToken
  ) throws(LuaSyntaxError) -> LuaTree.Statement.Kind {
    try declareHidden(4)
    var locals = [try declare(first, as: .counter)]
    while accept(symbol: ",") { locals.append(try declare(try name(), as: .counter)) }
    try expect(keyword: "in")
    let values = try expressions()
    for (place, local) in locals.enumerated() {
      tree.locals[local].origin = .element(place, of: values[0])
    }
    let body = try forBody(locals, hidden: 4)
    return .genericFor(locals, values, body)
  }

  private mutating func forBody(
    _ locals: [LuaTree.LocalID], hidden: Int
  ) throws(LuaSyntaxError) -> [StatementID] {
    for _ in 0..<hidden { names.activate("(for state)", -1) }
    try expect(keyword: "do")
    names.enterBlock(isLoop: false)
    for local in locals { names.activate(tree.locals[local].name, local) }
    let body = try statements()
    try names.leaveBlock()
    return body
  }

  // MARK: Declarations and assignments

  private mutating func functionStatement(
    _ line: Int
  ) throws(LuaSyntaxError) -> LuaTree.Statement.Kind {
    advance()
    let first = try name()
    var place = try resolve(first)
    var hasSelf = false
    while !hasSelf, at(symbol: ".") || at(symbol: ":") {
      hasSelf = at(symbol: ":")
      advance()
      let name = try name()
      place = add(.field(place, name.text), at: name)
    }
    let body = try functionBody(line: line, hasSelf: hasSelf, at: first)
    try noteWriting(place)
    return .function(place, body)
  }

  private mutating func localFunction() throws(LuaSyntaxError) -> LuaTree.Statement.Kind {
    let line = line
    let name = try name()
    let local = try declare(name, as: .function(nil))
    names.activate(name.text, local)
    let body = try functionBody(line: line, hasSelf: false, at: name)
    tree.locals[local].origin = .function(body)
    return .localFunction(local, body)
  }

  private mutating func local() throws(LuaSyntaxError) -> LuaTree.Statement.Kind {
    var locals: [LuaTree.LocalID] = []
    var closed = 0
    repeat {
      let local = try declare(try name(), as: .declared(nil))
      tree.locals[local].attribute = try attribute()
      if tree.locals[local].attribute == "close" { closed += 1 }
      if closed > 1 { throw fault("multiple to-be-closed variables in local list") }
      locals.append(local)
    } while accept(symbol: ",")
    let values = accept(symbol: "=") ? try expressions() : []
    for (place, local) in locals.enumerated() {
      let isOpen = values.count <= place && values.last.map(hasManyValues) == true
      let value = place < values.count ? values[place] : nil
      tree.locals[local].origin = isOpen ? .counter : .declared(value)
    }
    let isMatched = locals.count == values.count
    for (place, local) in locals.enumerated() {
      let attribute = tree.locals[local].attribute
      let isConstant =
        attribute == "const" && isMatched && place == locals.count - 1 && isLiteral(values[place])
      names.activate(
        tree.locals[local].name, local, isConstant: isConstant, isReadOnly: attribute != nil)
    }
    return .local(locals, values)
  }

  private func hasManyValues(_ value: ExpressionID) -> Bool {
    switch tree.expressions[value].kind {
    case .call, .method, .vararg: true
    default: false
    }
  }

  private func isLiteral(_ value: ExpressionID) -> Bool {
    switch tree.expressions[tree.bare(value)].kind {
    case .nil, .true, .false, .number, .string: true
    case .unary("-", let operand):
      if case .number = tree.expressions[tree.bare(operand)].kind { true } else { false }
    default: false
    }
  }

  private mutating func attribute() throws(LuaSyntaxError) -> String? {
    guard accept(symbol: "<") else { return nil }
    let name = try name()
    try expect(symbol: ">")
    guard name.text == "const" || name.text == "close" else {
      throw fault("unknown attribute '\(name.text)'")
    }
    return name.text
  }

  private mutating func expressionStatement() throws(LuaSyntaxError) -> LuaTree.Statement.Kind {
    let first = try suffixedExpression()
    guard at(symbol: "=") || at(symbol: ",") else {
      switch tree.expressions[first].kind {
      case .call, .method: return .call(first)
      default: throw fault("syntax error near '\(token?.text ?? "<eof>")'")
      }
    }
    var targets = [first]
    var nested = 0
    try noteWriting(first)
    while accept(symbol: ",") {
      let target = try suffixedExpression()
      try noteWriting(target)
      targets.append(target)
      try enter()
      nested += 1
    }
    try expect(symbol: "=")
    let values = try expressions()
    for _ in 0..<nested { leave() }
    return .assignment(targets, values)
  }

  /// Records an assignment to a place; throws if it cannot be assigned.
  private mutating func noteWriting(_ place: ExpressionID) throws(LuaSyntaxError) {
    switch tree.expressions[place].kind {
    case .local(let local):
      guard !names.isReadOnly(local) else {
        throw fault("attempt to assign to const variable '\(tree.locals[local].name)'")
      }
      tree.locals[local].reads -= 1
      tree.locals[local].writes += 1
    case .global, .field, .index: return
    default: throw fault("syntax error near '\(token?.text ?? "<eof>")'")
    }
  }
}
