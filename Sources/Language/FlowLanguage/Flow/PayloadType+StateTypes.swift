import LuaRuntime

extension PayloadType {
  /// Returns the type at a path below, in which `*` stands for any key; nil if there is no such place.
  package func part(at path: ArraySlice<String>) -> PayloadType? {
    guard let name = path.first else { return self }
    let below: PayloadType?
    switch withoutOptional {
    case .listOf(let element, _, _, _), .mapOf(let element, _, _, _):
      below = name == "*" ? element : nil
    case .record(let fields):
      below = name == "*" ? fields.first?.type : fields.field(named: name)?.type
    default: below = nil
    }
    return below?.part(at: path.dropFirst())
  }

  /// The type without `optional`.
  package var withoutOptional: PayloadType {
    if case .optional(let inner) = self { return inner.withoutOptional }
    return self
  }

  /// Returns the type of the value under a key; nil if there is none.
  package func part(at key: StatePath.Key) -> PayloadType? {
    switch (self, key) {
    case (.optional(let inner), _): inner.part(at: key)
    case (.listOf(let element, _, _, _), .index), (.mapOf(let element, _, _, _), _): element
    case (.record(let fields), .field(let name)): fields.field(named: name)?.type
    default: nil
    }
  }

  /// The initial value of a place of the state with this type; nil if the declaration must give it.
  package var beginning: Value? {
    switch self {
    case .optional: return .nil
    case .listOf(_, let least, _, let common):
      return common.defaultValue ?? ((least ?? 0) > 0 ? nil : .list([]))
    case .mapOf(_, _, _, let common): return common.defaultValue ?? .record([:])
    case .record(let fields):
      var record: [String: Value] = [:]
      for field in fields {
        guard let value = field.type.beginning else { return nil }
        if !value.isNil { record[field.name] = value }
      }
      return .record(record)
    default: return common?.defaultValue
    }
  }
}
