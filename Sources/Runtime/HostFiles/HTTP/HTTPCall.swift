import LuaRuntime

/// A call of an `http` capability.
struct HTTPCall: Sendable {
  struct Argument: Sendable {
    let name: String
    let value: Value
  }

  /// The arguments, in the order in which they are sent.
  let arguments: [Argument]
  /// The id of the call.
  let id: String
  let caseID: String
  /// The key of the scope's instance; `.nil` for root.
  let scopeKey: Value

  /// The names of placeholders that are no arguments.
  static let ownNames: Set<String> = ["call", "case", "key"]

  /// Returns the text of a placeholder.
  func text(of name: String) throws(HTTPFault) -> String {
    switch name {
    case "call": return id
    case "case": return caseID
    case "key": return try HTTPCall.text(of: scopeKey, named: "key")
    default:
      guard let value = arguments.first(where: { $0.name.isSame(as: name) })?.value, !value.isNil
      else { throw HTTPFault("\(name) is missing: it stands in the URL") }
      return try HTTPCall.text(of: value, named: name)
    }
  }

  /// Returns a value as a text in a URL or form.
  ///
  /// - Throws: an error for values without such a text; it does not show the value, which may be secret.
  static func text(of value: Value, named name: String) throws(HTTPFault) -> String {
    switch value {
    case .string(let text): return text
    case .integer(let integer): return String(integer)
    case .boolean(let flag): return flag ? "true" : "false"
    case .number(let number) where number.isFinite: return Value.text(of: number)
    default:
      throw HTTPFault("\(name) must be a text, a number or a boolean here, not \(value.kindName)")
    }
  }

  /// Returns names and values as pairs of texts: a list repeats its name, and nothing is left out.
  static func pairs(
    of arguments: [Argument]
  ) throws(HTTPFault) -> [(name: String, text: String)] {
    var pairs: [(name: String, text: String)] = []
    for argument in arguments where !argument.value.isNil {
      for value in argument.value.listValue ?? [argument.value] {
        pairs.append((argument.name, try text(of: value, named: argument.name)))
      }
    }
    return pairs
  }
}
