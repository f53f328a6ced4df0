// The look-up of members by name: in the scope, then in its parents, without members that are private or out of reach.

extension ScopeInstance {
  /// This instance and its parents, innermost first.
  var levels: [ScopeCore] {
    Array(sequence(first: core, next: \.parent))
  }

  /// Returns the member of that name, and the instance that declares it.
  func find(_ name: String) throws(ScopeError) -> (ScopeCore, ScopePlan.Member) {
    try core.check(name)
    var hidden: ScopeError?
    var level: ScopeCore? = core
    while let core = level {
      level = core.parent
      guard let member = core.plan.member(name) else { continue }
      if !isVisible(member, in: core) {
        hidden = hidden ?? .privateMember(scope: core.path, member: name)
        continue
      }
      try checkReach(name, in: core.plan)
      return (core, member)
    }
    throw hidden ?? missing(name)
  }

  /// Returns the instance of a declared scope, which is this one or a parent, if the member is in reach there.
  func level(of plan: ScopePlan, for name: String) throws(ScopeError) -> ScopeCore {
    try core.check(name)
    var level: ScopeCore? = core
    while let core = level {
      level = core.parent
      guard core.plan === plan else { continue }
      if let member = plan.member(name), !isVisible(member, in: core) {
        throw .privateMember(scope: core.path, member: name)
      }
      try checkReach(name, in: plan)
      return core
    }
    throw .foreign(scope: path, member: name)
  }

  /// Opens a child, which is narrowed as this instance is.
  func open(_ plan: ScopePlan, with key: any Sendable) throws(ScopeError) -> ScopeInstance {
    let child = try ScopeCore.open(plan, with: key, in: core, report: core.report)
    return ScopeInstance(core: child, limits: limits)
  }

  /// Returns true if the member is public, or private to this instance and not looked up by a child.
  func isVisible(_ member: ScopePlan.Member, in level: ScopeCore) -> Bool {
    !member.description.isPrivate || (level === core && !isFromChild)
  }

  func isAllowed(_ name: String, in plan: ScopePlan) -> Bool {
    limit(on: name, in: plan) == nil
  }

  func wrongKind(_ member: ScopePlan.Member, _ level: ScopeCore) -> ScopeError {
    .wrongKind(scope: level.path, member: member.name, kind: member.description.kind)
  }

  private func checkReach(_ name: String, in plan: ScopePlan) throws(ScopeError) {
    if let limit = limit(on: name, in: plan) {
      throw .narrowed(scope: plan.path, member: name, allowed: limit.names.sorted())
    }
  }

  /// Returns the narrowing that puts a name of a scope out of reach, if there is one.
  private func limit(on name: String, in plan: ScopePlan) -> Limit? {
    limits.first { limit in
      let governed = sequence(first: limit.plan, next: \.parent).contains { $0 === plan }
      return governed && !limit.names.contains(name)
    }
  }

  /// Returns the error for a name that was not found: it is behind a lock, or misspelt.
  private func missing(_ name: String) -> ScopeError {
    if let plan = core.plan.plan(below: name) {
      return .locked(scope: plan.path, lock: plan.name, needs: plan.keyType, given: nil)
    }
    let nearest = NearestName.to(name, among: members.map(\.name))
    return .unknown(scope: path, member: name, nearest: nearest)
  }
}
