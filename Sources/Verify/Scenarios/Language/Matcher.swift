import LuaRuntime

/// A matcher, which an expectation has in place of a value, as `matchers.lua` encodes it.
enum Matcher {
  /// Any value, but not none.
  case any
  /// A number at most `by` away from the given one.
  case near(Value, by: Value)
  /// A text in which a Lua pattern is found.
  case match(String)
  /// A text that contains the part, or a table with such an element.
  case contains(Value)
  /// A value for which one of the expected values holds.
  case oneOf([Value])

  /// A function that returns true if the text matches the Lua pattern; only the VM can match patterns.
  typealias Matching = (_ text: String, _ pattern: String) -> Bool

  private static let mark = "\0matcher"

  /// Reads a matcher; returns nil if the value is an ordinary value.
  init?(_ value: Value) {
    guard case .record(let fields) = value, let kind = fields[Matcher.mark]?.stringValue else {
      return nil
    }
    let argument = fields["argument"] ?? .nil
    switch kind {
    case "any": self = .any
    case "near": self = .near(argument, by: fields["by"] ?? .nil)
    case "match": self = .match(argument.stringValue ?? "")
    case "contains": self = .contains(argument)
    case "one_of": self = .oneOf(argument.listValue ?? [])
    default: return nil
    }
  }

  /// Returns true if the found value matches.
  func accepts(_ found: Value, matching: @escaping Matching) -> Bool {
    switch self {
    case .any: return !found.isNil
    case .near(let number, let by):
      guard let found = found.doubleValue, let number = number.doubleValue,
        let by = by.doubleValue
      else { return false }
      return abs(found - number) <= by
    case .match(let pattern): return found.stringValue.map { matching($0, pattern) } ?? false
    case .contains(let part):
      if case .string(let text) = found, case .string(let part) = part {
        return part.isEmpty || text.contains(part)
      }
      return found.elements.contains { element in
        Expectation.value(part, of: element, matching: matching).isEmpty
      }
    case .oneOf(let values):
      return values.contains { Expectation.value($0, of: found, matching: matching).isEmpty }
    }
  }

  /// The matcher as a scenario writes it.
  var text: String {
    switch self {
    case .any: "any"
    case .near(let number, let by): "near(\(number), \(by))"
    case .match(let pattern): "match \(Value.quoted(pattern, limit: 300))"
    case .contains(let part): "contains(\(Matcher.text(of: part)))"
    case .oneOf(let values):
      "one_of " + Matcher.text(of: .list(values))
    }
  }

  // MARK: In values

  /// Returns what is wrong with a value of which a matcher is a part, where values and no expectations are taken.
  static func fault(in value: Value) -> String? {
    if let matcher = Matcher(value) {
      return "\(matcher.text) is for expectations; use the value itself here"
    }
    switch value {
    case .list(let elements): return elements.lazy.compactMap(fault).first
    case .record(let fields): return fields.values.compactMap(fault).min()
    case .map(let entries): return entries.values.compactMap(fault).min()
    default: return nil
    }
  }

  /// Returns an expected value as Lua source, with its matchers as a scenario writes them.
  static func text(of expected: Value) -> String {
    var matchers: [String] = []
    let value = named(expected, &matchers)
    var text = value.text(limit: 300)
    for (index, matcher) in matchers.enumerated() {
      text = text.replacing("\"\(placeholder(index))\"", with: matcher)
    }
    return text
  }

  /// Returns the value with a placeholder text instead of each matcher.
  private static func named(_ value: Value, _ matchers: inout [String]) -> Value {
    if let matcher = Matcher(value) {
      matchers.append(matcher.text)
      return .string(placeholder(matchers.count - 1))
    }
    switch value {
    case .list(let elements): return .list(elements.map { named($0, &matchers) })
    case .record(let fields): return .record(fields.mapValues { named($0, &matchers) })
    case .map(let entries): return .map(entries.mapValues { named($0, &matchers) })
    default: return value
    }
  }

  /// Returns a text that no value contains: it has a character of private use.
  private static func placeholder(_ index: Int) -> String { "\u{F8FF}\(index)\u{F8FF}" }
}

extension Value {
  fileprivate var elements: [Value] {
    switch self {
    case .list(let elements): elements
    case .record(let fields): Array(fields.values)
    case .map(let entries): Array(entries.values)
    default: []
    }
  }
}
