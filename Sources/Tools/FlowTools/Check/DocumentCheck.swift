import FlowLanguage

/// A check for undeclared names in the expressions and scripts of an SCXML document.
struct DocumentCheck {
  let text: FlowText

  var findings: [Finding] {
    let declared = text.loaded.documentVariables
    let chunks = text.loaded.documentChunks.map {
      LuaSource(name: $0.name, text: DocumentCheck.withoutEnvironments($0.text))
    }
    let made = chunks.compactMap(\.tree).reduce(into: declared) {
      $0.formUnion(GlobalCheck.made(by: $1))
      $0.formUnion(DocumentCheck.set(by: $1))
    }
    let words = LibraryWords.document.union(made)
    let suggested = words.filter { !$0.hasPrefix("_") }.sorted()
    return chunks.flatMap { chunk -> [Finding] in
      guard let tree = chunk.tree else { return [] }
      var check = GlobalCheck(name: chunk.name, tree: tree, words: words)
      check.skipsMain = true
      check.undefined = DocumentCheck.undeclared
      check.suggested = suggested
      return check.findings + DocumentCheck.findings(in: tree, of: chunk.name, words, suggested)
    }
  }

  private static func undeclared(_ name: String) -> String {
    "nothing declares the variable \(name), and nothing assigns it"
  }

  /// Returns the findings for variables of ecmascript, which its translation reads by name.
  private static func findings(
    in tree: LuaTree, of name: String, _ words: Set<String>, _ suggested: [String]
  ) -> [Finding] {
    tree.expressions.indices.compactMap { id in
      guard let variable = variable(id, in: tree), !words.contains(variable) else { return nil }
      return Finding(
        .unknownGlobal, at: SourcePlace(file: name, line: tree.expressions[id].line),
        undeclared(variable) + Names.suggestion(for: variable, among: suggested))
    }
  }

  private static func variable(_ id: LuaTree.ExpressionID, in tree: LuaTree) -> String? {
    guard case .field(let table, let name) = tree.expressions[id].kind,
      case .global("_ENV") = tree.expressions[table].kind
    else { return nil }
    return name
  }

  /// Returns the text with globals for the names that its functions access in environments of their own.
  private static func withoutEnvironments(_ text: String) -> String {
    let begin = "local _ENV <const> = "
    var (rest, parts) = (text[...], [Substring]())
    while let found = rest.firstRange(of: begin),
      let end = rest[found.upperBound...].firstIndex(of: ")")
    {
      parts.append(rest[..<found.lowerBound])
      rest = rest[rest.index(after: end)...]
    }
    return (parts + [rest]).joined()
  }

  /// Returns the variables of data and loops, which the text of a document's functions sets by name.
  private static func set(by tree: LuaTree) -> Set<String> {
    let assigned = tree.statements.flatMap { statement -> [String] in
      guard case .assignment(let places, _) = statement.kind else { return [] }
      return places.compactMap { variable($0, in: tree) }
    }
    return Set(
      assigned
        + tree.expressions.compactMap { expression in
          guard case .call(let function, let arguments) = expression.kind, arguments.count > 1,
            case .local(let local) = tree.expressions[function].kind,
            tree.locals[local].name == "__set"
          else { return nil }
          return tree.string(arguments[1])
        })
  }
}
