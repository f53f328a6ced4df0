/// An instance of a scope as scripts see it, with members by name and without their types.
///
/// Swift code uses `Scope.Instance`, where the compiler finds mistakes; its property `any` returns this view. All
/// errors are `ScopeError`s, or thrown by a factory or capability.
///
/// ```swift
/// let user = try app.any.unlock("user", with: User("ada"))
/// let profile = try user.make("profile")
/// ```
public struct ScopeInstance: Sendable {
  /// A narrowing: only the listed names of the members declared in `plan` or its parents are in reach.
  struct Limit: Sendable {
    let plan: ScopePlan
    let names: Set<String>
  }

  let core: ScopeCore
  var limits: [Limit] = []
  /// True if this is a child's view of its parent.
  var isFromChild = false

  /// The names of the scopes from the root to this one: `root/user`.
  public var path: String { core.path }

  /// True if the instance is closed.
  public var isClosed: Bool { core.isClosed }

  /// The instance in which this one was opened, without its private members; nil for the root.
  ///
  /// It can be read after this instance is closed. Its members are narrowed as this instance's are.
  public var parent: ScopeInstance? {
    core.parent.map { ScopeInstance(core: $0, limits: limits, isFromChild: true) }
  }

  /// The key with which this instance was opened.
  ///
  /// Throws `ScopeError.closed` if the instance is closed.
  public var key: any Sendable {
    get throws(ScopeError) {
      try core.check("key")
      return core.key
    }
  }

  /// The members in reach: the scope's own, then its parents', in the order of declaration.
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

  /// Makes a new thing with the factory of that name.
  ///
  /// Throws if no such factory is in reach, if the instance is closed, if the product belongs to the main actor, or if
  /// the factory throws.
  ///
  /// ```swift
  /// let profile = try user.make("profile")
  /// ```
  public func make(_ name: String) throws -> Any {
    let (level, member) = try find(name)
    if case .mainActorFactory = member.use {
      throw ScopeError.isolated(scope: level.path, member: name)
    }
    guard case .factory(let build) = member.use else { throw wrongKind(member, level) }
    return try Making.run(name, of: level) { try build(level) }
  }

  /// Calls the capability of that name.
  ///
  /// Throws if no such capability is in reach, if the instance is closed, if the input has another type, or if the
  /// capability throws.
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
  /// Throws `ScopeError.locked`, with the type that is needed, if there is no key or a key of another type. Throws
  /// other `ScopeError`s if no such lock is in reach or the instance is closed.
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

  /// Returns the same instance with only the named members in reach: its own, its parents', and its locks.
  ///
  /// Narrowing never widens, because a member that is out of reach cannot be named. `parent`, and children opened
  /// through the result, are narrowed too. Factories still see all members of their scope. Throws a `ScopeError` if a
  /// name is not in reach.
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

  /// Registers a clean-up closure that runs when the instance closes.
  ///
  /// The closures run last first, all of them even if one throws. Members still work while they run. Throws
  /// `ScopeError.closed` if closing has begun.
  ///
  /// ```swift
  /// try user.defer { connection.hangUp() }
  /// ```
  public func `defer`(_ cleanUp: @escaping @Sendable () throws -> Void) throws(ScopeError) {
    try core.addCleanUp(cleanUp)
  }

  /// Closes the instance.
  ///
  /// Closes the children first, the newest first, then runs the clean-ups, the last one first. Afterwards every member
  /// throws, and every function lent through the instance. Errors quote `reason` from then on: `scope root/user is
  /// closed (since log_out)`. Returns false if the instance was closed before. Throws `ScopeError.cleanUp` if clean-ups
  /// threw; the instance is closed all the same.
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
  /// The path, with the mark "(closed)" if the instance is closed.
  public var description: String { "scope \(path)\(isClosed ? " (closed)" : "")" }
}
