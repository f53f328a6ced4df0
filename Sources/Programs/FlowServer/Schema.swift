import FlowLanguage

#if Server
  import LuaRuntime

  /// The JSON schema (2020-12) of a payload's type.
  ///
  /// It accepts values as loosely as Lua does: an empty list and an empty object both stand for an empty table, and a
  /// null field is the same as a missing one.
  enum Schema {
    /// Returns the schema of the values that a type accepts.
    ///
    /// - Parameter isGiven: true for a part of the state, where defaults do not replace a missing value.
    static func of(_ type: PayloadType, isGiven: Bool = false) -> Value {
      var fields = parts(of: type)
      if let common = type.common {
        if let value = common.defaultValue { fields["default"] = value }
        if !common.samples.isEmpty { fields["examples"] = .list(common.samples) }
      }
      // A default replaces null.
      if !isGiven, type.common?.defaultValue != nil {
        return ["anyOf": [.record(fields), ["type": "null"]]]
      }
      return .record(fields)
    }

    /// Returns the schema of a type in responses, where secrets are texts of dots.
    static func answered(_ type: PayloadType) -> Value {
      switch type {
      case _ where type.isSecret: ["type": "string", "description": "A secret, as dots."]
      case .boolean: ["type": "boolean"]
      case .integer: ["type": "integer"]
      case .string: ["type": "string"]
      case .optional(let inner): answered(inner)
      case .oneOf(let values, _): .record(choice(values))
      case .record(let fields):
        [
          "type": ["object", "array"], "items": [:],
          "properties": .record(
            Dictionary(
              fields.map { ($0.name, answered($0.type)) }, uniquingKeysWith: { first, _ in first })),
        ]
      case .listOf(let element, _, _, _):
        ["type": ["array", "object"], "items": answered(element)]
      case .mapOf(let element, let key, _, _):
        [
          "type": ["object", "array"], "items": answered(element),
          "additionalProperties": key?.isSecret == true ? [:] : answered(element),
        ]
      // A number that JSON cannot express is an object.
      case .number, .any: ["description": "Any plain value."]
      }
    }

    /// Returns the schema of a choice of values, grouped by type, because client generators accept no others.
    private static func choice(_ values: [Value]) -> [String: Value] {
      let texts = values.filter { $0.stringValue != nil }
      let integers = values.filter { if case .integer = $0 { true } else { false } }
      let others = values.filter { !texts.contains($0) && !integers.contains($0) }
      let kinds = [texts, integers].filter { !$0.isEmpty }.map { ["enum": Value.list($0)] }
      let all = kinds + others.map { ["const": $0] }
      if all.count == 1, let only = all.first { return only }
      return ["anyOf": .list(all.map(Value.record))]
    }

    /// Returns the length of the longest list whose indices are all valid keys; nil if there is no limit.
    private static func longestList(_ key: PayloadType?) -> Int? {
      switch key {
      case .oneOf(let values, _)?:
        return (1...).first { !values.contains(.integer($0)) }.map { $0 - 1 }
      case .integer(let least, let most, _)?:
        if let least = least?.doubleValue, least > 1 { return 0 }
        return most?.doubleValue.map { Int(exactly: Swift.max(0, $0.rounded(.down))) ?? .max }
      default: return nil
      }
    }

    /// Returns the schema of names that stand for integer keys, plain or in brackets.
    private static func integerNames(_ key: PayloadType?, isBracketed: Bool) -> Value {
      if case .oneOf(let values, _)? = key {
        return ["enum": .list(values.map { .string(isBracketed ? "[\($0)]" : "\($0)") })]
      }
      let number = "(0|-?[1-9][0-9]{0,17})"
      return ["pattern": .string(isBracketed ? "^\\[\(number)\\]$" : "^\(number)$")]
    }

    private static func parts(of type: PayloadType) -> [String: Value] {
      switch type {
      case .boolean: return ["type": "boolean"]
      case .integer(let min, let max, _):
        return [
          "type": "integer", "minimum": min ?? .integer(.min), "maximum": max ?? .integer(.max),
        ]
      case .number(let min, let max, _):
        var fields: [String: Value] = ["type": "number"]
        fields["minimum"] = min
        fields["maximum"] = max
        return fields
      case .string(let pattern, let min, let max, _):
        var fields: [String: Value] = ["type": "string"]
        fields["minLength"] = min.map { .integer($0) }
        fields["maxLength"] = max.map { .integer($0) }
        if let pattern {
          if let expression = LuaPattern.expression(pattern) {
            fields["pattern"] = .string(expression)
          } else {
            fields["description"] = .string("matches the Lua pattern \(pattern)")
          }
        }
        return fields
      case .any: return ["$ref": "#/components/schemas/Plain"]
      case .oneOf(let values, _): return choice(values)
      case .listOf(let element, let min, let max, _):
        var fields: [String: Value] = [
          "type": ["array", "object"], "items": of(element), "maxProperties": 0,
        ]
        if let min, min > 0 {
          fields["type"] = "array"
          fields["maxProperties"] = nil
          fields["minItems"] = .integer(min)
        }
        fields["maxItems"] = max.map { .integer($0) }
        return fields
      case .mapOf(let element, let key, let max, _):
        var fields: [String: Value] = [
          "type": ["object", "array"], "additionalProperties": of(element), "maxItems": 0,
          "items": of(element),
        ]
        fields["maxProperties"] = max.map { .integer($0) }
        if type.hasIntegerKeys {
          // A list has the keys from 1 on.
          let longest = [max, longestList(key)].compactMap { $0 }.min()
          fields["maxItems"] = longest.map { .integer($0) }
          fields["anyOf"] = .list(
            [false, true].map { ["propertyNames": integerNames(key, isBracketed: $0)] })
          fields["description"] =
            "All names are whole numbers such as 3, or all have the exact form of answers, [3]."
        } else if let key {
          fields["propertyNames"] = of(key)
        }
        return fields
      case .optional(let inner): return ["anyOf": [of(inner), ["type": "null"]]]
      case .record(let all):
        var fields: [String: Value] = [
          "type": ["object", "array"], "additionalProperties": ["type": "null"], "maxItems": 0,
          "items": ["$ref": "#/components/schemas/Plain"],
          "properties": .record(
            Dictionary(all.map { ($0.name, of($0.type)) }, uniquingKeysWith: { first, _ in first })),
        ]
        let required = type.requiredNames
        if !required.isEmpty {
          fields["type"] = "object"
          fields["maxItems"] = nil
          fields["items"] = nil
          fields["required"] = .list(required.map { .string($0) })
        }
        return fields
      }
    }
  }

  /// A translation of Lua's patterns to regular expressions of ECMAScript.
  enum LuaPattern {
    private static let classes: [Character: String] = [
      "a": "A-Za-z", "d": "0-9", "l": "a-z", "u": "A-Z", "w": "A-Za-z0-9", "x": "A-Fa-f0-9",
      "s": "\\t-\\r ", "p": "!-\\/:-@\\[-`{-~",
    ]

    /// Returns the regular expression; nil for a pattern that has no equivalent.
    static func expression(_ pattern: String) -> String? {
      var rest = Substring(pattern)
      var text = ""
      if rest.first == "^" {
        text = "^"
        rest = rest.dropFirst()
      }
      while let character = rest.popFirst() {
        switch character {
        case "$" where rest.isEmpty: text += "$"
        case "(", ")": return nil
        case ".": text += "[\\s\\S]"
        case "%":
          guard let next = rest.popFirst(), let one = single(next) else { return nil }
          text += one
        case "[":
          guard let set = set(&rest) else { return nil }
          text += set
        default:
          // Lua repeats a single byte, and a letter outside ASCII has several.
          if !character.isASCII, let next = rest.first, "*+?-".contains(next) { return nil }
          text += escaped(character)
        }
        switch rest.first {
        case "*", "+", "?":
          text.append(rest.removeFirst())
        case "-":
          rest.removeFirst()
          text += "*?"
        default: break
        }
      }
      return text
    }

    private static func single(_ character: Character) -> String? {
      if let members = classes[character] { return "[\(members)]" }
      if let lower = character.lowercased().first, character.isUppercase,
        let members = classes[lower]
      {
        return "[^\(members)]"
      }
      return character.isLetter || character.isNumber ? nil : escaped(character)
    }

    private static func set(_ rest: inout Substring) -> String? {
      var text = "["
      if rest.first == "^" {
        text += "^"
        rest.removeFirst()
      }
      var isFirst = true
      while let character = rest.popFirst() {
        if character == "]", !isFirst { return text + "]" }
        isFirst = false
        if character == "%" {
          guard let next = rest.popFirst() else { return nil }
          if let members = classes[next] {
            text += members
          } else if next.isLetter || next.isNumber {
            return nil
          } else {
            text += escaped(next)
          }
        } else {
          if !character.isASCII { return nil }  // its bytes would be in the set one by one
          text += character == "-" ? "-" : escaped(character)
        }
      }
      return nil
    }

    private static func escaped(_ character: Character) -> String {
      "\\/^$.*+?()[]{}|-".contains(character) ? "\\\(character)" : String(character)
    }
  }
#endif
