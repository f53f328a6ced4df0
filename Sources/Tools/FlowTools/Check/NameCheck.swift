import FlowLanguage

/// A check for actions, views and gatekeepers that a flow uses and does not declare.
struct NameCheck {
  let text: FlowText
  private let known: [String: Set<String>]

  init(text: FlowText) {
    self.text = text
    known = [
      "action": Set(text.flow.indexOfAction.keys),
      "view": Set(text.flow.views.map(\.function.name)),
      "gatekeeper": Set(text.flow.gatekeepers.map(\.name)),
    ]
  }

  var findings: [Finding] {
    text.sources.flatMap { source in source.accesses.compactMap { check($0, in: source) } }
  }

  private func check(_ access: LuaAccess, in source: LuaSource) -> Finding? {
    guard access.use == .read, !source.localNames.contains(access.root),
      let (kind, name) = named(access, in: source)
    else { return nil }
    guard let known = known[kind], !known.contains(name) else { return nil }
    return Finding(
      .unknownName, at: SourcePlace(file: source.name, line: access.line),
      "\(access.root): there is no \(kind) \(name)" + Names.suggestion(for: name, among: known))
  }

  /// Returns the kind and the name that an access refers to, if the text shows it.
  private func named(_ access: LuaAccess, in source: LuaSource) -> (String, String)? {
    let arguments = source.arguments(of: access)
    switch access.root {
    case "dispatch", "may":
      let name = access.steps.isEmpty ? source.literal(arguments?.first) : access.firstField
      return name.map { ("action", $0) }
    case "cancel" where access.steps.isEmpty:
      return source.literal(arguments?.first).map { ("action", $0) }
    case "after" where access.steps.isEmpty && (arguments?.count ?? 0) > 1:
      return source.literal(arguments?[1]).map { ("action", $0) }
    case "view" where arguments != nil:
      return access.firstField.map { ("view", $0) }
    case "gatekeeper" where access.steps.count == 2:
      guard case .method? = access.steps.last else { return nil }
      return access.firstField.map { ("gatekeeper", $0) }
    default: return nil
    }
  }
}
