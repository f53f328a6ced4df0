import FlowLanguage

/// A check for constructors that give a key twice, of which the last value wins.
struct TableCheck {
  let name: String
  let tree: LuaTree

  var findings: [Finding] {
    tree.expressions.flatMap { expression -> [Finding] in
      guard case .table(let items) = expression.kind else { return [] }
      var seen: [String: Int] = [:]
      return items.compactMap { item in
        guard case .named(let key, _, let line) = item else { return nil }
        defer { if seen[key] == nil { seen[key] = line } }
        guard let first = seen[key] else { return nil }
        return Finding(
          .duplicateKey, at: SourcePlace(file: name, line: line),
          "\(key) is given twice in this table, the first time in line \(first); the last one counts"
        )
      }
    }
  }
}

/// A check for metatables that ask for a weak table, which no flow has.
struct WeakTableCheck {
  let name: String
  let tree: LuaTree

  var findings: [Finding] {
    let constructed = tree.expressions.flatMap { expression -> [Int] in
      guard case .table(let items) = expression.kind else { return [] }
      return items.compactMap {
        if case .named("__mode", _, let line) = $0 { line } else { nil }
      }
    }
    let assigned = tree.statements.flatMap { statement -> [Int] in
      guard case .assignment(let places, _) = statement.kind else { return [] }
      return places.compactMap {
        if case .field(_, "__mode") = tree.expressions[$0].kind {
          tree.expressions[$0].line
        } else {
          nil
        }
      }
    }
    return (constructed + assigned).map {
      Finding(
        .weakTable, at: SourcePlace(file: name, line: $0),
        "__mode has no effect here: with weak tables, results would depend on the garbage collector"
      )
    }
  }
}

/// A check for locals and local functions that are never used.
struct UnusedLocals {
  let name: String
  let tree: LuaTree

  var findings: [Finding] {
    tree.locals.compactMap { local in
      guard local.reads == 0, !local.name.hasPrefix("_"), local.attribute != "close" else {
        return nil
      }
      let what: String
      switch local.origin {
      case .declared(let value) where value.map(isModule) == true: return nil
      case .declared: what = "local"
      case .function: what = "local function"
      default: return nil
      }
      return Finding(
        .unusedLocal, at: SourcePlace(file: name, line: local.line),
        "\(what) \(local.name) is never used; name it _\(local.name) if that is intended")
    }
  }
}

extension UnusedLocals {
  /// Returns true for a module, which may be required only for its declarations.
  private func isModule(_ value: LuaTree.ExpressionID) -> Bool {
    guard case .call(let callee, _) = tree.expressions[value].kind,
      case .global("require") = tree.expressions[callee].kind
    else { return false }
    return true
  }
}

/// A check for undefined globals and members of libraries.
struct GlobalCheck {
  let name: String
  let tree: LuaTree
  let words: Set<String>
  /// True for a module, which may test for Lua functions that flows lack while it loads; they are nil there.
  var isModule = false
  /// True if only functions are checked.
  var skipsMain = false
  /// The message about a name that nothing defines.
  var undefined = { (name: String) in "global \(name) is not defined" }
  /// The names among which the nearest one is suggested; nil for all that are known.
  var suggested: [String]?

  /// Returns the globals that a file assigns.
  static func made(by tree: LuaTree) -> Set<String> {
    var made: Set<String> = []
    for statement in tree.statements {
      let targets: [LuaTree.ExpressionID]
      switch statement.kind {
      case .assignment(let places, _): targets = places
      case .function(let place, _): targets = [place]
      default: continue
      }
      for case .global(let name) in targets.map({ tree.expressions[$0].kind }) { made.insert(name) }
    }
    return made
  }

  var findings: [Finding] {
    // A member is reported together with its library.
    var told: Set<LuaTree.ExpressionID> = []
    var found: [Finding] = []
    for expression in tree.expressions {
      guard case .field(let table, let member) = expression.kind,
        case .global(let library) = tree.expressions[table].kind
      else { continue }
      let path = "\(library).\(member)"
      if let members = LibraryWords.libraries[library] {
        guard !members.contains(member) else { continue }
        let advice =
          Names.advice(forAbsent: path).map { "; \($0)" }
          ?? Names.suggestion(for: member, among: members.sorted())
        found.append(finding(expression.line, "there is no \(path)\(advice)"))
      } else if !words.contains(library), let advice = Names.advice(forAbsent: path) {
        told.insert(table)
        if isModule, expression.function == 0 { continue }
        found.append(finding(expression.line, "there is no \(path); \(advice)"))
      }
    }
    let known = suggested ?? words.union(tree.locals.map(\.name)).sorted()
    for (number, expression) in tree.expressions.enumerated()
    where !told.contains(number) && !(skipsMain && expression.function == 0) {
      guard case .global(let word) = expression.kind, !words.contains(word), word != "_ENV" else {
        continue
      }
      let absence = Names.advice(forAbsent: word)
      if isModule, expression.function == 0, Names.isAbsentGlobal(word) { continue }
      let advice =
        absence.map { "; \($0)" }
        ?? Names.suggestion(for: word, among: known.filter { $0 != word })
      found.append(finding(expression.line, undefined(word) + advice))
    }
    return found
  }

  private func finding(_ line: Int, _ message: String) -> Finding {
    Finding(.unknownGlobal, at: SourcePlace(file: name, line: line), message)
  }
}

/// A check for global functions that the flow never uses.
struct UnusedFunctions {
  private let sources: [LuaSource]

  init(_ sources: [LuaSource]) { self.sources = sources }

  var findings: [Finding] {
    var named: [String: Int] = [:]
    var defined: [(name: String, place: SourcePlace)] = []
    for source in sources {
      guard let tree = source.tree else { continue }
      for expression in tree.expressions {
        if case .global(let name) = expression.kind { named[name, default: 0] += 1 }
      }
      for statement in tree.statements {
        guard case .function(let place, _) = statement.kind,
          case .global(let name) = tree.expressions[place].kind
        else { continue }
        named[name, default: 0] -= 1
        defined.append((name, SourcePlace(file: source.name, line: statement.line)))
      }
    }
    return defined.filter { named[$0.name] == 0 && !$0.name.hasPrefix("_") }.map {
      Finding(
        .unusedLocal, at: $0.place,
        "function \($0.name) is never used; name it _\($0.name) if that is intended")
    }
  }
}
