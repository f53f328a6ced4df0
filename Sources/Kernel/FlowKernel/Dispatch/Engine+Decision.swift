import FlowLanguage

extension Engine {
  /// Returns the decisions that led to an outcome, in the order of asking, up to the first refusal.
  ///
  /// They are empty for an action that failed.
  package func decisions(on outcome: Outcome) -> [Decision] {
    switch outcome {
    case .passed(let commit): return agreeing(to: commit.action)
    case .refused(let refusal):
      let by = refusal.rejectedBy.description
      let before = agreeing(to: refusal.action).prefix { $0.by != by }
      return before + [Decision(by: by, agreed: false, place: refusal.place)]
    case .failed: return []
    }
  }

  private func agreeing(to name: String) -> [Decision] {
    guard let action = flow.action(named: name) else { return [] }
    var asked: [(String, SourcePlace)] = []
    if let scope = action.scope {
      asked.append(("scope \(flow.scopes[scope].name)", flow.scopes[scope].place))
    }
    asked += action.machines.map { (flow.machines[$0].title, flow.machines[$0].place) }
    asked += action.gatekeepers.map { (flow.gatekeepers[$0].title, flow.gatekeepers[$0].place) }
    asked += action.rules.map { ($0.title, $0.function.place) }
    return asked.map { Decision(by: $0.0, agreed: true, place: $0.1) }
  }
}
