import LuaRuntime

extension PayloadType {
  /// True if values of this type are never shown.
  package var isSecret: Bool {
    if case .optional(let inner) = self { return inner.isSecret }
    return common?.isSecret == true
  }

  /// True if any part of the values of this type is not shown.
  var hidesSomething: Bool {
    if isSecret { return true }
    return switch self {
    case .optional(let inner), .listOf(let inner, _, _, _): inner.hidesSomething
    case .mapOf(let element, let key, _, _): element.hidesSomething || key?.isSecret == true
    case .record(let fields): fields.contains { $0.type.hidesSomething }
    default: false
    }
  }

  /// The type with all values, and all their parts, secret.
  var secretThroughout: PayloadType {
    switch self {
    case .boolean(let common): .boolean(common.secret)
    case .integer(let min, let max, let common): .integer(min: min, max: max, common.secret)
    case .number(let min, let max, let common): .number(min: min, max: max, common.secret)
    case .string(let pattern, let min, let max, let common):
      .string(pattern: pattern, minLength: min, maxLength: max, common.secret)
    case .any(let common): .any(common.secret)
    case .oneOf(let values, let common): .oneOf(values, common.secret)
    case .listOf(let element, let min, let max, let common):
      .listOf(element.secretThroughout, minLength: min, maxLength: max, common.secret)
    case .mapOf(let element, let key, let max, let common):
      .mapOf(
        element.secretThroughout, key: key?.secretThroughout, maxLength: max, common.secret)
    case .optional(let inner): .optional(inner.secretThroughout)
    case .record(let fields):
      .record(fields.map { Field(name: $0.name, type: $0.type.secretThroughout) })
    }
  }

  /// Returns a value with secrets hidden, even if it does not fit the type.
  ///
  /// A part at a place that the type does not have is hidden too, because it may have been meant for a secret
  /// place.
  package func hiding(_ value: Value) -> Value { hiding(value) { _ in } }

  /// Returns a value with secrets hidden, and passes each secret to `note`.
  package func hiding(_ value: Value, _ note: (Value) -> Void) -> Value {
    if value.isNil || !hidesSomething { return value }
    if isSecret { return hidden(value, note) }
    switch (self, value) {
    case (.optional(let inner), _): return inner.hiding(value, note)
    case _ where value.isEmptyTable: return value
    case (.listOf(let element, _, _, _), .list(let elements)):
      return .list(elements.map { element.hiding($0, note) })
    case (.listOf(let element, _, _, _), .map(let entries)):
      return .map(entries.mapValues { element.hiding($0, note) })
    case (.mapOf(let element, let key, _, _), _):
      return PayloadType.hiding(entriesOf: value, element, key, note) ?? hidden(value, note)
    case (.record(let types), .record(let fields)):
      return .record(
        Dictionary(
          uniqueKeysWithValues: fields.map { name, field in
            let type = types.first { $0.name == name }?.type
            return (name, type?.hiding(field, note) ?? hidden(field, note))
          }))
    default: return hidden(value, note)
    }
  }

  private func hidden(_ value: Value, _ note: (Value) -> Void) -> Value {
    // The choices are in the flow's text and may be any words, so they are not reported as secrets.
    if case .oneOf = withoutOptional { return Secrets.dots }
    note(value)
    return Secrets.dots
  }

  /// Returns the entries of a map with secrets hidden; secret keys are replaced by numbered dots.
  private static func hiding(
    entriesOf value: Value, _ element: PayloadType, _ key: PayloadType?, _ note: (Value) -> Void
  ) -> Value? {
    var entries: [(key: StatePath.Key, value: Value)]
    switch value {
    case .record(let fields): entries = fields.map { (.field($0), $1) }
    case .map(let numbered): entries = numbered.map { (.index($0), $1) }
    case .list(let elements): entries = elements.enumerated().map { (.index($0 + 1), $1) }
    default: return nil
    }
    entries = entries.map { ($0.key, element.hiding($0.value, note)) }
    if key?.isSecret == true {
      let sorted = entries.sorted { "\($0.key.value)" < "\($1.key.value)" }
      for entry in sorted { note(entry.key.value) }
      let names = sorted.indices.map { $0 == 0 ? "•••" : "••• \($0 + 1)" }
      return .record(
        Dictionary(zip(names, sorted.map(\.value)), uniquingKeysWith: { first, _ in first }))
    }
    switch value {
    case .list: return .list(entries.map(\.value))
    default:
      var shown = value
      for (key, entry) in entries { shown = shown.replacing(key, by: entry) }
      return shown
    }
  }

  /// The place below a key that this type does not have: nil, which is secret, if the type hides anything.
  var rest: StateTypes.Place? { hidesSomething ? nil : .open }
}

extension PayloadType.Common {
  var secret: Self {
    var secret = self
    secret.isSecret = true
    return secret
  }
}
