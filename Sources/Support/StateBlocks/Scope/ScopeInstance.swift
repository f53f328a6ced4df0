/// One opening of a scope, as a script sees it: members by their names, whatever their types.
///
/// Swift code has `Scope.Instance`, where a mistake does not compile; `any` leads from there to
/// here. All errors are `ScopeError`s, or what a factory or capability throws itself.
///
/// ```swift
/// let user = try app.any.unlock("user", with: User("ada"))
/// let profile = try user.make("profile")
/// ```
public struct ScopeInstance: Sendable {
  /// A narrowing: of what is declared in `plan` or its parents, only these names are in reach.
  struct Limit: Sendable {
    let plan: ScopePlan
    let names: Set<String>
  }

  let core: ScopeCore
  var limits: [Limit] = []
  /// Whether this is a child's view of its parent.
  var isFromChild = false

  /// The names of the scopes from the root to this one: `root/user`.
  public var path: String { core.path }

  /// Whether the instance was closed.
  public var isClosed: Bool { core.isClosed }

  /// The instance that this one was opened in, without its private members; nil for the root.
  ///
  /// It can be read when this instance is closed, and is narrowed as this one is.
  public var parent: ScopeInstance? {
    core.parent.map { ScopeInstance(core: $0, limits: limits, isFromChild: true) }
  }

  /// The key that this instance was opened with.
  ///
  /// Throws `ScopeError.closed`.
  public var key: any Sendable {
    get throws(ScopeError) {
      try core.check("key")
      return core.key
    }
  }

  /// What is in reach: the scope's own members, then its parents', in the order of declaration.
  public var members: [MemberDescription] {
    var seen: Set<String> = []
    return levels.flatMap { level in
      level.plan.members.filter { member in
        isVisible(member, in: level) && isAllowed(member.name, in: level.plan)
          && (level === core || member.description.kind != .lock)
          && seen.insert(member.name).inserted
      }.map(\.description)
    }
  }

  /// Makes a new thing.
  ///
  /// Throws when there is no such factory in reach, the instance is closed, or the factory throws.
  ///
  /// ```swift
  /// let profile = try user.make("profile")
  /// ```
  public func make(_ name: String) throws -> Any {
    let (level, member) = try find(name)
    guard case .factory(let build) = member.use else { throw wrongKind(member, level) }
    return try Making.run(name, of: level) { try build(level) }
  }

  /// Calls a capability.
  ///
  /// Throws when there is no such capability in reach, the instance is closed, the input is not of
  /// its type, or it throws.
  ///
  /// ```swift
  /// let greeting = try app.any.call("greet", with: "Ada")
  /// ```
  public func call(_ name: String, with input: Any = ()) throws -> Any {
    let (level, member) = try find(name)
    guard case .capability(let function) = member.use else { throw wrongKind(member, level) }
    return try function(level, input)
  }

  /// Opens the scope behind one of this scope's own locks.
  ///
  /// Throws `ScopeError.locked`, with the type that is needed, when there is no key or one of
  /// another type, and other `ScopeError`s when there is no such lock in reach or the instance is
  /// closed.
  ///
  /// ```swift
  /// let user = try app.any.unlock("user", with: User("ada"))
  /// ```
  public func unlock(_ name: String, with key: (any Sendable)? = nil) throws(ScopeError)
    -> ScopeInstance
  {
    let (level, member) = try find(name)
    guard case .lock(let plan) = member.use else { throw wrongKind(member, level) }
    guard level === core else { throw .foreign(scope: path, member: name) }
    guard let key, plan.fits(key) else {
      let given = key.map { "\(type(of: $0))" }
      throw .locked(scope: plan.path, lock: name, needs: plan.keyType, given: given)
    }
    return try open(plan, with: key)
  }

  /// The same instance with only these members in reach, of its own, its parents', and its locks.
  ///
  /// What is out of reach already cannot be named, so narrowing never widens; `parent` and children
  /// opened through it are narrowed with it. Factories still have all that their scope has. Throws
  /// a `ScopeError` for a name that is not in reach.
  ///
  /// ```swift
  /// let lent = try app.any.only(["imageLoader"])
  /// ```
  public func only(_ names: some Sequence<String>) throws(ScopeError) -> ScopeInstance {
    let names = Set(names)
    for name in names.sorted() { _ = try find(name) }
    var narrow = self
    narrow.limits.append(Limit(plan: core.plan, names: names))
    return narrow
  }

  /// Has a closure run when the instance closes: the last one first, all of them even if one
  /// throws.
  ///
  /// Members still work while it runs. Throws `ScopeError.closed` when closing has begun.
  ///
  /// ```swift
  /// try user.defer { connection.hangUp() }
  /// ```
  public func `defer`(_ cleanUp: @escaping @Sendable () throws -> Void) throws(ScopeError) {
    try core.addCleanUp(cleanUp)
  }

  /// Closes the instance: children first, the newest first, then the clean-ups, the last one first;
  /// then every member throws, and everything lent through it.
  ///
  /// `reason` is what errors say afterwards: `scope root/user is closed (since log_out)`. Returns
  /// false when it was closed already. Throws `ScopeError.cleanUp` when clean-ups threw; it is
  /// closed then, too.
  ///
  /// ```swift
  /// try user.close(because: "log_out")
  /// ```
  @discardableResult
  public func close(because reason: String? = nil) throws(ScopeError) -> Bool {
    try core.close(because: reason)
  }
}

extension ScopeInstance: CustomStringConvertible {
  /// The path, and whether it is closed.
  public var description: String { "scope \(path)\(isClosed ? " (closed)" : "")" }
}
