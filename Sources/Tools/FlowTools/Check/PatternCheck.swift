import FlowLanguage

/// A check for patterns that are written as regular expressions, which Lua does not have.
struct PatternCheck {
  let name: String
  let tree: LuaTree

  private static let functions: Set<String> = ["find", "match", "gmatch", "gsub"]

  var findings: [Finding] {
    tree.expressions.flatMap { expression -> [Finding] in
      switch expression.kind {
      case .table(let items):
        return items.compactMap { item in
          if case .named("pattern", let value, _) = item { finding(value) } else { nil }
        }
      case .call(let callee, let arguments):
        guard case .field(let table, let function) = tree.expressions[callee].kind,
          case .global("string") = tree.expressions[table].kind,
          PatternCheck.functions.contains(function), arguments.count > 1,
          !isPlain(function, arguments.dropFirst(3).first)
        else { return [] }
        return finding(arguments[1]).map { [$0] } ?? []
      case .method(_, let function, let arguments):
        guard PatternCheck.functions.contains(function), let pattern = arguments.first,
          !isPlain(function, arguments.dropFirst(2).first)
        else { return [] }
        return finding(pattern).map { [$0] } ?? []
      default: return []
      }
    }
  }

  /// Returns true for a `find` that searches for a text as it is.
  private func isPlain(_ function: String, _ plain: LuaTree.ExpressionID?) -> Bool {
    function == "find" && plain != nil
  }

  private func finding(_ id: LuaTree.ExpressionID) -> Finding? {
    guard let pattern = tree.string(id), let fault = PatternCheck.fault(in: pattern) else {
      return nil
    }
    return Finding(
      .foreignPattern, at: SourcePlace(file: name, line: tree.expressions[id].line), fault)
  }

  /// Returns the fault of a pattern; nil if it has nothing that only regular expressions have.
  static func fault(in pattern: String) -> String? {
    let text = Array(pattern)
    var (index, item): (Int, String) = (0, "")
    var depth = 0
    while index < text.count {
      let character = text[index]
      switch character {
      case "%":
        item = String(text[index..<min(index + 2, text.count)])
        // %bxy matches what is between x and y.
        index += item == "%b" ? 4 : 2
        continue
      case "\\":
        guard index + 1 < text.count, "dDwWsSb".contains(text[index + 1]) else { break }
        let letter = text[index + 1]
        let advice = letter == "b" ? "use %f[%w]" : "write %\(letter)"
        return "Lua's patterns have no \\\(letter): \(advice)"
      case "[":
        guard let end = PatternCheck.endOfSet(text, from: index) else { return nil }
        item = String(text[index...end])
        index = end + 1
        continue
      case "(": depth += 1
      case ")": depth -= 1
      case "|" where depth > 0:
        return "Lua's patterns have no alternatives: match each by itself, or use one_of"
      case "{":
        if let quantifier = PatternCheck.quantifier(text, from: index), !item.isEmpty {
          return advice(item, quantifier)
        }
      default: break
      }
      item = ")".contains(character) ? "( )" : String(character)
      index += 1
    }
    return nil
  }

  private static func advice(_ item: String, _ quantifier: String) -> String {
    let fault = "Lua's patterns have no quantifier \(quantifier)"
    guard let count = Int(quantifier.dropFirst().dropLast()), count > 0, count <= 8, item != "( )"
    else { return "\(fault): repeat \(item == "( )" ? "the group" : item), or check the length" }
    return "\(fault): write \(String(repeating: item, count: count))"
  }

  /// Returns a quantifier such as `{3}` or `{1,3}` that begins at a brace.
  private static func quantifier(_ text: [Character], from start: Int) -> String? {
    guard let end = text[start...].firstIndex(of: "}") else { return nil }
    let inner = text[(start + 1)..<end]
    guard inner.contains(where: \.isNumber), inner.allSatisfy({ $0.isNumber || $0 == "," }) else {
      return nil
    }
    return String(text[start...end])
  }

  private static func endOfSet(_ text: [Character], from start: Int) -> Int? {
    var index = start + 1
    if index < text.count, text[index] == "^" { index += 1 }
    // A bracket at the beginning of the set is a part of it.
    if index < text.count, text[index] == "]" { index += 1 }
    while index < text.count {
      if text[index] == "%" {
        index += 2
        continue
      }
      if text[index] == "]" { return index }
      index += 1
    }
    return nil
  }
}
