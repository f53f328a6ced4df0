import FlowLanguage
import LuaRuntime

/// A check of literal values against the type of their place.
struct TypeCheck {
  let name: String
  let tree: LuaTree
  let shapes: [Shape]
  /// The kind of the findings.
  let kind: Finding.Kind
  /// The text before a place in messages.
  let prefix: String
  /// The name of the whole value in messages.
  let whole: String
  /// True if the value is complete, so that an omitted field is missing.
  let isWhole: Bool

  /// Checks the payload of an action; `isWhole` is true if omitted fields are missing.
  static func payload(
    of action: Action, _ value: LuaTree.ExpressionID?, in name: String, _ shapes: TreeShapes,
    isWhole: Bool = true, line: Int
  ) -> [Finding] {
    let check = TypeCheck(
      name: name, tree: shapes.tree, shapes: shapes.shapes, kind: .wrongPayload,
      prefix: "action \(action.name): ", whole: "action \(action.name)", isWhole: isWhole)
    guard let value else { return isWhole ? check.missing(action.payload, besides: [], line) : [] }
    switch shapes.tree.expressions[shapes.tree.bare(value)].kind {
    case .table: return check.compare(value, action.payload, "")
    default:
      guard let kind = shapes.shapes[value].kind, kind != .table, kind != .none else { return [] }
      return [
        check.finding(line, "action \(action.name) takes a record: write { field = value }")
      ]
    }
  }

  /// Checks a value that is assigned to a place of the state.
  static func state(
    _ value: LuaTree.ExpressionID, _ type: PayloadType, at place: String, in name: String,
    _ shapes: TreeShapes, isWhole: Bool = true
  ) -> [Finding] {
    TypeCheck(
      name: name, tree: shapes.tree, shapes: shapes.shapes, kind: .unknownValue, prefix: "",
      whole: place, isWhole: isWhole
    ).compare(value, type, place)
  }

  /// Compares a value with the type of its place, whose path messages name.
  func compare(
    _ value: LuaTree.ExpressionID, _ type: PayloadType, _ path: String
  ) -> [Finding] {
    let expression = tree.expressions[tree.bare(value)]
    if case .optional(let inner) = type {
      if case .value(.none) = shapes[value] { return [] }
      return compare(value, inner, path)
    }
    guard case .table(let items) = expression.kind else {
      return misfit(value, type, path, expression.line)
    }
    switch type {
    case .record(let fields): return record(items, fields, type, path, expression.line)
    case .listOf(let element, _, let most, _):
      var found = items.enumerated().flatMap { number, item -> [Finding] in
        guard case .positional(let value) = item else { return [] }
        return compare(value, element, "\(path)[\(number + 1)]")
      }
      if let most, items.count > most {
        found.append(
          finding(expression.line, "\(prefix)\(path) must be \(type.text), got \(items.count)"))
      }
      return found
    case .mapOf(let element, _, _, _):
      return items.flatMap { item -> [Finding] in
        guard case .named(let key, let value, _) = item else { return [] }
        return compare(value, element, "\(path).\(key)")
      }
    case .any, .oneOf, .optional: return []
    case .boolean, .integer, .number, .string:
      return [finding(expression.line, "\(prefix)\(path) must be \(type.text), got a table")]
    }
  }

  /// Checks a value that is not a table.
  private func misfit(
    _ value: LuaTree.ExpressionID, _ type: PayloadType, _ path: String, _ line: Int
  ) -> [Finding] {
    if let literal = tree.literal(value) {
      if TypeCheck.fits(literal, type) { return [] }
      var advice = ""
      if case .oneOf(let values, _) = type, let text = literal.stringValue {
        let names = values.compactMap(\.stringValue)
        advice = Names.suggestion(for: text, among: names)
      }
      return [finding(line, "\(prefix)\(path) must be \(type.text), got \(literal)\(advice)")]
    }
    if case .binary(let sign, let left, let right) = tree.expressions[tree.bare(value)].kind,
      sign == "and" || sign == "or"
    {
      let last = alternative(right, type, path)
      return sign == "or" ? alternative(left, type, path) + last : last
    }
    guard let kind = shapes[value].kind else { return [] }
    if case .function = kind {
      return [finding(line, "\(prefix)\(path) must be \(type.text), got a function: call it")]
    }
    if case .any = type { return [] }
    if case .optional = shapes[value], kind != .table { return [] }
    if kind == .none {
      let advice = "(declare it as optional(...) to let it be empty)"
      return [finding(line, "\(prefix)\(path): this field always has a value \(advice)")]
    }
    if kind == .fraction, case .integer = type {
      return [
        finding(
          line,
          "\(prefix)\(path) must be \(type.text), and this need not be whole; x // y gives a whole "
            + "number")
      ]
    }
    if !type.mayBe(kind) {
      return [finding(line, "\(prefix)\(path) must be \(type.text), got \(kind.title)")]
    }
    return choices(value, type, path, line)
  }

  /// Checks the possible results of a value computed with `and` and `or`.
  private func alternative(
    _ value: LuaTree.ExpressionID, _ type: PayloadType, _ path: String
  ) -> [Finding] {
    switch tree.expressions[tree.bare(value)].kind {
    case .nil, .false, .table: []
    case .binary("and", _, let right): alternative(right, type, path)
    case .binary("or", _, _), .string, .number: compare(value, type, path)
    default: []
    }
  }

  /// Checks a choice of several values, none of which fits.
  private func choices(
    _ value: LuaTree.ExpressionID, _ type: PayloadType, _ path: String, _ line: Int
  ) -> [Finding] {
    guard let given = shapes[value].choices, case .oneOf(let taken, _) = type,
      !given.contains(where: taken.contains)
    else { return [] }
    let names = given.map(\.description).joined(separator: ", ")
    return [finding(line, "\(prefix)\(path) must be \(type.text), got one of \(names)")]
  }

  private func record(
    _ items: [LuaTree.Item], _ fields: [PayloadType.Field], _ type: PayloadType, _ path: String,
    _ line: Int
  ) -> [Finding] {
    var found: [Finding] = []
    var given: Set<String> = []
    var isKnown = true
    for item in items {
      guard case .named(let key, let value, let line) = item else {
        isKnown = false
        continue
      }
      if tree.isNil(value) { continue }
      given.insert(key)
      if let field = fields.field(named: key) {
        found += compare(value, field.type, inner(path, key))
      } else {
        let advice = Names.suggestion(for: key, among: fields.map(\.name))
        let field = prefix.isEmpty ? key : inner(path, key)
        let owner = prefix.isEmpty ? path : whole
        let kind = prefix.isEmpty ? Finding.Kind.unknownField : kind
        found.append(
          Finding(
            kind, at: SourcePlace(file: name, line: line), "\(owner) has no field \(field)\(advice)"
          ))
      }
    }
    return found + (isKnown && isWhole ? missing(type, besides: given, line, path) : [])
  }

  private func inner(_ path: String, _ key: String) -> String {
    path.isEmpty ? key : "\(path).\(key)"
  }

  /// Returns a finding for the fields of a record that must be given and are not.
  func missing(
    _ type: PayloadType, besides given: Set<String>, _ line: Int, _ path: String = ""
  ) -> [Finding] {
    guard case .record(let fields) = type else { return [] }
    // Omitted lists and maps of a record of the state begin empty.
    let names = type.requiredNames.filter { name in
      if given.contains(name) { return false }
      guard prefix.isEmpty, let field = fields.field(named: name) else {
        return true
      }
      switch field.type {
      case .listOf, .mapOf, .record: return false
      default: return true
      }
    }
    guard !names.isEmpty else { return [] }
    let paths = names.map { inner(path, $0) }
    return [
      finding(line, "\(prefix)\(Names.list(paths)) \(names.count > 1 ? "are" : "is") missing")
    ]
  }

  func finding(_ line: Int, _ message: String) -> Finding {
    Finding(kind, at: SourcePlace(file: name, line: line), message)
  }

  // MARK: Scalars

  /// Returns true if a scalar fits a type, except for patterns.
  static func fits(_ value: Value, _ type: PayloadType) -> Bool {
    switch type {
    case .any: return true
    case .optional(let inner): return value.isNil || fits(value, inner)
    case .boolean:
      if case .boolean = value { return true }
      return false
    case .integer(let min, let max, _):
      guard let number = value.double, number == number.rounded() else { return false }
      return isWithin(number, min, max)
    case .number(let min, let max, _):
      guard let number = value.double else { return false }
      return isWithin(number, min, max)
    case .string(_, let min, let max, _):
      guard case .string(let text) = value else { return false }
      let length = text.unicodeScalars.count
      return length >= min ?? 0 && length <= max ?? .max
    case .oneOf(let values, _):
      return values.contains { $0 == value || $0.double != nil && $0.double == value.double }
    case .listOf, .mapOf, .record: return false
    }
  }

  private static func isWithin(_ number: Double, _ min: Value?, _ max: Value?) -> Bool {
    if let min = min?.double, number < min { return false }
    if let max = max?.double, number > max { return false }
    return true
  }
}

extension Value {
  fileprivate var double: Double? {
    switch self {
    case .integer(let integer): Double(integer)
    case .number(let number): number
    default: nil
    }
  }
}
