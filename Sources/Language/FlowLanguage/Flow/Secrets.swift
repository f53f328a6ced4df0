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
