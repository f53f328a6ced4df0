/// The declaration of a scope: a set of factories, capabilities and locks that can be used only while a key is held.
///
/// The members of a root scope need no key, or the one that `init(_:key:)` names. A `lock` needs a key, which opens a
/// child scope; the child's members use the key without optionals. A declaration makes nothing: `open` and `unlock`
/// make any number of instances.
///
/// ```swift
/// let root = Scope("root")
/// let images = root.factory("images") { _ in ImageLoader() }
/// let user = root.lock("user", key: User.self)
/// let profile = user.factory("profile") { user in
///   Profile(of: try user.key, images: try user.make(images))
/// }
///
/// let app = try root.open()
/// let ada = try app.unlock(user, with: User("ada"))
/// let screen = try ada.make(profile)  // app.make(profile) does not compile
/// ```
///
/// Declare everything before you open an instance. A second member of the same name is an error, which `open` throws.
/// After "Managing objects using Locks and Keys in Swift" by John Sundell.
public final class Scope<Key: Sendable, Parent>: ScopeLevel, Sendable {
  let plan: ScopePlan

  init(plan: ScopePlan) {
    self.plan = plan
  }

  /// The name of the scope.
  public var name: String { plan.name }

  /// The names from the root to this scope: `root/user`.
  public var path: String { plan.path }

  /// Declares a factory, which makes a new thing for each call.
  ///
  /// The closure receives the instance, with all members of the scope and its parents. Its product is a plain Swift
  /// value, which outlives the instance. Child scopes do not see a private factory.
  ///
  /// ```swift
  /// let profile = user.factory("profile") { user in Profile(of: try user.key) }
  /// ```
  @discardableResult
  public func factory<Product>(
    _ name: String, private isPrivate: Bool = false,
    _ build: @escaping @Sendable (Instance) throws -> Product
  ) -> Factory<Scope, Product> {
    let make: @Sendable (ScopeCore) throws -> Product = { core in
      try build(Instance(any: ScopeInstance(core: core)))
    }
    plan.declare(
      name, .factory, output: "\(Product.self)", isPrivate: isPrivate, .factory { try make($0) })
    return Factory(name: name, plan: plan, make: make)
  }

  /// Declares a capability: a function that the scope lends and that throws once the instance is closed.
  ///
  /// ```swift
  /// let greet = root.capability("greet") { (_, name: String) in "hello \(name)" }
  /// ```
  @discardableResult
  public func capability<Input, Output>(
    _ name: String, private isPrivate: Bool = false,
    _ function: @escaping @Sendable (Instance, Input) throws -> Output
  ) -> Capability<Scope, Input, Output> {
    let run: @Sendable (ScopeCore, Input) throws -> Output = { core, input in
      try function(Instance(any: ScopeInstance(core: core)), input)
    }
    let path = plan.path
    plan.declare(
      name, .capability, input: "\(Input.self)", output: "\(Output.self)", isPrivate: isPrivate,
      .capability { core, input in
        guard let input = input as? Input else {
          throw ScopeError.wrongInput(
            scope: path, member: name, needs: "\(Input.self)", given: "\(type(of: input))")
        }
        return try run(core, input)
      })
    return Capability(name: name, plan: plan, run: run)
  }

  /// Declares a lock, and the child scope that its key opens.
  ///
  /// ```swift
  /// let user = root.lock("user", key: User.self)
  /// ```
  public func lock<ChildKey: Sendable>(
    _ name: String, key: ChildKey.Type, private isPrivate: Bool = false
  ) -> Scope<ChildKey, Scope> {
    let child = ScopePlan(
      name: name, keyType: "\(ChildKey.self)", parent: plan, fits: { $0 is ChildKey })
    plan.declare(name, .lock, input: child.keyType, isPrivate: isPrivate, .lock(child))
    return Scope<ChildKey, Scope>(plan: child)
  }
}

extension Scope: CustomStringConvertible {
  /// An outline of the scope: its members and everything behind its locks, one per line.
  public var description: String { "scope \(path)\n" + plan.outline(indent: "  ") }
}

extension Scope where Parent == NoParent {
  /// Declares a root scope whose instances are opened with a key.
  ///
  /// ```swift
  /// let root = Scope("root", key: Services.self)
  /// ```
  public convenience init(_ name: String, key: Key.Type) {
    self.init(
      plan: ScopePlan(name: name, keyType: "\(Key.self)", parent: nil, fits: { $0 is Key }))
  }

  /// Opens an instance of a root scope.
  ///
  /// `report` receives the errors of clean-up closures if an instance closes because nothing refers to it any more; by
  /// default they are printed on standard error. Throws `ScopeError.declaredTwice`, with all duplicate names at once,
  /// if the declarations have any.
  ///
  /// ```swift
  /// let app = try root.open(with: Services())
  /// ```
  public func open(
    with key: Key, report: (@Sendable (ScopeError) -> Void)? = nil
  ) throws(ScopeError) -> Instance {
    let faults = plan.faults
    if !faults.isEmpty { throw .declaredTwice(members: faults) }
    let core = try ScopeCore.open(
      plan, with: key, in: nil, report: report ?? { Terminal.writeError($0.description + "\n") })
    return Instance(any: ScopeInstance(core: core))
  }
}

extension Scope where Parent == NoParent, Key == Void {
  /// Declares a root scope that needs no key.
  ///
  /// ```swift
  /// let root = Scope("root")
  /// ```
  public convenience init(_ name: String = "root") {
    self.init(name, key: Void.self)
  }

  /// Opens an instance of a root scope that needs no key.
  ///
  /// See `open(with:report:)`.
  ///
  /// ```swift
  /// let app = try root.open()
  /// ```
  public func open(
    report: (@Sendable (ScopeError) -> Void)? = nil
  ) throws(ScopeError) -> Instance {
    try open(with: (), report: report)
  }
}
