import FlowLanguage
import LuaRuntime

extension PayloadType {
  /// The kind of the values that it describes; nil if there are several.
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

  /// Returns true if a value of a kind may be of this type.
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
