import LuaRuntime

/// The names that are in scope at a place of a Lua file, and its labels.
///
/// A local counts from its declaration on, and is in scope once its values have been read, as in liblua, whose limits
/// apply here.
struct LuaNames {
  private struct Scope {
    let function: LuaTree.FunctionID
    /// The number of declared locals, of which `known` are in scope.
    var declared = 0
    var known: [Known] = []
    var blocks: [Block] = []
    var upvalues: Set<String> = []
    var labels: [Label] = []
    var jumps: [Jump] = []
  }

  private struct Known {
    let name: String
    let local: LuaTree.LocalID
    /// True if liblua knows its value at compile time, so that it takes no register.
    let isConstant: Bool
    let isReadOnly: Bool
  }

  private struct Block {
    let isLoop: Bool
    let locals, labels, jumps: Int
  }

  private struct Label {
    let name: String
    let locals: Int
  }

  private struct Jump {
    let name: String
    let line: Int
    var locals: Int
  }

  private static let mostLocals = 200
  private static let mostUpvalues = 255
  private var scopes: [Scope] = []

  var function: LuaTree.FunctionID { scopes.last?.function ?? 0 }

  mutating func open(_ function: LuaTree.FunctionID) {
    scopes.append(Scope(function: function))
    enterBlock(isLoop: false)
  }

  mutating func close() throws(LuaSyntaxError) {
    try leaveBlock()
    scopes.removeLast()
  }

  // MARK: Locals

  /// Counts a local; returns false if there are too many.
  mutating func declare() -> Bool {
    scopes[scopes.count - 1].declared += 1
    return scopes[scopes.count - 1].declared <= LuaNames.mostLocals
  }

  mutating func activate(
    _ name: String, _ local: LuaTree.LocalID, isConstant: Bool = false, isReadOnly: Bool = false
  ) {
    scopes[scopes.count - 1].known.append(
      Known(name: name, local: local, isConstant: isConstant, isReadOnly: isReadOnly))
  }

  /// Returns the local of a name, if there is one; false if a function would need too many upvalues.
  mutating func find(_ name: String) -> (local: LuaTree.LocalID?, fits: Bool) {
    var depth = scopes.count - 1
    while depth >= 0 {
      if let known = scopes[depth].known.last(where: { $0.name == name }) {
        return (known.local, known.isConstant || pass(known.local, above: depth))
      }
      depth -= 1
    }
    return (nil, name != "_ENV" || pass(-1, above: 0))
  }

  private mutating func pass(_ local: LuaTree.LocalID, above depth: Int) -> Bool {
    for inner in scopes.indices where inner > depth {
      scopes[inner].upvalues.insert("\(local)")
      if scopes[inner].upvalues.count > LuaNames.mostUpvalues { return false }
    }
    return true
  }

  /// Returns true if a local must not be assigned.
  func isReadOnly(_ local: LuaTree.LocalID) -> Bool {
    for scope in scopes.reversed() {
      if let known = scope.known.last(where: { $0.local == local }) { return known.isReadOnly }
    }
    return false
  }

  // MARK: Blocks

  mutating func enterBlock(isLoop: Bool) {
    let scope = scopes[scopes.count - 1]
    scopes[scopes.count - 1].blocks.append(
      Block(
        isLoop: isLoop, locals: scope.known.count, labels: scope.labels.count,
        jumps: scope.jumps.count))
  }

  mutating func leaveBlock() throws(LuaSyntaxError) {
    let depth = scopes.count - 1
    guard let block = scopes[depth].blocks.last else { return }
    if block.isLoop { scopes[depth].jumps.removeAll(from: block.jumps) { $0.name == "break" } }
    scopes[depth].blocks.removeLast()
    scopes[depth].known.removeSubrange(block.locals...)
    scopes[depth].declared = block.locals
    scopes[depth].labels.removeSubrange(block.labels...)
    for jump in scopes[depth].jumps.indices where jump >= block.jumps {
      scopes[depth].jumps[jump].locals = block.locals
    }
    if scopes[depth].blocks.isEmpty, let jump = scopes[depth].jumps.first {
      let message =
        jump.name == "break"
        ? "break outside of a loop" : "there is no label '\(jump.name)' for this goto"
      throw LuaSyntaxError(message: message, line: jump.line)
    }
  }

  // MARK: Jumps

  mutating func jump(to name: String, line: Int) {
    let depth = scopes.count - 1
    if scopes[depth].labels.contains(where: { $0.name == name }) { return }
    scopes[depth].jumps.append(Jump(name: name, line: line, locals: scopes[depth].known.count))
  }

  /// Returns true if a label may have that name here.
  func isFree(label name: String) -> Bool {
    scopes.last?.labels.contains { $0.name == name } == false
  }

  /// Sets a label; nothing but what does nothing follows the last one of a block.
  mutating func label(_ name: String, isLast: Bool, line: Int) throws(LuaSyntaxError) {
    let depth = scopes.count - 1
    guard let block = scopes[depth].blocks.last else { return }
    let locals = isLast ? block.locals : scopes[depth].known.count
    scopes[depth].labels.append(Label(name: name, locals: locals))
    for jump in scopes[depth].jumps[block.jumps...] where jump.name == name && jump.locals < locals
    {
      throw LuaSyntaxError(
        message: "goto '\(name)' jumps into the scope of a local", line: jump.line)
    }
    scopes[depth].jumps.removeAll(from: block.jumps) { $0.name == name }
  }
}

extension Array {
  /// Removes the elements from an index on for which `fits` returns true.
  fileprivate mutating func removeAll(from start: Int, where fits: (Element) -> Bool) {
    replaceSubrange(start..., with: self[start...].filter { !fits($0) })
  }
}
