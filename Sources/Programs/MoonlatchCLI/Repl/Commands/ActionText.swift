import FlowLanguage
import LuaRuntime

/// The text of actions at the prompt.
enum ActionText {
  /// Returns the call of an action with the types of its payload: `coin { amount = an integer of at least 1 }`,
  /// `push()`, `pass["T02 Check"]()`.
  ///
  /// - Parameter callee: the expression for the action, if it is not its name.
  static func call(_ action: Action, as callee: String? = nil) -> String {
    let name = callee ?? reached(action.name)
    guard case .record(let fields) = action.payload, !fields.isEmpty else { return name + "()" }
    return "\(name) { " + fields.map(field).joined(separator: ", ") + " }"
  }

  /// Returns the expression that calls an action at the prompt, for any name.
  static func reached(_ name: String) -> String {
    Value.isName(name) ? name : Names.dotted("pass", name)
  }

  /// Returns the name of an action as an argument of commands: `:why coin`, `:why "T02 Check"`.
  static func argument(_ name: String) -> String {
    Value.isName(name) ? name : Value.quoted(name, limit: .max)
  }

  /// Returns the text in quotes and what follows it; nil if the text does not begin with a quote.
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

  /// Returns the type of a field, with its default value.
  static func type(_ type: PayloadType) -> String {
    if type.isOptional { return "optional \(bare(type))" }
    if let value = type.defaultValue.map(type.hiding) {
      return "\(bare(type)), else \(value.text(limit: 40))"
    }
    return bare(type)
  }

  /// Returns the text of a type without its article.
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

  /// Returns a valid payload of an action; nil if a field has no sample.
  static func sample(of action: Action) -> Value? { action.payload.sample }

  /// Splits `coin { amount = 1 }` into `coin` and its payload.
  ///
  /// The name may have `pass.` before it, or stand in brackets or directly before the payload.
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
