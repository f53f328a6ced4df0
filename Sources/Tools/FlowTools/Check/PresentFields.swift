import FlowLanguage

/// The fields of the state without a type that are never nil: each begins as a number or a text, and the flow assigns
/// nothing else to a field of that name.
struct PresentFields {
  /// The kind of each such field.
  private(set) var kinds: [String: Shape.Kind] = [:]

  init() {}

  init(_ flow: Flow, _ files: [TreeShapes]) {
    for field in flow.fields {
      guard case .open = flow.types.root[field.name] ?? .open else { continue }
      switch field.shape {
      case .integer: kinds[field.name] = .integer
      case .number: kinds[field.name] = .number
      case .string: kinds[field.name] = .string
      default: break
      }
    }
    for file in files where !kinds.isEmpty {
      for statement in file.tree.statements {
        guard case .assignment(let targets, let values) = statement.kind else { continue }
        for (place, target) in targets.enumerated() {
          assign(place < values.count ? values[place] : nil, to: target, in: file)
        }
      }
    }
  }

  /// Removes the fields that an assignment may set to nil, false or a table.
  private mutating func assign(
    _ value: LuaTree.ExpressionID?, to target: LuaTree.ExpressionID, in file: TreeShapes
  ) {
    switch file.tree.expressions[target].kind {
    case .field(_, let field):
      if !isPresent(value, in: file) { kinds[field] = nil }
    case .index(let table, let key):
      if let field = file.tree.string(key) {
        if !isPresent(value, in: file) { kinds[field] = nil }
        return
      }
      // A computed name may be any.
      switch file.shapes[table].present {
      case .list, .map: break
      default: kinds = [:]
      }
    default: break
    }
  }

  /// Returns true for a value that is a number or a text, whatever the state is.
  private func isPresent(_ value: LuaTree.ExpressionID?, in file: TreeShapes) -> Bool {
    guard let value else { return false }
    let tree = file.tree
    switch tree.expressions[tree.bare(value)].kind {
    case .number, .string, .unary("-", _), .unary("#", _): return true
    case .binary("or", let left, let right):
      return hasScalarKind(left, in: file) && isPresent(right, in: file)
    case .binary(let sign, _, _): return PresentFields.calculating.contains(sign)
    case .field(let table, let name):
      if case .scalar? = file.shapes[table].record?.fields[name] {
        return hasScalarKind(value, in: file)
      }
      return false
    case .call(let callee, _):
      guard case .field(let library, let name) = tree.expressions[callee].kind,
        case .global("math") = tree.expressions[library].kind
      else { return false }
      return ["abs", "ceil", "floor", "max", "min"].contains(name)
    default: return false
    }
  }

  private static let calculating: Set<String> = ["+", "-", "*", "/", "//", "%", "^", ".."]

  private func hasScalarKind(_ value: LuaTree.ExpressionID, in file: TreeShapes) -> Bool {
    switch file.shapes[value].kind {
    case .integer?, .number?, .fraction?, .string?: true
    default: false
    }
  }
}
