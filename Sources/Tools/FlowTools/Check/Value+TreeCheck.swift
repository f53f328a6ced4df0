import FlowLanguage
import LuaRuntime

extension Value {
  /// What kind of value it is.
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
