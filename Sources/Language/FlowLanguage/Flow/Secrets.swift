import LuaRuntime

/// What a flow does not show: where in its state and its payloads the types stand that are `secret`.
///
/// Whatever is told of a value whose place is known goes through here; what a script has made of a secret
/// is left to `SecretTexts`.
package final class Secrets: Sendable {
  /// What stands for a value that is not shown.
  package static let dots = Value.string("•••")

  private let state: StateTypes.Place
  private let payloads: [String: PayloadType]

  /// Nil where everything may be shown.
  package init?(_ types: StateTypes, _ actions: [Action]) {
    state = .record(types.root)
    payloads = Dictionary(
      actions.filter { $0.payload.hidesSomething }.map { ($0.name, $0.payload) },
      uniquingKeysWith: { first, _ in first })
    if payloads.isEmpty, !state.hidesSomething { return nil }
  }

  /// A payload of an action as it may be shown.
  package func hiding(_ payload: Value, of action: String) -> Value {
    payloads[action]?.hiding(payload) ?? payload
  }

  /// What stands at a path of the state, or might, as it may be shown.
  package func hiding(_ value: Value, at path: StatePath) -> Value {
    hiding(value, at: path) { _ in }
  }

  package func hiding(_ value: Value, at path: StatePath, _ note: (Value) -> Void) -> Value {
    switch reach(path, note).place {
    case .some(let place): return place.hiding(value, note)
    case .none:
      note(value)
      return value.isNil ? value : Secrets.dots
    }
  }

  /// A path of the state in which no key is a secret.
  package func hiding(_ path: StatePath) -> StatePath { reach(path).shown }

  /// True if all that stands at a path is a secret.
  package func hidesAll(at path: StatePath) -> Bool { reach(path).place == nil }

  /// A change as it may be shown.
  package func hiding(_ change: Patch.Change) -> Patch.Change {
    let (place, shown) = reach(change.path)
    let hide = { (value: Value) in
      place?.hiding(value) { _ in } ?? (value.isNil ? value : Secrets.dots)
    }
    return Patch.Change(
      operation: change.operation, path: shown, old: hide(change.old), new: hide(change.new))
  }

  /// Tells the secrets in a payload.
  package func find(in payload: Value, of action: String, _ note: (Value) -> Void) {
    _ = payloads[action]?.hiding(payload, note)
  }

  /// Where a path leads, nil for a secret, and the path as it may be shown.
  private func reach(
    _ path: StatePath, _ note: (Value) -> Void = { _ in }
  ) -> (place: StateTypes.Place?, shown: StatePath) {
    var place: StateTypes.Place? = state
    var shown = StatePath([])
    for key in path.keys {
      let isHidden = place.hidesKeys
      shown.keys.append(isHidden ? .field("•••") : key)
      if isHidden { note(key.value) }
      switch (place, key) {
      case (.record(let fields), .field(let name)): place = fields[name] ?? .open
      case (.typed(let type), let key):
        place = type.isSecret ? nil : type.part(at: key).map { .typed($0) } ?? type.rest
      case (.record, .index), (.open, _): place = .open
      case (nil, _): break
      }
    }
    if case .typed(let type) = place, type.isSecret { return (nil, shown) }
    return (place, shown)
  }
}

extension StateTypes.Place? {
  /// True if keys of what stands there are secrets.
  fileprivate var hidesKeys: Bool {
    guard case .typed(let type) = self,
      case .mapOf(_, let key, _, let common) = type.withoutOptional
    else { return false }
    return common.isSecret || key?.isSecret == true
  }
}

extension StateTypes.Place {
  fileprivate var hidesSomething: Bool {
    switch self {
    case .open: false
    case .typed(let type): type.hidesSomething
    case .record(let fields): fields.values.contains { $0.hidesSomething }
    }
  }

  fileprivate func hiding(_ value: Value, _ note: (Value) -> Void) -> Value {
    switch self {
    case .open: return value
    case .typed(let type): return type.hiding(value, note)
    case .record(let places):
      guard case .record(var fields) = value else { return value }
      for (name, place) in places {
        if let field = fields[name] { fields[name] = place.hiding(field, note) }
      }
      return .record(fields)
    }
  }
}

extension PayloadType {
  /// True if values of this type are never shown.
  package var isSecret: Bool {
    if case .optional(let inner) = self { return inner.isSecret }
    return common?.isSecret == true
  }

  /// True if anything in values of this type is not shown.
  var hidesSomething: Bool {
    if isSecret { return true }
    return switch self {
    case .optional(let inner), .listOf(let inner, _, _, _): inner.hidesSomething
    case .mapOf(let element, let key, _, _): element.hidesSomething || key?.isSecret == true
    case .record(let fields): fields.contains { $0.type.hidesSomething }
    default: false
    }
  }

  /// The same type of which no value is shown, nor any part of one.
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

  /// A value as it may be shown, whether it fits or not: what is in no place of the type may have been meant
  /// for a secret one.
  package func hiding(_ value: Value) -> Value { hiding(value) { _ in } }

  /// The same, which tells each secret.
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
    // What can be chosen is in the flow's text, and may be any word.
    if case .oneOf = withoutOptional { return Secrets.dots }
    note(value)
    return Secrets.dots
  }

  /// The entries of a map; secret keys are counted in place of being named.
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

  /// What stands below a place that this type does not have: a secret, where it may be one gone astray.
  fileprivate var rest: StateTypes.Place? { hidesSomething ? nil : .open }
}

extension Value {
  fileprivate func replacing(_ key: StatePath.Key, by value: Value) -> Value {
    switch (self, key) {
    case (.record(var fields), .field(let name)):
      fields[name] = value
      return .record(fields)
    case (.map(var entries), .index(let index)):
      entries[index] = value
      return .map(entries)
    default: return self
    }
  }
}

extension PayloadType.Common {
  fileprivate var secret: Self {
    var secret = self
    secret.isSecret = true
    return secret
  }
}
