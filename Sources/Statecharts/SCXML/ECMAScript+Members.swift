/// Members, calls, arrays and objects, and the notation of numbers in Lua.
extension ECMAScript {
  mutating func members(isStatement: Bool = false) throws(Unknown) -> Term {
    var term = try primary()
    while true {
      if take(".") {
        guard case .name(let name) = next else { throw unexpected }
        at += 1
        if take("(") {
          term = try call(name, of: term, isStatement: isStatement)
          if term.isCall { return term }
        } else {
          term = ECMAScript.member(Term(lua: LuaText.quoted(name), literal: name), of: term)
        }
      } else if take("[") {
        let key = try choice()
        guard take("]") else { throw unexpected }
        term = ECMAScript.member(key, of: term)
      } else {
        break
      }
      try countPart()
      isConstant = false
    }
    if next == .sign("(") { throw Unknown(reason: ECMAScriptWords.otherCall) }
    return term
  }

  private static func member(_ key: Term, of term: Term) -> Term {
    let place =
      key.literal == nil ? "\(term.lua)[__place(\(key.lua))]" : "\(term.lua)[\(key.lua)]"
    if key.literal == "length" { return Term(lua: "__length(\(term.lua))", place: place) }
    let isComputed = key.literal == nil || term.literal != nil
    return Term(lua: isComputed ? "__get(\(term.lua), \(key.lua))" : place, place: place)
  }

  /// Parses the arguments of a call, up to its closing parenthesis.
  private mutating func arguments() throws(Unknown) -> String {
    var arguments: [String] = []
    while !take(")") {
      arguments.append(", \(try choice().lua)")
      guard take(",") || next == .sign(")") else { throw unexpected }
    }
    return arguments.joined()
  }

  private mutating func call(
    _ name: String, of term: Term, isStatement: Bool
  ) throws(Unknown) -> Term {
    if let library = term.name, ECMAScriptWords.libraries.contains(library) {
      return try invoke("\(library).\(name)")
    }
    let arguments = try arguments()
    if ECMAScriptWords.changing.contains(name) {
      guard isStatement, next == .end || next == .sign(";") || isFirstOfLine else {
        throw Unknown(reason: "\(name) changes an array: use it as a statement in a script")
      }
      return Term(lua: "__change(\(term.lua), \(LuaText.quoted(name))\(arguments))", isCall: true)
    }
    guard ECMAScriptWords.methods.contains(name) else {
      throw Unknown(reason: "the method \(name) is not supported")
    }
    return Term(lua: "__call(\(term.lua), \(LuaText.quoted(name))\(arguments))")
  }

  /// Parses a call of a global function; its opening parenthesis has been read.
  mutating func invoke(_ name: String) throws(Unknown) -> Term {
    guard ECMAScriptWords.functions.contains(name) else {
      throw Unknown(reason: "the function \(name) is not supported")
    }
    return Term(lua: "__invoke(\(LuaText.quoted(name))\(try arguments()))")
  }

  /// Parses an assignable location.
  mutating func place() throws(Unknown) -> String { try place(of: members()) }

  func place(of term: Term) throws(Unknown) -> String {
    if term.lua.hasPrefix("__length(") {
      throw Unknown(reason: "setting the length of an array is not supported")
    }
    guard let place = term.place ?? (term.name == nil ? nil : term.lua) else { throw unexpected }
    return place
  }

  mutating func array() throws(Unknown) -> Term {
    var items: [String] = []
    while !take("]") {
      let item = try choice().lua
      if item == "nil" {
        throw Unknown(reason: "an array cannot contain null here", kind: .refused)
      }
      items.append(item)
      guard take(",") || next == .sign("]") else { throw unexpected }
    }
    return Term(lua: "(__list({ \(items.joined(separator: ", ")) }))")
  }

  mutating func object() throws(Unknown) -> Term {
    var fields: [String] = []
    while !take("}") {
      guard case .name(let name) = next.asName else { throw unexpected }
      at += 1
      guard take(":") else { throw unexpected }
      fields.append("[\(LuaText.quoted(name))] = \(try choice().lua)")
      guard take(",") || next == .sign("}") else { throw unexpected }
    }
    return Term(lua: "(__map({ \(fields.joined(separator: ", ")) }))")
  }

  /// Returns a number in Lua's notation; one beyond 2^53 is a float.
  static func numeral(_ text: String) -> String {
    let isHex = text.lowercased().hasPrefix("0x")
    let isWhole = isHex || text.utf8.allSatisfy { (48...57).contains($0) }
    if isHex, let value = UInt64(text.dropFirst(2), radix: 16) {
      return value <= 1 << 53 ? text : "\(Double(value))"
    }
    guard isWhole, text.utf8.count > 15, let value = Double(text) else {
      return wholeOf(text) ?? text
    }
    return value > 9_007_199_254_740_992 ? text + ".0" : String(Int(value))
  }

  /// Returns a whole number that is written with a point or an exponent without them; nil for any other.
  private static func wholeOf(_ text: String) -> String? {
    guard text.utf8.contains(where: { $0 == 46 || $0 == 69 || $0 == 101 }),
      let value = Double(text), value == value.rounded(), value <= 9_007_199_254_740_992
    else { return nil }
    return String(Int(value))
  }
}
