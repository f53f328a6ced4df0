import LuaRuntime

extension StateTypes {
  /// Returns a part of the state as the state's types read it from JSON.
  package func reading(json part: Value) -> Value {
    StateTypes.reading(json: part, .record(root))
  }

  private static func reading(json value: Value, _ place: Place) -> Value {
    switch (place, value) {
    case (.typed(let type), _): return type.reading(json: value)
    case (.record(let places), .record(let given)):
      var read = given
      for (name, below) in places {
        if let value = given[name] { read[name] = reading(json: value, below) }
      }
      return .record(read)
    default: return value
    }
  }
}
