import FlowLanguage
import HostFiles

/// The arguments of a capability's call.
extension TypeCheck {
  private typealias ExpressionID = LuaTree.ExpressionID

  /// Checks the arguments of a call against those that a host file names for the capability.
  static func arguments(
    _ given: [LuaTree.ExpressionID], of capability: HostCapability, in name: String,
    _ shapes: TreeShapes, line: Int
  ) -> [Finding] {
    let check = TypeCheck(
      name: name, tree: shapes.tree, shapes: shapes.shapes, kind: .wrongArgument,
      prefix: "\(capability.name): ", whole: capability.name, isWhole: true)
    return check.arguments(given, capability.arguments, line)
  }

  private func arguments(
    _ given: [ExpressionID], _ taken: HostCapability.Arguments, _ line: Int
  ) -> [Finding] {
    let isOpen = given.last.map(hasAnyCount) ?? false
    var known = given
    while let last = known.last, isOpen || isNone(last) {
      known.removeLast()
      if isOpen { break }
    }
    switch taken {
    case .list(let parameters):
      var found = tooMany(known, parameters, line)
      for (parameter, value) in zip(parameters, isOpen ? given : known) {
        found += compare(value, with: parameter)
      }
      return isOpen ? found : found + missing(parameters.dropFirst(known.count), line)
    case .record(let type):
      guard let value = known.first else { return isOpen ? [] : missing(type, besides: [], line) }
      return known.count > 1 ? [takesRecord(line)] : record(value, type, line)
    case .anyRecord:
      guard let value = known.first else { return [] }
      return known.count > 1 ? [takesRecord(line)] : record(value, nil, line)
    }
  }

  /// Returns true for the last argument of a call if it may be any number of values.
  private func hasAnyCount(_ id: ExpressionID) -> Bool {
    switch tree.expressions[id].kind {
    case .call, .method, .vararg: true
    default: false
    }
  }

  private func isNone(_ id: ExpressionID) -> Bool {
    if case .value(.none) = shapes[id] { true } else { false }
  }

  private func tooMany(
    _ known: [ExpressionID], _ parameters: [PayloadType.Field], _ line: Int
  ) -> [Finding] {
    guard known.count > parameters.count else { return [] }
    let names = parameters.map(\.name).joined(separator: ", ")
    let takes =
      switch parameters.count {
      case 0: "no arguments"
      case 1: "1 argument (\(names))"
      default: "\(parameters.count) arguments (\(names))"
      }
    return [finding(line, "\(prefix)it takes \(takes), and got \(known.count)")]
  }

  private func compare(_ value: ExpressionID, with parameter: PayloadType.Field) -> [Finding] {
    if parameter.type.mayBeMissing, isNone(value) { return [] }
    return compare(value, parameter.type, parameter.name)
  }

  private func missing(_ parameters: ArraySlice<PayloadType.Field>, _ line: Int) -> [Finding] {
    let names = parameters.filter { !$0.type.mayBeMissing }.map(\.name)
    guard !names.isEmpty else { return [] }
    return [
      finding(line, "\(prefix)\(Names.list(names)) \(names.count > 1 ? "are" : "is") missing")
    ]
  }

  private func record(_ value: ExpressionID, _ type: PayloadType?, _ line: Int) -> [Finding] {
    if case .table = tree.expressions[tree.bare(value)].kind {
      return type.map { compare(value, $0, "") } ?? []
    }
    guard let kind = shapes[value].kind, kind != .table, kind != .none else { return [] }
    return [takesRecord(line)]
  }

  private func takesRecord(_ line: Int) -> Finding {
    finding(line, "\(prefix)it takes one record: self:\(whole) { ... }")
  }
}
