import FlowLanguage
import LuaRuntime

extension StatePath.Key {
  /// The key as a value.
  var value: Value {
    switch self {
    case .field(let name): .string(name)
    case .index(let index): .integer(index)
    }
  }
}
