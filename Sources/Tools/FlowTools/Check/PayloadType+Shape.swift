import FlowLanguage
import LuaRuntime

extension PayloadType {
  /// What kind of value it describes, where that is one kind.
  var literalKind: Shape.Kind? {
    switch self {
    case .boolean: .boolean
    case .integer: .integer
    case .number: .number
    case .string: .string
    case .oneOf(let values, _): values.allSatisfy { $0.stringValue != nil } ? .string : nil
    case .listOf, .mapOf, .record: .table
    case .optional(let inner): inner.literalKind
    case .any: nil
    }
  }

  /// Whether a value of a kind may be of this type.
  func mayBe(_ kind: Shape.Kind) -> Bool {
    switch self {
    case .any: true
    case .optional(let inner): kind == .none || inner.mayBe(kind)
    case .boolean: kind == .boolean
    case .integer: kind == .integer || kind == .number
    case .number: kind.isNumber
    case .string: kind == .string
    case .oneOf(let values, _):
      values.contains { value in
        switch value {
        case .string: kind == .string
        case .boolean: kind == .boolean
        case .integer, .number: kind.isNumber
        default: true
        }
      }
    case .listOf, .mapOf, .record: kind == .table
    }
  }
}
