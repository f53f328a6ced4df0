import LuaRuntime

/// A check that finds defaults and samples that do not fit their own type.
struct ExampleCheck {
  /// Returns true if a text matches a Lua pattern.
  package let matches: (_ text: String, _ pattern: String) -> Bool
  package private(set) var faults: [String] = []

  /// Returns the faults of the defaults and samples in the payload of an action.
  package mutating func check(_ action: Action) -> [String] {
    faults = []
    check(action.payload, at: "")
    return faults.map { "action \(action.name): \($0)" }
  }

  /// Returns the faults of the defaults and samples in a type at a place.
  package mutating func faults(of type: PayloadType, at path: String) -> [String] {
    faults = []
    check(type, at: path)
    return faults
  }

  private mutating func check(_ type: PayloadType, at path: String) {
    if let common = type.common {
      if let value = common.defaultValue { compare(value, type, "default", at: path) }
      for sample in common.samples { compare(sample, type, "sample", at: path) }
    }
    switch type {
    case .optional(let inner): check(inner, at: path)
    case .listOf(let element, _, _, _): check(element, at: path + "[]")
    case .mapOf(let element, let key, _, _):
      if let key { check(key, at: path + "[]") }
      check(element, at: path + "[]")
    case .record(let fields):
      for field in fields { check(field.type, at: PayloadCheck.step(path, field.name)) }
    default: break
    }
  }

  private mutating func compare(
    _ value: Value, _ type: PayloadType, _ what: String, at path: String
  ) {
    var check = PayloadCheck(matches: matches)
    faults += check.faults(of: value, type, at: path).map { "as a \(what), \($0)" }
  }
}
