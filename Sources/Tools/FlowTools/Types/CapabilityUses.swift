import FlowLanguage

/// The capabilities that a flow uses, by scope, as far as texts show them.
///
/// They are those that scenarios stub, and those that effects call on `self`.
struct CapabilityUses {
  private static let taken: Set<String> = [
    "unlock", "close", "defer", "key", "parent", "entered_by",
  ]

  private var names: [Int: Set<String>] = [:]
  private let numbers: [String: Int]

  init(_ text: FlowText, stubs: Set<String>) {
    numbers = Dictionary(
      text.flow.scopes.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
    for stub in stubs {
      let parts = stub.split(separator: ".", maxSplits: 1).map(String.init)
      guard parts.count == 2, let scope = numbers[parts[0]] else {
        continue
      }
      names[scope, default: []].insert(parts[1])
    }
    for action in text.flow.actions {
      for index in action.effects {
        let effect = text.flow.effects[index]
        note(effect, in: effect.isShared ? 0 : action.scope ?? 0, text)
      }
    }
    for effect in text.flow.stateEffects { note(effect, in: 0, text) }
  }

  private mutating func note(_ effect: Effect, in scope: Int, _ text: FlowText) {
    for id in text.functions(at: effect.function.place) ?? [] {
      let source = text.sources[id.source]
      guard let own = source.functions[id.function].parameters.first else { continue }
      for access in source.accesses(in: id.function)
      where access.root == own && access.steps.count == 1 {
        guard case .method(let name)? = access.steps.first, !CapabilityUses.taken.contains(name),
          !isKnown(name, from: scope, text)
        else { continue }
        names[scope, default: []].insert(name)
      }
    }
  }

  /// Returns true if the scope or one around it already has the name.
  private func isKnown(_ name: String, from scope: Int, _ text: FlowText) -> Bool {
    var next: Int? = scope
    while let index = next {
      let declaration = text.flow.scopes[index]
      if declaration.factories.contains(name) || names[index]?.contains(name) == true {
        return true
      }
      next = declaration.parent.flatMap { numbers[$0] }
    }
    return false
  }

  func names(ofScope index: Int) -> [String] { (names[index] ?? []).sorted() }
}
