import FlowLanguage
import LuaRuntime

/// Checks of comparisons, calculations and loops.
extension TreeCheck {
  func operators(
    _ sign: String, _ left: LuaTree.ExpressionID, _ right: LuaTree.ExpressionID, _ line: Int
  ) -> [Finding] {
    switch sign {
    case "==", "~=":
      let found = unequal(left, right, line)
      if !found.isEmpty { return found }
      return comparison(left, right, line) + comparison(right, left, line)
        + negated(left, sign, line) + kinds(left, right, line)
    case "<", ">", "<=", ">=":
      let found = [left, right].flatMap { operand($0, "cannot be compared like this", line) }
      return found + negated(left, sign, line) + (found.isEmpty ? kinds(left, right, line) : [])
    case "..":
      return [left, right].flatMap { operand($0, "cannot be joined to a string", line) }
    case "+", "-", "*", "/", "//", "%", "^":
      return [left, right].flatMap {
        operand($0, "cannot be used in a calculation", line) + string($0, line)
      }
    default: return []
    }
  }

  /// Checks for a string that is no number, in a calculation.
  private func string(_ id: LuaTree.ExpressionID, _ line: Int) -> [Finding] {
    guard let text = tree.string(id)?.filter({ !$0.isWhitespace }).lowercased(),
      Double(text) == nil, !text.hasPrefix("0x")
    else { return [] }
    return [
      finding(.wrongKind, line, "a string cannot be used in a calculation; .. joins strings")
    ]
  }

  /// Checks for values that equal no other: the mark `none`, and a new table.
  private func unequal(
    _ left: LuaTree.ExpressionID, _ right: LuaTree.ExpressionID, _ line: Int
  ) -> [Finding] {
    for id in [left, right] {
      switch kind(id) {
      case .global("none") where !globals.contains("none"):
        return [
          finding(
            .constantAnswer, line,
            "none is a mark for declarations, and equals no value: compare with nil")
        ]
      case .table:
        return [
          finding(
            .constantAnswer, line,
            "a new table equals no other: compare what it holds, such as #list == 0")
        ]
      default: break
      }
    }
    return []
  }

  /// Checks a number that stands for an element of a list.
  func number(
    _ key: LuaTree.ExpressionID, in table: LuaTree.ExpressionID, _ line: Int
  ) -> [Finding] {
    guard case .list = shapes.shapes[table].present, let number = literal(key)?.doubleValue,
      number < 1 || number != number.rounded()
    else { return [] }
    return [
      finding(
        .unknownField, line,
        "\(title(table)) is a list, whose first element is [1]: there is no [\(literal(key) ?? .nil)]"
      )
    ]
  }

  func unary(_ sign: String, _ id: LuaTree.ExpressionID, _ line: Int) -> [Finding] {
    switch sign {
    case "-": return operand(id, "cannot be used in a calculation", line)
    case "#":
      if case .map = shapes.shapes[id].present {
        return [
          finding(
            .wrongKind, line, "\(title(id)) is a map, which has no length: count with pairs")
        ]
      }
      guard case .table? = shapes.shapes[id].kind else {
        return operand(id, "has no length", line, numbers: true)
      }
      return []
    default: return []
    }
  }

  /// Checks for an operand of the wrong kind: numbers instead of tables if `isNoNumber` is true; texts never count.
  func operand(
    _ id: LuaTree.ExpressionID, _ why: String, _ line: Int, numbers isNoNumber: Bool = false
  ) -> [Finding] {
    let what: String
    switch shapes.shapes[id] {
    case .value(.function): return notCalled(id, line)
    case .value(.none): what = "none"
    case .value(.table), .record, .list, .map:
      if isNoNumber { return [] }
      what = "a table"
    default:
      switch shapes.shapes[id].kind {
      case .boolean?: what = "a boolean"
      case .integer?, .number?, .fraction?:
        guard isNoNumber else { return [] }
        what = "a number"
      default: return []
      }
    }
    let name = title(id)
    if name == "this" { return [finding(.wrongKind, line, "\(what) \(why)")] }
    return [finding(.wrongKind, line, "\(name) is \(what), and \(why)")]
  }

  /// Returns the finding for a function that is used instead of its result.
  func notCalled(_ id: LuaTree.ExpressionID, _ line: Int) -> [Finding] {
    let name = title(id)
    guard name != "this" else { return [] }
    return [finding(.wrongKind, line, "\(name) is a function: call it, \(name)(...)")]
  }

  /// Checks for `not a == b`.
  private func negated(
    _ left: LuaTree.ExpressionID, _ sign: String, _ line: Int
  ) -> [Finding] {
    guard case .unary("not", _) = tree.expressions[left].kind else { return [] }
    let meant = sign == "==" ? "a ~= b" : "not (a \(sign) b)"
    return [
      finding(
        .constantAnswer, line,
        "not binds tighter than \(sign), so this compares a boolean; write \(meant)")
    ]
  }

  /// Checks for two values that are never equal.
  private func kinds(
    _ left: LuaTree.ExpressionID, _ right: LuaTree.ExpressionID, _ line: Int
  ) -> [Finding] {
    for id in [left, right] {
      if case .value(.function) = shapes.shapes[id], title(id) != "this" {
        return notCalled(id, line)
      }
    }
    guard let first = shapes.shapes[left].kind, let second = shapes.shapes[right].kind,
      first != .none, second != .none, first != second, !(first.isNumber && second.isNumber)
    else { return [] }
    // A choice is reported with its values.
    if [left, right].contains(where: { shapes.shapes[$0].choices != nil }),
      [first, second].contains(.string), [left, right].contains(where: { tree.string($0) != nil })
    {
      return []
    }
    let place = title(left) == "this" ? right : left
    let (own, other) = place == left ? (first, second) : (second, first)
    return [
      finding(
        .unknownValue, line,
        "\(title(place)) is \(own.title), and this is \(other.title): they are never equal")
    ]
  }

  /// Checks for a value that the place never has.
  private func comparison(
    _ place: LuaTree.ExpressionID, _ value: LuaTree.ExpressionID, _ line: Int
  ) -> [Finding] {
    guard let literal = literal(value) else { return [] }
    if let values = shapes.shapes[place].choices {
      if values.contains(literal) || literal.stringValue == nil { return [] }
      return [outside(literal, values, at: place, line)]
    }
    if let type = shapes.shapes[place].present.type, type.mayBe(literal.kind),
      !TypeCheck.fits(literal, type)
    {
      return [
        finding(.unknownValue, line, "\(title(place)) is \(type.text), never \(literal)")
      ]
    }
    guard let text = literal.stringValue, case .field(let table, let field) = kind(place),
      let record = shapes.shapes[table].record, record.texts.contains(field),
      let known = texts.values[field], !known.contains(text)
    else { return [] }
    return [outside(literal, known.sorted().map(Value.string), at: place, line)]
  }

  func kind(_ id: LuaTree.ExpressionID) -> LuaTree.Expression.Kind {
    tree.expressions[tree.bare(id)].kind
  }

  private func outside(
    _ value: Value, _ values: [Value], at place: LuaTree.ExpressionID, _ line: Int
  ) -> Finding {
    var title = "this"
    if case .field(_, let name) = kind(place) { title = name }
    if case .local(let local) = kind(place) { title = tree.locals[local].name }
    let shown =
      values.count > 8
      ? "" : " (it is one of " + values.map(\.description).joined(separator: ", ") + ")"
    let names = values.compactMap(\.stringValue)
    return finding(
      .unknownValue, line,
      "\(title) is never \(value)\(shown)"
        + Names.suggestion(for: value.stringValue ?? "", among: names))
  }

  func literal(_ id: LuaTree.ExpressionID) -> Value? { tree.literal(id) }

  // MARK: Loops

  func loop(_ values: [LuaTree.ExpressionID], _ line: Int) -> [Finding] {
    guard let first = values.first else { return [] }
    switch shapes.shapes[first] {
    case .list, .map, .record, .value(.table):
      return [
        finding(
          .wrongKind, line,
          "\(title(first)) is a table: iterate over it with ipairs(...) or pairs(...)")
      ]
    default: break
    }
    guard case .call(let callee, let arguments) = tree.expressions[first].kind,
      case .global(let word) = tree.expressions[callee].kind, let list = arguments.first
    else { return [] }
    if word == "ipairs" || word == "pairs" {
      if word == "ipairs", case .map(_, let type?) = shapes.shapes[list].present,
        case .mapOf = type, !type.hasIntegerKeys
      {
        return [
          finding(
            .wrongKind, line,
            "\(title(list)) is a map: ipairs iterates over lists, pairs over maps")
        ]
      }
      guard shapes.shapes[list].kind != .table else { return [] }
      return operand(list, "cannot be iterated", line, numbers: true)
        + (shapes.shapes[list].kind == .string
          ? [finding(.wrongKind, line, "\(title(list)) is a string, and cannot be iterated")]
          : [])
    }
    return []
  }
}
