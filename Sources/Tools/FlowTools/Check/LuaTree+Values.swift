import FlowLanguage
import LuaRuntime

extension LuaTree {
  /// Returns the value of a literal expression; nil for any other.
  func literal(_ id: ExpressionID) -> Value? {
    switch expressions[bare(id)].kind {
    case .true: return .boolean(true)
    case .false: return .boolean(false)
    case .string(let text): return .string(text)
    case .number(let text): return LuaTree.number(text)
    case .unary("-", let operand):
      guard case .number(let text) = expressions[bare(operand)].kind else { return nil }
      return LuaTree.number("-" + text)
    default: return nil
    }
  }

  /// Returns a place as a text; nil if a call computes it.
  func path(_ id: ExpressionID) -> String? {
    switch expressions[bare(id)].kind {
    case .local(let local): "=\(local)"
    case .global(let name): name
    case .number(let text): text
    case .string(let text): "'\(text)"
    case .field(let table, let name): path(table).map { "\($0).\(name)" }
    case .index(let table, let key):
      if let table = path(table), let key = path(key) { "\(table)[\(key)]" } else { nil }
    case .unary("#", let operand): path(operand).map { "#\($0)" }
    default: nil
    }
  }

  static func number(_ text: String) -> Value? {
    if text.contains("x") || text.contains("X") { return nil }
    if let integer = Int(text) { return .integer(integer) }
    return Double(text).map { .number($0) }
  }
}
