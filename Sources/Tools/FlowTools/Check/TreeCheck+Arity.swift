/// Checks of the number of arguments of library functions.
extension TreeCheck {
  func arity(
    _ callee: LuaTree.ExpressionID, _ arguments: [LuaTree.ExpressionID], _ line: Int
  ) -> [Finding] {
    guard let name = libraryName(callee), let arity = LibraryArity.all[name] else { return [] }
    let takes = arity.parameters.joined(separator: ", ")
    if arguments.count > arity.parameters.count {
      let all = takes.isEmpty ? "nothing" : "(\(takes))"
      return [
        finding(.swappedParameters, line, "\(name) takes \(all): the other arguments are ignored")
      ]
    }
    guard arguments.count < arity.least, !isOpen(arguments) else { return [] }
    let missing = arity.parameters[arguments.count..<arity.least].joined(separator: ", ")
    return [finding(.wrongKind, line, "\(name) takes (\(takes)), and \(missing) is missing here")]
  }

  /// Returns true if the last argument may stand for several values, or for none.
  func isOpen(_ arguments: [LuaTree.ExpressionID]) -> Bool {
    switch arguments.last.map({ tree.expressions[$0].kind }) {
    case .call?, .method?, .vararg?: true
    default: false
    }
  }

  /// Returns the name of a function of the language or of a library, such as `now` or `table.sum`.
  private func libraryName(_ callee: LuaTree.ExpressionID) -> String? {
    switch tree.expressions[callee].kind {
    case .global(let word) where !globals.contains(word): return word
    case .field(let table, let member):
      guard case .global(let library) = tree.expressions[table].kind, !globals.contains(library)
      else { return nil }
      return "\(library).\(member)"
    default: return nil
    }
  }
}
