import LuaRuntime

/// A check of expectations about the state: their fields must exist in the types, and their values must be
/// possible.
///
/// An expectation that can never hold is a mistake in the scenario, not in the flow.
package struct ExpectedTypes {
  package let types: StateTypes
  /// Returns true if a value is a matcher, which stands for a value that is not known in advance.
  package let isMatcher: (Value) -> Bool
  package let matches: (_ text: String, _ pattern: String) -> Bool

  package init(
    _ types: StateTypes, isMatcher: @escaping (Value) -> Bool,
    matches: @escaping (_ text: String, _ pattern: String) -> Bool
  ) {
    (self.types, self.isMatcher, self.matches) = (types, isMatcher, matches)
  }

  /// Returns the reason why an expectation can never hold of the state; nil if it can.
  package func fault(in expected: Value) -> String? {
    fault(in: expected, types.whole, at: "state", mayBeMissing: false)
  }

  private func fault(
    in value: Value, _ place: StateTypes.Place, at path: String, mayBeMissing: Bool
  ) -> String? {
    switch place {
    case .open: return nil
    case .typed(let type): return fault(in: value, type, at: path, mayBeMissing)
    case .record(let places):
      guard !isMatcher(value), let fields = value.recordValue else { return nil }
      return first(in: fields) { name, field in
        if let below = places[name] {
          return fault(in: field, below, at: PayloadCheck.step(path, name), mayBeMissing: false)
        }
        return nested(field, at: name).flatMap {
          fault(in: $0, place, at: path, mayBeMissing: false)
        }
      }
    }
  }

  /// - Parameter mayBeMissing: true if the value is part of one that may be missing itself.
  private func fault(
    in value: Value, _ type: PayloadType, at path: String, _ mayBeMissing: Bool
  ) -> String? {
    if isMatcher(value) { return nil }
    if value.isNil {
      return mayBeMissing || type.isOptional
        ? nil : "\(path) always has a value (it is \(type.text))"
    }
    let mayBeMissing = mayBeMissing || type.isOptional
    switch (type.withoutOptional, value) {
    case (.any, _): return nil
    case (.listOf, _) where value.isEmptyTable, (.mapOf, _) where value.isEmptyTable,
      (.record, _) where value.isEmptyTable:
      return nil
    case (.record(let fields), .record(let named)):
      return first(in: named) { name, field in
        if let below = fields.field(named: name) {
          return fault(in: field, below.type, at: PayloadCheck.step(path, name), mayBeMissing)
        }
        if let nested = nested(field, at: name) {
          return fault(in: nested, type, at: path, mayBeMissing)
        }
        return "\(path) has no field \(name)"
          + Names.suggestion(for: name, among: fields.map(\.name))
      }
    case (.listOf(let element, _, let most, _), .list(let elements)):
      if elements.count > most ?? .max {
        return "\(path) must be \(type.text), got \(elements.count)"
      }
      return fault(inElements: elements.enumerated().map { ($0 + 1, $1) }, element, at: path)
    case (.listOf(let element, _, _, _), .map(let entries)):
      return fault(inElements: entries.sorted { $0.key < $1.key }, element, at: path)
    case (.mapOf(let element, let key, _, _), _):
      return fault(inEntries: value, element, key, type, at: path)
    case (let type, _):
      if let accepted = PayloadCheck.accepted(value, type), hasPattern(accepted, type) {
        return nil
      }
      return path + PayloadCheck.misfit(value, type)
    }
  }

  private func fault(
    inElements elements: [(Int, Value)], _ type: PayloadType, at path: String
  ) -> String? {
    elements.lazy.compactMap { fault(in: $1, type, at: "\(path)[\($0)]", true) }.first
  }

  private func fault(
    inEntries value: Value, _ element: PayloadType, _ key: PayloadType?, _ type: PayloadType,
    at path: String
  ) -> String? {
    let isNumbered = type.hasIntegerKeys
    switch value {
    case .record(let fields) where !isNumbered:
      return first(in: fields) { name, entry in
        let here = PayloadCheck.step(path, key?.isSecret == true ? "•••" : name)
        // The name may be a path into an entry, which looks like a key.
        if nested(entry, at: name) != nil { return nil }
        return keyFault(.string(name), key, at: here) ?? fault(in: entry, element, at: here, true)
      }
    case .list(let elements) where isNumbered:
      return fault(inElements: elements.enumerated().map { ($0 + 1, $1) }, element, at: path)
    case .map(let entries) where isNumbered:
      return entries.sorted { $0.key < $1.key }.lazy.compactMap { number, entry in
        let here = "\(path)[\(key?.isSecret == true ? "•••" : "\(number)")]"
        return keyFault(.integer(number), key, at: here)
          ?? fault(in: entry, element, at: here, true)
      }.first
    default: return path + PayloadCheck.misfit(value, type)
    }
  }

  private func keyFault(_ value: Value, _ type: PayloadType?, at path: String) -> String? {
    guard let type else { return nil }
    if let accepted = PayloadCheck.accepted(value, type), hasPattern(accepted, type) { return nil }
    return "the key of \(path)" + PayloadCheck.misfit(value, type)
  }

  private func hasPattern(_ value: Value, _ type: PayloadType) -> Bool {
    guard case .string(let pattern?, _, _, _) = type, case .string(let text) = value else {
      return true
    }
    return matches(text, pattern)
  }

  private func first(
    in fields: [String: Value], _ fault: (String, Value) -> String?
  ) -> String? {
    for (name, value) in fields.sorted(by: { $0.key < $1.key }) {
      if let fault = fault(name, value) { return fault }
    }
    return nil
  }

  /// Returns the value for a name that is a path, such as `rows[1].note`, as nested tables; nil for a plain name.
  private func nested(_ value: Value, at name: String) -> Value? {
    guard let path = StatePath(parsing: name) else { return nil }
    return path.keys.reversed().reduce(value) { below, key in
      switch key {
      case .field(let name): .record([name: below])
      case .index(let index): .map([index: below])
      }
    }
  }
}
