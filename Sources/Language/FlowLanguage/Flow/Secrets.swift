import LuaRuntime

/// The places in a flow's state and payloads whose types are `secret`.
///
/// All values whose place is known pass through here before they are shown. Texts that a script has made of secrets
/// are found by `SecretTexts`.
package final class Secrets: Sendable {
  /// The value that replaces a secret.
  package static let dots = Value.string("•••")

  private let state: StateTypes.Place
  private let payloads: [String: PayloadType]

  /// Returns nil if nothing is secret.
  package init?(_ types: StateTypes, _ actions: [Action]) {
    state = .record(types.root)
    payloads = Dictionary(
      actions.filter { $0.payload.hidesSomething }.map { ($0.name, $0.payload) },
      uniquingKeysWith: { first, _ in first })
    if payloads.isEmpty, !state.hidesSomething { return nil }
  }

  /// Returns a payload of an action with its secrets hidden.
  package func hiding(_ payload: Value, of action: String) -> Value {
    payloads[action]?.hiding(payload) ?? payload
  }

  /// Returns a value for a path of the state with its secrets hidden.
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

  /// Returns a path of the state with its secret keys hidden.
  package func hiding(_ path: StatePath) -> StatePath { reach(path).shown }

  /// Returns true if the whole value at a path is secret.
  package func hidesAll(at path: StatePath) -> Bool { reach(path).place == nil }

  /// Returns a change with its secrets hidden.
  package func hiding(_ change: Patch.Change) -> Patch.Change {
    let (place, shown) = reach(change.path)
    let hide = { (value: Value) in
      place?.hiding(value) { _ in } ?? (value.isNil ? value : Secrets.dots)
    }
    return Patch.Change(
      operation: change.operation, path: shown, old: hide(change.old), new: hide(change.new))
  }

  /// Passes each secret in a payload to `note`.
  package func find(in payload: Value, of action: String, _ note: (Value) -> Void) {
    _ = payloads[action]?.hiding(payload, note)
  }

  /// Returns the place that a path leads to, nil for a secret, and the path with its secret keys hidden.
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
  /// True if the keys of the value at this place are secret.
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
