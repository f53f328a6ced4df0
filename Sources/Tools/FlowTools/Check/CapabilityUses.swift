import FlowLanguage

/// The capabilities that a flow uses, as far as texts show them: those that effects call on their first parameter.
package struct CapabilityUses: Sendable {
  /// The member that a call reaches.
  package enum Member: Sendable, Hashable {
    /// A factory of the flow.
    case factory
    /// A capability of this scope.
    case capability(scope: String)
    /// Neither.
    case missing
  }

  /// The names that each instance has.
  private static let taken: Set<String> = [
    "unlock", "close", "defer", "key", "parent", "entered_by",
  ]

  /// All calls, effect by effect.
  package let calls: [CapabilityCall]
  private let scopes: [ScopeDeclaration]
  private let numbers: [String: Int]

  /// Finds the calls of a flow's effects.
  package init(_ text: FlowText) {
    scopes = text.flow.scopes
    numbers = Dictionary(
      text.flow.scopes.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
    let found = CallsOnParameters(text)
    var calls: [CapabilityCall] = []
    var known: Set<[Int]> = []
    for action in text.flow.actions {
      for index in action.effects {
        let effect = text.flow.effects[index]
        let scope = effect.isShared ? 0 : action.scope ?? 0
        if known.insert([index, scope]).inserted { calls += found.calls(of: effect, in: scope) }
      }
    }
    for effect in text.flow.stateEffects { calls += found.calls(of: effect, in: 0) }
    self.calls = calls.filter { !CapabilityUses.taken.contains($0.name) }
  }

  /// Returns the member that a call reaches: in its scope, or in one around it.
  ///
  /// - Parameter lends: returns true if the host lends the scope a capability of that name.
  package func member(
    of call: CapabilityCall, where lends: (_ scope: String, _ name: String) -> Bool
  ) -> Member {
    for (depth, index) in indices(from: call.scope).enumerated() {
      let scope = scopes[index]
      if depth > 0, scope.privateNames.contains(call.name) { continue }
      if scope.factories.contains(call.name) { return .factory }
      if lends(scope.name, call.name) { return .capability(scope: scope.name) }
    }
    return .missing
  }

  /// Returns the capabilities that are called and that nobody provides, in the order of their first calls.
  ///
  /// - Parameter lends: returns true if the host lends the scope a capability of that name.
  package func missing(
    where lends: (_ scope: String, _ name: String) -> Bool
  ) -> [MissingCapability] {
    let missed = calls.filter { member(of: $0, where: lends) == .missing }
    let callers = Dictionary(grouping: missed, by: \.name).mapValues { Set($0.map(\.scope)) }
    var found: [String: MissingCapability] = [:]
    for call in missed {
      let outermost = indices(from: call.scope).last { callers[call.name]?.contains($0) == true }
      let capability = MissingCapability(
        scope: scopes[outermost ?? call.scope].name, name: call.name, place: call.place)
      if let first = found[capability.title], !CapabilityUses.isBefore(capability, first) {
        continue
      }
      found[capability.title] = capability
    }
    return found.values.sorted(by: CapabilityUses.isBefore)
  }

  private static func isBefore(_ one: MissingCapability, _ other: MissingCapability) -> Bool {
    (one.place.file, one.place.line, one.title) < (other.place.file, other.place.line, other.title)
  }

  /// Returns the names of the capabilities of each scope, by its index: those that scenarios stub, and those that are
  /// called and that no scope around has.
  ///
  /// - Parameter stubs: the stubbed capabilities, as `scope.name`.
  func names(stubs: Set<String>) -> [Int: Set<String>] {
    var names: [Int: Set<String>] = [:]
    for stub in stubs {
      let parts = stub.split(separator: ".", maxSplits: 1).map(String.init)
      guard parts.count == 2, let scope = numbers[parts[0]] else {
        continue
      }
      names[scope, default: []].insert(parts[1])
    }
    for call in calls {
      let isKnown = indices(from: call.scope).contains {
        scopes[$0].factories.contains(call.name) || names[$0]?.contains(call.name) == true
      }
      if !isKnown { names[call.scope, default: []].insert(call.name) }
    }
    return names
  }

  /// The indices of a scope and of those around it, innermost first.
  private func indices(from scope: Int) -> [Int] {
    var indices: [Int] = []
    var next: Int? = scope
    while let index = next {
      indices.append(index)
      next = scopes[index].parent.flatMap { numbers[$0] }
    }
    return indices
  }
}

/// The calls on the first parameters of functions.
///
/// A parameter that is assigned is left out, as it may be anything then.
private struct CallsOnParameters {
  private let sources: [LuaSource]
  private let outlines: FunctionOutlines
  /// The calls by the name of their file, and by function.
  private var found: [String: [LuaTree.FunctionID: [LuaTree.ExpressionID]]] = [:]

  init(_ text: FlowText) {
    sources = text.sources
    outlines = FunctionOutlines(text)
    for source in text.sources where found[source.name] == nil {
      guard let tree = source.tree else { continue }
      var calls: [LuaTree.FunctionID: [LuaTree.ExpressionID]] = [:]
      for (number, expression) in tree.expressions.enumerated() {
        guard case .method(let object, _, _) = expression.kind,
          case .local(let local) = tree.expressions[tree.bare(object)].kind,
          tree.locals[local].origin == .parameter(0), tree.locals[local].writes == 0
        else { continue }
        calls[tree.locals[local].function, default: []].append(number)
      }
      found[source.name] = calls
    }
  }

  /// Returns the calls of an effect that has the instance of a scope.
  func calls(of effect: Effect, in scope: Int) -> [CapabilityCall] {
    let file = effect.function.place.file
    guard let function = outlines[effect.function], let calls = found[file]?[function],
      let tree = sources.first(where: { $0.name == file })?.tree
    else { return [] }
    return calls.compactMap { number in
      guard case .method(let object, let name, _) = tree.expressions[number].kind else {
        return nil
      }
      let place = SourcePlace(file: file, line: tree.expressions[tree.bare(object)].line)
      return CapabilityCall(
        name: name, scope: scope, place: place, effect: effect, expression: number)
    }
  }
}
