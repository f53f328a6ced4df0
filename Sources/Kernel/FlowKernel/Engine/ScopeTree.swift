import FlowLanguage
import HeapModule
import LuaRuntime
import StateBlocks

/// The open instances of a flow's scopes, built on StateBlocks' `Scope`.
///
/// Keys in the state determine the open instances; an instance unlocked by hand stays open until it is closed.
package final class ScopeTree {
  /// An instance of a scope.
  package struct Instance {
    fileprivate(set) var number: Int
    /// The index of its declaration; nil if the current version of the flow has no such scope.
    fileprivate(set) var scope: Int?
    package let name: String
    package let parent: Int?
    package let key: Value
    /// The key with which the host opened the instance; nil if the host did not open it.
    ///
    /// Scripts cannot see it.
    package let hostKey: HostKey?
    package let block: ScopeInstance
    /// True if a script unlocked it; it lets no action pass.
    package let isByHand: Bool
    /// The effect that unlocked it by hand; the instance closes when the effect ends, at the latest.
    package let holder: Int?
    /// The deferred clean-ups, in order.
    var cleanUps: [CleanUpRunner] = []
    /// The event that closed it, such as `log_out, #12`; nil while it is open.
    var closedSince: String?
    package var reference: LuaReference?

    /// Its approximate size, in bytes.
    package var size: Int { 500 + key.size }
  }

  /// An earlier instance that may be opened again.
  private struct Earlier {
    let number: Int
    let name: String
    /// The instance; nil if only the scope's name is known, and a key in the state opens it again.
    let instance: Instance?

    func isSame(_ name: String, _ parent: Int?, _ key: Value, _ hostKey: HostKey?) -> Bool {
      guard self.name == name else { return false }
      guard let instance else { return hostKey == nil }
      return instance.parent == parent && instance.key == key && instance.hostKey === hostKey
    }
  }

  private let scopes: [ScopeDeclaration]
  private let indices: [String: Int]
  /// The instances of an earlier version of the flow, or of an earlier process.
  ///
  /// An instance that opens with the same key in the same parent is the same instance.
  private var earlier: [Earlier] = []
  private let root: Scope<Void, NoParent>
  private(set) var instances: [Int: Instance] = [:]
  /// The numbers of the open instances, by parent, so that closing does not search the closed ones.
  private var children: [Int: Set<Int>] = [:]
  /// The numbers of the closed instances.
  private var closedNumbers = Heap<Int>()
  /// The approximate size of all instances, in bytes.
  @exclusivity(unchecked) package private(set) var size = 0
  /// The current instance of each scope: the one that its key holds open, or the newest that the host holds.
  package private(set) var current: [Int?]
  /// The instances that the host holds, by their keys.
  package private(set) var held: [ObjectIdentifier: Int] = [:]
  /// The events that closed instances of an earlier process.
  private var closedBefore: [Int: String] = [:]
  /// The open instances that effects have unlocked by hand, by the effects' numbers.
  private var holders: [Int: Set<Int>] = [:]
  /// The number of times that scopes were opened or closed.
  package private(set) var version = 0
  /// True once the host ends: no scope opens any more, except one that an effect unlocks for itself.
  package var isEnding = false
  private var isRootCleanedUp = false

  /// The number of root's instance.
  static let rootNumber = CaseState.ScopeInstance.root

  package init(_ scopes: [ScopeDeclaration]) throws {
    self.scopes = scopes
    root = Scope(ScopeDeclaration.root)
    current = Array(repeating: nil, count: scopes.count)
    indices = Dictionary(
      scopes.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
    if scopes.count > 1 {
      let children = Dictionary(grouping: scopes) { $0.parent ?? "" }
      ScopeTree.lock(root, named: ScopeDeclaration.root, children)
    }
    var numbers = ScopeTree.rootNumber - 1
    current[0] = add(
      try root.open().any, scope: 0, parent: nil, key: .nil, isByHand: false, holder: nil,
      numbering: &numbers)
  }

  /// Declares the children of a scope, and theirs, as its locks; a key is a plain value, or a key of the host.
  private static func lock<Key: Sendable, Parent>(
    _ block: Scope<Key, Parent>, named name: String, _ children: [String: [ScopeDeclaration]]
  ) {
    for child in children[name] ?? [] { lockErased(block, child, children) }
  }

  private static func lockErased<Key: Sendable, Parent>(
    _ block: Scope<Key, Parent>, _ child: ScopeDeclaration,
    _ children: [String: [ScopeDeclaration]]
  ) {
    let name = child.name
    if child.isHosts {
      lock(block.lock(name, key: HostKey.self), named: name, children)
    } else {
      lock(block.lock(name, key: Value.self), named: name, children)
    }
  }

  @discardableResult
  private func add(
    _ block: ScopeInstance, scope: Int, parent: Int?, key: Value, isByHand: Bool, holder: Int?,
    hostKey: HostKey? = nil, numbering last: inout Int
  ) -> Int {
    version += 1
    let name = scopes[scope].name
    let again = isByHand ? nil : earlier.firstIndex { $0.isSame(name, parent, key, hostKey) }
    var instance = Instance(
      number: last + 1, scope: scope, name: name, parent: parent, key: key, hostKey: hostKey,
      block: block, isByHand: isByHand, holder: holder)
    if let again {
      let before = earlier.remove(at: again)
      instance.number = before.number
      instance.inherit(before.instance?.cleanUps ?? [])
    } else {
      last += 1
    }
    insert(instance)
    if let holder { holders[holder, default: []].insert(instance.number) }
    if let hostKey { held[ObjectIdentifier(hostKey)] = instance.number }
    return instance.number
  }

  private func insert(_ instance: Instance) {
    instances[instance.number] = instance
    size += instance.size
    if instance.block.isClosed {
      closedNumbers.insert(instance.number)
    } else if let parent = instance.parent {
      children[parent, default: []].insert(instance.number)
    }
  }

  /// Removes and returns the open instances that an effect has unlocked by hand, the newest first.
  func endHolder(_ number: Int) -> [Int] {
    holders.isEmpty ? [] : (holders.removeValue(forKey: number) ?? []).sorted(by: >)
  }

  // MARK: Looking

  package subscript(number: Int) -> Instance? { instances[number] }

  /// Returns the event that closed an instance; nil if it is open, or if the event is unknown.
  func closedSince(_ number: Int) -> String? {
    instances[number]?.closedSince ?? closedBefore[number]
  }

  package func name(of number: Int) -> String { instances[number]?.name ?? "?" }

  /// Returns the scope whose key holds this instance open; nil for root and for an instance unlocked by hand.
  func keyedScope(of number: Int) -> String? {
    guard let instance = instances[number], let scope = instance.scope, scope != 0,
      current[scope] == number
    else { return nil }
    return scopes[scope].name
  }

  /// The instances open by a key in the state or by the host, including root.
  package var scopeInstances: [CaseState.ScopeInstance] {
    scopes.indices.flatMap(scopeInstances(of:))
      .map { CaseState.ScopeInstance(scope: $0.name, number: $0.number) }
  }

  package func index(of name: String) -> Int? { indices[name] }

  package func isOpen(_ scope: Int) -> Bool { current[scope] != nil }

  /// Returns the instances of a scope that the state or the host holds, oldest first.
  package func scopeInstances(of scope: Int) -> [Instance] {
    guard scopes[scope].isHosts else {
      return current[scope].flatMap { instances[$0] }.map { [$0] } ?? []
    }
    return children.values.joined().compactMap { instances[$0] }
      .filter { $0.scope == scope && !$0.block.isClosed }.sorted { $0.number < $1.number }
  }

  /// Returns true if the state or the host holds exactly this instance.
  package func isHeld(_ number: Int) -> Bool {
    guard let instance = instances[number], !instance.block.isClosed else { return false }
    return instance.hostKey != nil || instance.scope.flatMap { current[$0] } == number
  }

  /// Returns the instance of a scope for a chain of causes: the chain's own while it is held, else the current one.
  func scopeInstance(of scope: Int, for cause: Cause?) -> Int? {
    if let number = cause?.scopeInstances[scopes[scope].name], isHeld(number) { return number }
    return current[scope]
  }

  /// Returns the instance; throws if it is closed, with the event that closed it.
  package func open(_ number: Int) throws(ScopeRefusal) -> Instance {
    guard let instance = instances[number] else {
      throw ScopeRefusal("this scope is closed", isRaised: true)
    }
    if instance.block.isClosed {
      throw ScopeRefusal(
        "scope \(name(of: number)) is closed"
          + (instance.closedSince.map { " (since \($0))" } ?? ""), isRaised: true)
    }
    return instance
  }

  /// Returns the outermost scope of this one and its parents whose key is missing, by name.
  package func wanting(_ scope: Int) -> String {
    var names: [String] = []
    var at: Int? = scope
    while let index = at, current[index] == nil {
      names.append(scopes[index].name)
      at = scopes[index].parent.flatMap(self.index(of:))
    }
    return names.last ?? scopes[scope].name
  }

  /// Returns the instance and the open ones inside it, in the order in which they close.
  ///
  /// Children come before their parents, the newest first.
  package func tree(_ number: Int) -> [Int] {
    let open = (children[number] ?? []).filter { instances[$0]?.block.isClosed == false }
    return open.sorted(by: >).flatMap(tree) + [number]
  }

  /// Returns the scope instances of a chain of causes after a commit in an instance.
  ///
  /// These are the instance, its parents, and the instances that the commit opened.
  package func scopeInstances(of cause: Cause?, at instance: Int?, since before: [Int?]) -> [String:
    Int]
  {
    var scopeInstances = cause?.scopeInstances ?? [:]
    var at = instance
    while let number = at, let here = instances[number], here.parent != nil {
      scopeInstances[here.name] = number
      at = here.parent
    }
    for (scope, now) in current.enumerated() where now != before[scope] {
      if let now { scopeInstances[scopes[scope].name] = now }
    }
    return scopeInstances
  }

  // MARK: Opening and closing

  /// Opens a child of an instance.
  ///
  /// - Parameter last: the latest number of an instance, which is raised unless an earlier instance opens again.
  /// - Returns: the number of the instance.
  /// - Throws: an error if the parent is closed, if the scope is not its child, or if the host was stopped.
  package func unlock(
    _ scope: Int, in parent: Int, key: Value, isByHand: Bool, holder: Int?,
    hostKey: HostKey? = nil, numbering last: inout Int
  ) throws -> Int {
    let above = try open(parent)
    let name = scopes[scope].name
    if isEnding, !isByHand {
      throw ScopeRefusal("scope \(name): the host was stopped", isRaised: true)
    }
    guard scopes[scope].parent == above.name else {
      throw ScopeRefusal(
        "scope \(name) is unlocked in its parent, \(scopes[scope].parent ?? "none"), not in "
          + above.name)
    }
    let block =
      if let hostKey { try above.block.unlock(name, with: hostKey) } else {
        try above.block.unlock(name, with: key)
      }
    let number = add(
      block, scope: scope, parent: parent, key: key, isByHand: isByHand, holder: holder,
      hostKey: hostKey, numbering: &last)
    if !isByHand { current[scope] = number }
    return number
  }

  /// Closes an instance with its children, newest first.
  ///
  /// Returns the numbers of all closed instances.
  package func close(_ number: Int, since: String?) -> [Int] {
    guard let instance = instances[number], !instance.block.isClosed else { return [] }
    version += 1
    // One by one: instances of an earlier version inside it are not children of this block.
    for number in tree(number) {
      _ = try? instances[number]?.block.close(because: since)  // clean-ups report their own errors
    }
    let closed = takeClosed(number)
    for other in closed {
      instances[other]?.closedSince = since ?? "its end"
      instances[other]?.cleanUps = []
      if let scope = instances[other]?.scope, current[scope] == other { current[scope] = nil }
    }
    for case let (key?, scope?) in closed.map({ (instances[$0]?.hostKey, instances[$0]?.scope) }) {
      held[ObjectIdentifier(key)] = nil
      if current[scope] == nil { current[scope] = scopeInstances(of: scope).last?.number }
    }
    return closed.sorted(by: >)
  }

  /// Removes a closed instance, and the closed ones inside it, from the open ones.
  ///
  /// A clean-up may have opened an instance that then closed with its parent.
  private func takeClosed(_ number: Int) -> [Int] {
    guard let instance = instances[number], instance.block.isClosed else { return [] }
    if let parent = instance.parent {
      // A close by a clean-up may have removed it already.
      guard children[parent]?.remove(number) != nil else { return [] }
      if children[parent]?.isEmpty == true { children[parent] = nil }
    }
    if let holder = instance.holder { holders[holder]?.remove(number) }
    closedNumbers.insert(number)
    return (children[number] ?? []).flatMap(takeClosed) + [number]
  }

  /// Stores the Lua object of an instance.
  package func keep(_ reference: LuaReference, for number: Int) {
    instances[number]?.reference = reference
  }

  /// Removes and returns closed instances, except the latest, so that a long run does not grow.
  ///
  /// A script that still has one is told that it is closed.
  func forgetOld(keeping limit: Int) -> [Instance] {
    var old: [Instance] = []
    while closedNumbers.count > limit, let number = closedNumbers.popMin() {
      guard let instance = instances.removeValue(forKey: number) else { continue }
      size -= instance.size
      old.append(instance)
    }
    return old
  }

  /// Runs root's clean-ups, the last one first, and leaves root open.
  ///
  /// The actions that they dispatch still have its capabilities.
  func cleanRootUp() {
    let cleanUps = instances[ScopeTree.rootNumber]?.cleanUps ?? []
    instances[ScopeTree.rootNumber]?.cleanUps = []
    isRootCleanedUp = true
    for cleanUp in cleanUps.reversed() { cleanUp.moved().run() }
  }
}

// MARK: Another version of the flow

extension ScopeTree {
  /// Continues the tree of an earlier version of the flow, and discards the instances opened here so far.
  ///
  /// An instance that opens again as it was open there is the same one, with its number and its clean-ups.
  package func goOn(from other: ScopeTree) {
    forgetScopeInstances()
    closedBefore = other.closedBefore
    let open = other.instances.values.filter { !$0.block.isClosed && !$0.isByHand }
      .sorted { $0.number < $1.number }
    if let root = open.first { instances[root.number]?.inherit(root.cleanUps) }
    earlier = open.dropFirst().map { Earlier(number: $0.number, name: $0.name, instance: $0) }
  }

  /// Continues the tree of an earlier process: instances that the keys of its state open again are the same ones.
  package func goOn(from scopeInstances: [CaseState.ScopeInstance], closed: [Int: String]) {
    forgetScopeInstances()
    closedBefore = closed
    earlier = scopeInstances.filter { $0.number != ScopeTree.rootNumber }
      .map { Earlier(number: $0.number, name: $0.scope, instance: nil) }
  }

  /// Adds a closed instance that an effect of an earlier process still has.
  func put(_ closed: EffectRecord.ClosedScopeInstance) {
    let (number, name) = (closed.number, closed.scope)
    if instances[number] != nil || name.isEmpty { return }
    guard let block = try? root.open().any, (try? block.close()) != nil else { return }
    let instance = Instance(
      number: number, scope: index(of: name), name: name,
      parent: instances[closed.parent]?.number ?? ScopeTree.rootNumber, key: .nil, hostKey: nil,
      block: block, isByHand: false, holder: nil, closedSince: closedBefore[number])
    insert(instance)
  }

  /// Discards all clean-ups, since their process has ended.
  func dropCleanUps() {
    for number in instances.keys {
      for cleanUp in instances[number]?.cleanUps ?? [] { cleanUp.engine = nil }
      instances[number]?.cleanUps = []
    }
  }

  private func forgetScopeInstances() {
    for number in instances.keys.sorted(by: >) where instances[number]?.parent != nil {
      let instance = instances.removeValue(forKey: number)
      size -= instance?.size ?? 0
      _ = try? instance?.block.close()
    }
    for scope in current.indices.dropFirst() { current[scope] = nil }
    (held, children, closedNumbers) = ([:], [:], Heap())
    version += 1
  }

  /// Takes over the open instances of an earlier version that are not open here.
  ///
  /// These are instances opened by hand, which stay open, and those that have lost their keys. Returns the latter,
  /// which must be closed.
  func takeRest(of other: ScopeTree, for engine: Engine) -> [Int] {
    earlier = []
    holders = other.holders
    var lost: [Int] = []
    for var instance in other.instances.values where instances[instance.number] == nil {
      instance.scope = index(of: instance.name)
      instance.reference = nil
      for cleanUp in instance.cleanUps { cleanUp.engine = engine }
      insert(instance)
      if !instance.block.isClosed, !instance.isByHand { lost.append(instance.number) }
    }
    for instance in instances.values {
      for cleanUp in instance.cleanUps { cleanUp.engine = engine }
    }
    return lost.sorted(by: >)
  }

  /// Adds a clean-up that runs when the instance closes.
  func add(_ cleanUp: CleanUpRunner, to number: Int) throws {
    if number == ScopeTree.rootNumber, isRootCleanedUp {
      throw ScopeRefusal("scope root is closing: the host was stopped")
    }
    try open(number).block.defer { cleanUp.run() }
    instances[number]?.cleanUps.append(cleanUp)
  }
}

extension ScopeTree.Instance {
  /// Takes over the clean-ups that were deferred in an earlier version's instance.
  fileprivate mutating func inherit(_ earlier: [CleanUpRunner]) {
    for cleanUp in earlier {
      let moved = cleanUp.moved()
      if (try? block.defer { moved.run() }) != nil { cleanUps.append(moved) }
    }
  }
}
