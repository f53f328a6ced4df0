import FlowLanguage
import LuaRuntime

extension Value {
  /// The kind of the value.
  var kind: Shape.Kind {
    switch self {
    case .boolean: .boolean
    case .integer: .integer
    case .number(let number): number == number.rounded() ? .number : .fraction
    case .string: .string
    case .nil: .none
    default: .table
    }
  }
}
