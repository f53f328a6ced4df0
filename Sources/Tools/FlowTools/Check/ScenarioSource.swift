import FlowLanguage
import Platform

/// The source of a scenario file, with the names of the flow that it uses.
struct ScenarioSource {
  let source: LuaSource

  init(_ file: URL, name: String) throws(TextFile.Unreadable) {
    self.init(LuaSource(name: name, text: try TextFile.read(file, name: name)))
  }

  init(_ source: LuaSource) { self.source = source }

  /// The views that the file reads.
  var views: Set<String> {
    Set(
      source.accesses.compactMap { access in
        switch access.root {
        case "view": access.firstField
        case "expect" where access.firstField == "view" && access.fields.count > 1: access.fields[1]
        default: nil
        }
      })
  }

  /// The capabilities that the file stubs, as `scope.name`.
  var stubs: Set<String> {
    Set(
      source.accesses.filter { $0.root == "stub" }.compactMap { access in
        source.literal(source.arguments(of: access)?.first)
      })
  }

  /// Returns the findings about the file, except those that its comments allow.
  func findings(for text: FlowText) -> [Finding] {
    let allowances = Allowances([source])
    let found = source.tree.map { ScenarioCheck(name: source.name, tree: $0, text: text).findings }
    return undeclared(in: text.flow) + (found ?? []).filter { !allowances.allow($0) }
  }

  /// Returns the findings about names that the flow does not declare, in places where only declared names make sense.
  private func undeclared(in flow: Flow) -> [Finding] {
    var names: [String: Set<String>] = [:]
    return source.accesses.compactMap { access in
      guard !source.localNames.contains(access.root), let (kind, name) = named(access) else {
        return nil
      }
      let known = names[kind] ?? Set(ScenarioSource.names(of: kind, in: flow))
      names[kind] = known
      // Events of a document may also be named by a prefix.
      if known.contains(name) || kind == "action" && flow.action(named: name) != nil { return nil }
      return Finding(
        .unknownName, at: SourcePlace(file: source.name, line: access.line),
        "there is no \(kind) \(name) in \(flow.file)" + Names.suggestion(for: name, among: known))
    }
  }

  private func named(_ access: LuaAccess) -> (String, String)? {
    switch access.root {
    case "pass", "inside", "refuse", "dispatch", "may":
      let name =
        access.steps.isEmpty
        ? source.literal(source.arguments(of: access)?.first) : access.firstField
      return name.map { ("action", $0) }
    case "expect", "given":
      guard access.fields.count > 1, ScenarioSource.kinds.contains(access.fields[0]) else {
        return nil
      }
      return (access.fields[0], access.fields[1])
    case "view" where source.arguments(of: access) != nil:
      return access.firstField.map { ("view", $0) }
    default: return nil
    }
  }

  private static let kinds: Set<String> = ["view", "machine", "gatekeeper", "scope"]

  private static func names(of kind: String, in flow: Flow) -> [String] {
    switch kind {
    case "view": flow.views.map(\.function.name)
    case "machine":
      flow.machines.flatMap { [$0.name] + $0.regionFields.map(\.field) }
    case "gatekeeper": flow.gatekeepers.map(\.name)
    case "scope": flow.scopes.map(\.name)
    default: flow.actionNames
    }
  }
}
