import FlowLanguage

/// The content of a picture of a flow, independent of the format.
package struct FlowDrawing: Sendable {
  /// An action with its conditions and its effects on the flow.
  struct ActionBox: Sendable {
    let name: String
    let payload: [String]
    /// The gates, gatekeepers and machines, as lines.
    let conditions: [String]
    /// The fields that it reduces; nil if the text does not show which.
    let reduces: [String?]
    let dispatches: [String]
    let dispatchesOnError: [String]
  }

  /// A scope with its own actions; the first scope is root.
  struct ScopeBox: Sendable {
    let name: String
    let parent: String?
    let keyFields: [String]
    let actions: [ActionBox]
  }

  let title: String
  let charts: [Chart]
  let scopes: [ScopeBox]
  /// The fields that actions reduce, sorted by name; nil for unknown ones.
  let fields: [String?]
  /// The indices of the fields, and of the actions among those of all scopes.
  let fieldNumbers: [String?: Int]
  let numbers: [String: Int]
  private let inner: [String?: [Int]]

  package init(_ text: FlowText) {
    let use = StateUse(text)
    let flow = text.flow
    title = flow.file
    let conditions = ConditionText(text: text)
    charts = flow.machines.map { Chart($0, use: use, conditions: conditions) }
    let effects = EffectText(text)
    let boxes = flow.actions.map { ActionBox($0, flow: flow, effects: effects, use: use) }
    let owned = Dictionary(grouping: flow.actions.indices) { flow.actions[$0].scope ?? 0 }
    scopes = flow.scopes.enumerated().map { index, scope in
      ScopeBox(
        name: scope.name, parent: scope.parent,
        keyFields: scope.key.map { (use.fieldsRead(by: $0) ?? []).sorted() } ?? [],
        actions: (owned[index] ?? []).map { boxes[$0] })
    }
    fields = Set(boxes.flatMap(\.reduces)).sorted { ($0 ?? "\u{7f}") < ($1 ?? "\u{7f}") }
    fieldNumbers = Dictionary(
      fields.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
    numbers = Dictionary(
      scopes.flatMap(\.actions).enumerated().map { ($1.name, $0) },
      uniquingKeysWith: { first, _ in first })
    inner = Dictionary(grouping: scopes.indices) { [scopes] in scopes[$0].parent }
  }

  /// Returns the scopes directly below another, with their numbers; the outermost scope is below nil.
  func scopes(below parent: String?) -> [(Int, ScopeBox)] {
    (inner[parent] ?? []).map { ($0, scopes[$0]) }
  }
}

extension FlowDrawing.ActionBox {
  init(_ action: Action, flow: Flow, effects effectText: EffectText, use: StateUse) {
    name = action.name
    if case .record(let fields) = action.payload {
      payload = fields.map { field in
        field.name + (field.type.mayBeMissing ? "?" : "")
      }
    } else {
      payload = []
    }
    conditions =
      action.machines.map { flow.machines[$0].title }
      + action.gatekeepers.flatMap {
        FlowDrawing.ActionBox.lines(of: flow.gatekeepers[$0], action.name)
      }
      + action.rules.map(\.title)
    let written = action.reducer.map(use.fieldsWritten) ?? []
    reduces = written.sorted { ($0 ?? "\u{7f}") < ($1 ?? "\u{7f}") }
    let effects = action.effects.map { flow.effects[$0] }
    let dispatched = effects.flatMap { effectText.dispatched(by: $0.function) }
    dispatches = Set(dispatched + effects.compactMap(\.onDone)).sorted()
    dispatchesOnError = Set(effects.compactMap(\.onError)).sorted()
  }

  private static func lines(of gatekeeper: GatekeeperPolicy, _ action: String) -> [String] {
    guard let entry = gatekeeper.entries[action] else { return [] }
    let verbs = [("unless", entry.unless), ("resets", entry.reset), ("takes", entry.attempt)]
    return verbs.compactMap { verb, choice in
      guard let choice else { return nil }
      if gatekeeper.isYesNo { return "\(verb) \(gatekeeper.title)" }
      switch choice {
      case .options:
        return "\(gatekeeper.title): \(verb) \(choice.names.joined(separator: ", "))"
      case .all: return "\(gatekeeper.title): \(verb) all"
      case .workedOut: return "\(gatekeeper.title): \(verb) computed options"
      }
    }
  }
}

/// The dispatches in the text of effects.
package struct EffectText {
  private let text: FlowText
  private let declared: Set<String>

  package init(_ text: FlowText) {
    self.text = text
    declared = Set(text.flow.indexOfAction.keys)
  }

  /// Returns the declared actions that an effect dispatches or schedules by name.
  ///
  /// For a computed name (`dispatch(open and "open" or "depart")`), each declared action in the expression counts.
  package func dispatched(by function: FlowFunction) -> Set<String> {
    var names: Set<String> = []
    for id in text.functions(at: function.place) ?? [] {
      let source = text.sources[id.source]
      for access in source.accesses(in: id.function) {
        let arguments = source.arguments(of: access) ?? []
        switch access.root {
        case "dispatch" where access.steps.isEmpty:
          names.formUnion(strings(arguments.first, in: source))
        case "dispatch": if let name = access.firstField { names.insert(name) }
        case "after" where arguments.count > 1:
          names.formUnion(strings(arguments[1], in: source))
        default: break
        }
      }
    }
    return names.intersection(declared)
  }

  /// Returns true if an effect dispatches an action by a computed name: `dispatch(name)`, `dispatch[name]()`.
  package func isUnclear(_ function: FlowFunction) -> Bool {
    guard let functions = text.functions(at: function.place) else { return true }
    return functions.contains { id in
      let source = text.sources[id.source]
      return source.accesses(in: id.function).contains { access in
        guard access.root == "dispatch" else { return false }
        guard access.steps.isEmpty else { return access.firstField == nil }
        let named = strings(source.arguments(of: access)?.first, in: source)
        return declared.isDisjoint(with: named)
      }
    }
  }

  private func strings(_ argument: Range<Int>?, in source: LuaSource) -> [String] {
    guard let argument else { return [] }
    return source.tokens[argument].filter { $0.kind == .string }.map(\.text)
  }
}
