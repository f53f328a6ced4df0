import FlowLanguage
import LuaRuntime

/// A call of a capability that the server performs itself.
struct HostCall: Sendable {
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

  /// Makes a call with these arguments, to find out if they can be sent.
  static func trial(_ arguments: [Argument]) -> HostCall {
    HostCall(arguments: arguments, id: "call", caseID: "case", scopeKey: "key")
  }

  /// Returns the faults of placeholders.
  ///
  /// - Parameters:
  ///   - place: the place in which they stand, such as `the URL`.
  ///   - known: the names of the arguments; nil if a call may have any.
  ///   - isRoot: true if the capability belongs to root, which has no key.
  static func faults(
    ofPlaceholders names: [String], in place: String, arguments known: [String]?, isRoot: Bool
  ) -> [String] {
    var faults: [String] = []
    var seen: Set<String> = []
    for name in names where seen.insert(name).inserted {
      if ownNames.contains(name) {
        if known?.contains(name) == true {
          faults.append("{\(name)} is no argument, but set by the server: rename the argument")
        }
        if name == "key", isRoot {
          faults.append("{key} is the key of a scope, which root does not have")
        }
      } else if let known, !known.contains(name) {
        faults.append(
          "{\(name)} in \(place) is no argument"
            + Names.suggestion(for: name, among: known + ownNames.sorted()))
      }
    }
    return faults
  }

  /// Returns the text of a placeholder.
  ///
  /// - Parameter place: the place in which it stands, such as `the URL`.
  func text(of name: String, in place: String) throws(CallFault) -> String {
    switch name {
    case "call": return id
    case "case": return caseID
    case "key": return try HostCall.text(of: scopeKey, named: "key")
    default:
      guard let value = arguments.first(where: { $0.name.isSame(as: name) })?.value, !value.isNil
      else { throw CallFault("\(name) is missing: it stands in \(place)") }
      return try HostCall.text(of: value, named: name)
    }
  }

  /// Returns a value as a text in a URL, a form or an argument.
  ///
  /// - Throws: an error for values without such a text; it does not show the value, which may be secret.
  static func text(of value: Value, named name: String) throws(CallFault) -> String {
    switch value {
    case .string(let text): return text
    case .integer(let integer): return String(integer)
    case .boolean(let flag): return flag ? "true" : "false"
    case .number(let number) where number.isFinite: return Value.text(of: number)
    default:
      throw CallFault("\(name) must be a text, a number or a boolean here, not \(value.kindName)")
    }
  }

  /// Returns names and values as pairs of texts: a list repeats its name, and nothing is left out.
  static func pairs(
    of arguments: [Argument]
  ) throws(CallFault) -> [(name: String, text: String)] {
    var pairs: [(name: String, text: String)] = []
    for argument in arguments where !argument.value.isNil {
      for value in argument.value.listValue ?? [argument.value] {
        pairs.append((argument.name, try text(of: value, named: argument.name)))
      }
    }
    return pairs
  }
}
