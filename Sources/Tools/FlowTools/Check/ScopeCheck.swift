import FlowLanguage

/// A check for scopes whose key nothing can set.
struct ScopeCheck {
  let text: FlowText
  let use: StateUse
  /// The names of the scopes that are open at the start.
  let open: Set<String>

  /// Returns the indices of the scopes that never open, and the findings about them.
  ///
  /// A scope inside one that never opens is not reported again.
  func run() -> (closed: Set<Int>, findings: [Finding]) {
    var closed: Set<Int> = []
    var findings: [Finding] = []
    let indices = Dictionary(
      text.flow.scopes.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
    let machines = Set(text.flow.machines.map(\.name))
    for (index, scope) in text.flow.scopes.enumerated() {
      if let parent = scope.parent.flatMap({ indices[$0] }), closed.contains(parent) {
        closed.insert(index)
      } else if let fields = unsettableKey(of: scope, besides: machines) {
        closed.insert(index)
        findings.append(
          Finding(
            .lockedScope, at: scope.place,
            "scope \(scope.name) never opens: its key reads \(fields.joined(separator: ", ")), "
              + "which nothing sets"))
      }
    }
    return (closed, findings)
  }

  /// Returns the fields on which the key depends, if none of them is ever assigned.
  private func unsettableKey(
    of scope: ScopeDeclaration, besides machines: Set<String>
  ) -> [String]? {
    guard let key = scope.key, !open.contains(scope.name), let written = use.written,
      let fields = use.fieldsRead(by: key), !fields.isEmpty, written.isDisjoint(with: fields),
      machines.isDisjoint(with: fields)
    else { return nil }
    return fields.sorted().map { "s.\($0)" }
  }
}
