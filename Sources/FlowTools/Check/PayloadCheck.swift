import Moonlatch

/// Payloads that are written out, against what their actions declare.
struct PayloadCheck {
  let name: String
  let tree: LuaTree
  let flow: Flow

  /// The faults of a payload; `isWhole` where what is left out is missing.
  func check(
    _ action: String, _ payload: LuaTree.ExpressionID?, isWhole: Bool, _ call: LuaTree.Expression
  ) -> [Finding] {
    guard let type = flow.action(named: action)?.payload else { return [] }
    let title = "action \(action)"
    guard let payload else {
      return isWhole ? missing(type, besides: [], title, call.line) : []
    }
    guard case .table = tree.expressions[tree.bare(payload)].kind else { return [] }
    return compare(payload, type, title, "")
  }

  private func compare(
    _ value: LuaTree.ExpressionID, _ type: PayloadType, _ title: String, _ path: String
  ) -> [Finding] {
    let expression = tree.expressions[tree.bare(value)]
    if case .optional(let inner) = type { return compare(value, inner, title, path) }
    guard case .table(let items) = expression.kind else {
      guard let literal = literal(value), !PayloadCheck.fits(literal, type) else { return [] }
      return [
        finding(expression.line, "\(title): \(path) must be \(type.text), got \(literal)")
      ]
    }
    switch type {
    case .record(let fields): return record(items, fields, type, title, path, expression.line)
    case .listOf(let element, _, _, _):
      return items.enumerated().flatMap { number, item -> [Finding] in
        guard case .positional(let value) = item else { return [] }
        return compare(value, element, title, "\(path)[\(number + 1)]")
      }
    case .mapOf(let element, _, _, _):
      return items.flatMap { item -> [Finding] in
        guard case .named(let key, let value, _) = item else { return [] }
        return compare(value, element, title, "\(path).\(key)")
      }
    case .any, .oneOf, .optional: return []
    case .boolean, .integer, .number, .string:
      return [finding(expression.line, "\(title): \(path) must be \(type.text), got a table")]
    }
  }

  private func record(
    _ items: [LuaTree.Item], _ fields: [PayloadType.Field], _ type: PayloadType, _ title: String,
    _ path: String, _ line: Int
  ) -> [Finding] {
    var found: [Finding] = []
    var given: Set<String> = []
    var isKnown = true
    for item in items {
      guard case .named(let key, let value, let line) = item else {
        isKnown = false
        continue
      }
      if case .nil = tree.expressions[tree.bare(value)].kind { continue }
      given.insert(key)
      let inner = path.isEmpty ? key : "\(path).\(key)"
      if let field = fields.first(where: { $0.name == key }) {
        found += compare(value, field.type, title, inner)
      } else {
        let advice = Names.suggestion(for: key, among: fields.map(\.name))
        found.append(finding(line, "\(title) has no field \(inner)\(advice)"))
      }
    }
    return found + (isKnown ? missing(type, besides: given, title, line, path) : [])
  }

  private func missing(
    _ type: PayloadType, besides given: Set<String>, _ title: String, _ line: Int,
    _ path: String = ""
  ) -> [Finding] {
    let names = type.requiredNames.filter { !given.contains($0) }
    guard !names.isEmpty else { return [] }
    let paths = names.map { path.isEmpty ? $0 : "\(path).\($0)" }
    return [
      finding(line, "\(title): \(Names.list(paths)) \(names.count > 1 ? "are" : "is") missing")
    ]
  }

  private func finding(_ line: Int, _ message: String) -> Finding {
    Finding(.wrongPayload, at: SourcePlace(file: name, line: line), message)
  }

  // MARK: Literals

  private func literal(_ id: LuaTree.ExpressionID) -> Value? {
    switch tree.expressions[tree.bare(id)].kind {
    case .true: return .boolean(true)
    case .false: return .boolean(false)
    case .string(let text): return .string(text)
    case .number(let text): return number(text)
    case .unary("-", let operand):
      guard case .number(let text) = tree.expressions[tree.bare(operand)].kind else { return nil }
      return number("-" + text)
    default: return nil
    }
  }

  private func number(_ text: String) -> Value? {
    if text.contains("x") || text.contains("X") { return nil }
    if let integer = Int(text) { return .integer(integer) }
    return Double(text).map { .number($0) }
  }

  /// Whether a scalar fits a type, save for patterns.
  private static func fits(_ value: Value, _ type: PayloadType) -> Bool {
    switch type {
    case .any, .optional: return true
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
