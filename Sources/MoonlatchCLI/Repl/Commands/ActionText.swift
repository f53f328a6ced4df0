import Moonlatch

/// Actions as they are written at the prompt.
enum ActionText {
  /// `coin { amount = an integer of at least 1 }`, `push()`, `pass["T02 Check"]()`; with what is to
  /// stand for the action, if that is not its name.
  static func call(_ action: Action, as callee: String? = nil) -> String {
    let name = callee ?? reached(action.name, isShadowed: false)
    guard case .record(let fields) = action.payload, !fields.isEmpty else { return name + "()" }
    return "\(name) { " + fields.map(field).joined(separator: ", ") + " }"
  }

  /// What leads to an action at the prompt, whatever it is called.
  static func reached(_ name: String, isShadowed: Bool) -> String {
    Value.isName(name) && !isShadowed ? name : Names.dotted("pass", name)
  }

  /// An action as commands take it: `:why coin`, `:why "T02 Check"`.
  static func argument(_ name: String) -> String {
    Value.isName(name) ? name : Value.quoted(name, limit: .max)
  }

  /// The text in quotes, and what follows it; nil where it does not begin with quotes.
  static func unquoted(_ text: some StringProtocol) -> (text: String, rest: String)? {
    guard text.first == "\"" else { return nil }
    var content = ""
    var rest = text.dropFirst()
    while let character = rest.popFirst(), character != "\"" {
      content.append(character == "\\" ? rest.popFirst() ?? character : character)
    }
    return (content, String(rest))
  }

  static func field(_ field: PayloadType.Field) -> String {
    "\(Value.key(field.name)) = \(type(field.type))"
  }

  /// The type of a field, with what may stand in for it.
  static func type(_ type: PayloadType) -> String {
    if type.isOptional { return "optional \(bare(type))" }
    if let value = type.defaultValue.map(type.hiding) {
      return "\(bare(type)), else \(value.text(limit: 40))"
    }
    return bare(type)
  }

  /// Without the article.
  private static func bare(_ type: PayloadType) -> String {
    if case .record(let fields) = type {
      return "{ " + fields.map(field).joined(separator: ", ") + " }"
    }
    if case .optional(let inner) = type { return bare(inner) }
    let text = type.text
    for article in ["an ", "a "] where text.hasPrefix(article) {
      return String(text.dropFirst(article.count))
    }
    return text
  }

  /// A payload that fits, made of samples, defaults and the least of each type; nil where a field
  /// leaves no way to tell.
  static func sample(of action: Action) -> Value? { sample(of: action.payload) }

  private static func sample(of type: PayloadType) -> Value? {
    if let first = type.common?.samples.first ?? type.defaultValue { return first }
    switch type {
    case .boolean: return true
    case .integer(let min, let max, _), .number(let min, let max, _): return number(min, max)
    case .string(nil, let least, let most, _):
      let length = max(least ?? 0, min(1, most ?? 1))
      return length > 200 ? nil : .string(String(repeating: "a", count: length))
    case .string: return nil
    case .any: return 1
    case .oneOf(let values, _): return values.first
    case .listOf(let element, let least, _, _):
      guard let least, least > 0 else { return .list([]) }
      guard least < 100, let one = sample(of: element) else { return nil }
      return .list(Array(repeating: one, count: least))
    case .mapOf: return [:]
    case .optional: return .nil
    case .record(let fields):
      var values: [String: Value] = [:]
      for field in fields where !field.type.isOptional {
        guard let value = sample(of: field.type) else { return nil }
        values[field.name] = value
      }
      return .record(values)
    }
  }

  private static func number(_ min: Value?, _ max: Value?) -> Value {
    switch (min, max) {
    case (let min?, _): min
    case (nil, .integer(let max)?): .integer(Swift.min(1, max))
    case (nil, let max?): max
    case (nil, nil): 1
    }
  }

  /// `coin { amount = 1 }` as `coin` and its payload; also with `pass.` before it, in brackets or
  /// with nothing between.
  static func split(_ text: String) -> (name: String, payload: String) {
    var rest = text.trimmed[...]
    if rest.hasPrefix("pass.") { rest = rest.dropFirst(5) }
    if rest.hasPrefix("pass[\"") { rest = rest.dropFirst(4) }
    let isInBrackets = rest.hasPrefix("[\"")
    let name: String
    var payload: String
    if let (quoted, behind) = unquoted(isInBrackets ? rest.dropFirst() : rest) {
      name = quoted
      payload =
        (isInBrackets && behind.hasPrefix("]") ? String(behind.dropFirst()) : behind).trimmed
    } else {
      name = String(rest.prefix { $0.isLetter || $0.isNumber || $0 == "_" })
      payload = rest.dropFirst(name.count).trimmed
    }
    if payload.hasPrefix("("), payload.hasSuffix(")") {
      payload = payload.dropFirst().dropLast().trimmed
    }
    return (name, payload)
  }
}
