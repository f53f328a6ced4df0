import FlowLanguage
import HeapModule
import LuaRuntime
import StateBlocks

/// The open instances of a flow's scopes, built on StateBlocks' `Scope`: what is open follows from the state, what was
/// unlocked by hand lasts until it is closed.
package final class ScopeTree {
  /// An opening of a scope.
  package struct Instance {
    fileprivate(set) var number: Int
    /// Which declaration; none where another text of the flow has no such scope.
    fileprivate(set) var scope: Int?
    package let name: String
    package let parent: Int?
    package let key: Value
    /// What the host opened it with, if it did; no script sees it.
    package let hostKey: HostKey?
    package let block: ScopeInstance
    /// Unlocked by a script; lets no action pass.
    package let isByHand: Bool
    /// The effect that unlocked it by hand; it closes with that at the latest.
    package let holder: Int?
    /// What was deferred in it, in order.
    var cleanUps: [CleanUpRunner] = []
    /// Since when it is closed: `log_out, #12`.
    var closedSince: String?
    package var reference: LuaReference?

    /// The bytes that it takes, about.
    package var size: Int { 500 + key.size }
  }

  /// An opening that may stand here again.
  private struct Earlier {
    let number: Int
    let name: String
    /// What it was; nil where the state's key is all that is known, which then opens it again.
    let instance: Instance?

    func isSame(_ name: String, _ parent: Int?, _ key: Value, _ hostKey: HostKey?) -> Bool {
      guard self.name == name else { return false }
      guard let instance else { return hostKey == nil }
      return instance.parent == parent && instance.key == key && instance.hostKey === hostKey
    }
  }

  private let scopes: [ScopeDeclaration]
  private let indices: [String: Int]
  /// The openings of an earlier text of the flow, or of an earlier process: what opens with the same key in the
  /// same parent is the same opening.
  private var earlier: [Earlier] = []
  private let root: Scope<Void, NoParent>
  private(set) var instances: [Int: Instance] = [:]
  /// The numbers of those that have not closed, by their parents: what is closed is kept, and to close
  /// something looks at none of it.
  private var children: [Int: Set<Int>] = [:]
  /// The numbers of those that have closed.
  private var closedNumbers = Heap<Int>()
  /// The bytes that they take, about.
  @exclusivity(unchecked) package private(set) var size = 0
  /// For each scope the instance that the state holds open; of those that the host holds, the newest.
  package private(set) var current: [Int?]
  /// The openings that the host holds, by their keys.
  package private(set) var held: [ObjectIdentifier: Int] = [:]
  /// Since when openings of an earlier process are closed.
  private var closedBefore: [Int: String] = [:]
  /// The open instances that effects have unlocked by hand, by the effects' numbers.
  private var holders: [Int: Set<Int>] = [:]
  /// Counts what opened and closed.
  package private(set) var version = 0
  /// Whether nothing opens any more but what an effect unlocks for itself.
  package var isEnding = false
  private var isRootCleanedUp = false

  /// The number of the root's instance.
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

  /// Declares the children of a scope as its locks, and theirs; a key is a plain value, or the host's own.
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
      instance.take(before.instance?.cleanUps ?? [])
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

  /// Ends the effect of that number.
  ///
  /// Gives what it has unlocked by hand and not closed, the newest first.
  func endHolder(_ number: Int) -> [Int] {
    holders.isEmpty ? [] : (holders.removeValue(forKey: number) ?? []).sorted(by: >)
  }

  // MARK: Looking

  package subscript(number: Int) -> Instance? { instances[number] }

  /// Since when an opening is closed, as far as that is known.
  func closedSince(_ number: Int) -> String? {
    instances[number]?.closedSince ?? closedBefore[number]
  }

  package func name(of number: Int) -> String { instances[number]?.name ?? "?" }

  /// The scope of which this is the opening that its key holds; nil for root and for what was unlocked by hand.
  func keyedScope(of number: Int) -> String? {
    guard let instance = instances[number], let scope = instance.scope, scope != 0,
      current[scope] == number
    else { return nil }
    return scopes[scope].name
  }

  /// What is open by its key or by the host, root included.
  package var scopeInstances: [CaseState.ScopeInstance] {
    scopes.indices.flatMap(scopeInstances(of:))
      .map { CaseState.ScopeInstance(scope: $0.name, number: $0.number) }
  }

  package func index(of name: String) -> Int? { indices[name] }

  package func isOpen(_ scope: Int) -> Bool { current[scope] != nil }

  /// The openings that the state, or the host, holds of a scope, oldest first.
  package func scopeInstances(of scope: Int) -> [Instance] {
    guard scopes[scope].isHosts else {
      return current[scope].flatMap { instances[$0] }.map { [$0] } ?? []
    }
    return children.values.joined().compactMap { instances[$0] }
      .filter { $0.scope == scope && !$0.block.isClosed }.sorted { $0.number < $1.number }
  }

  /// Whether the state, or the host, holds this very opening.
  package func isHeld(_ number: Int) -> Bool {
    guard let instance = instances[number], !instance.block.isClosed else { return false }
    return instance.hostKey != nil || instance.scope.flatMap { current[$0] } == number
  }

  /// The opening that a chain of causes is given of a scope: the one in which it was at work, as long as
  /// that is held, or else the newest.
  func scopeInstance(of scope: Int, for cause: Cause?) -> Int? {
    if let number = cause?.scopeInstances[scopes[scope].name], isHeld(number) { return number }
    return current[scope]
  }

  /// The instance, or the error that says since when it is closed.
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

  /// The innermost scope of this one and its parents whose key is wanting, by name.
  package func wanting(_ scope: Int) -> String {
    var names: [String] = []
    var at: Int? = scope
    while let index = at, current[index] == nil {
      names.append(scopes[index].name)
      at = scopes[index].parent.flatMap(self.index(of:))
    }
    return names.last ?? scopes[scope].name
  }

  /// The instance and those inside it that are open, in the order in which they close: children
  /// before their parents, the newest first.
  package func tree(_ number: Int) -> [Int] {
    let open = (children[number] ?? []).filter { instances[$0]?.block.isClosed == false }
    return open.sorted(by: >).flatMap(tree) + [number]
  }

  /// The openings of a chain of causes after a transition that was at work in an instance: its own
  /// and its parents', and those that it made.
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
  /// Throws when that is closed or the child is not its own.
  ///
  /// - Parameter last: the latest number of an opening, which goes on unless the opening stood before.
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
  /// Gives the numbers of all that closed.
  package func close(_ number: Int, since: String?) -> [Int] {
    guard let instance = instances[number], !instance.block.isClosed else { return [] }
    version += 1
    // One by one: what an earlier text of the flow has opened inside is no child of this block.
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

  /// Takes an instance that has closed, and what has closed inside it, out of those that have not.
  ///
  /// A clean-up may have opened what then closed with its parent.
  private func takeClosed(_ number: Int) -> [Int] {
    guard let instance = instances[number], instance.block.isClosed else { return [] }
    if let parent = instance.parent {
      // Another close, by a clean-up, has been here.
      guard children[parent]?.remove(number) != nil else { return [] }
      if children[parent]?.isEmpty == true { children[parent] = nil }
    }
    if let holder = instance.holder { holders[holder]?.remove(number) }
    closedNumbers.insert(number)
    return (children[number] ?? []).flatMap(takeClosed) + [number]
  }

  /// Drops what is known of a closed instance, once nothing refers to it.
  package func keep(_ reference: LuaReference, for number: Int) {
    instances[number]?.reference = reference
  }

  /// Forgets instances that have closed, all but the latest, so that a long run does not grow: a script that
  /// still holds one is told that it is closed.
  func forgetOld(keeping limit: Int) -> [Instance] {
    var old: [Instance] = []
    while closedNumbers.count > limit, let number = closedNumbers.popMin() {
      guard let instance = instances.removeValue(forKey: number) else { continue }
      size -= instance.size
      old.append(instance)
    }
    return old
  }

  /// Runs root's clean-ups, the last one first, and leaves it open: what they dispatch has its capabilities
  /// still, since there is nothing around it that could see to it.
  func cleanRootUp() {
    let cleanUps = instances[ScopeTree.rootNumber]?.cleanUps ?? []
    instances[ScopeTree.rootNumber]?.cleanUps = []
    isRootCleanedUp = true
    for cleanUp in cleanUps.reversed() { cleanUp.moved().run() }
  }
}

// MARK: Another text of the flow

extension ScopeTree {
  /// Goes on where the tree of an earlier text stands: what opens again as it was open there is the same
  /// opening, with its number and its clean-ups.
  ///
  /// What has been opened here so far never was.
  package func goOn(from other: ScopeTree) {
    forgetScopeInstances()
    closedBefore = other.closedBefore
    let open = other.instances.values.filter { !$0.block.isClosed && !$0.isByHand }
      .sorted { $0.number < $1.number }
    if let root = open.first { instances[root.number]?.take(root.cleanUps) }
    earlier = open.dropFirst().map { Earlier(number: $0.number, name: $0.name, instance: $0) }
  }

  /// Goes on where the tree of an earlier process stood: what its state's keys open again are the same openings.
  package func goOn(from scopeInstances: [CaseState.ScopeInstance], closed: [Int: String]) {
    forgetScopeInstances()
    closedBefore = closed
    earlier = scopeInstances.filter { $0.number != ScopeTree.rootNumber }
      .map { Earlier(number: $0.number, name: $0.scope, instance: nil) }
  }

  /// An effect of an earlier process has this one, which is closed.
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

  /// What was deferred runs no more: its process has ended.
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

  /// Takes over what is open in the tree of an earlier text and does not stand here: what was opened
  /// by hand, which goes on, and what has lost its key.
  ///
  /// Gives the latter: it is to be closed.
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

  /// Has a function run when the instance closes.
  func add(_ cleanUp: CleanUpRunner, to number: Int) throws {
    if number == ScopeTree.rootNumber, isRootCleanedUp {
      throw ScopeRefusal("scope root is closing: the host was stopped")
    }
    try open(number).block.defer { cleanUp.run() }
    instances[number]?.cleanUps.append(cleanUp)
  }
}

extension ScopeTree.Instance {
  /// Runs clean-ups that were deferred in this opening before.
  fileprivate mutating func take(_ earlier: [CleanUpRunner]) {
    for cleanUp in earlier {
      let moved = cleanUp.moved()
      if (try? block.defer { moved.run() }) != nil { cleanUps.append(moved) }
    }
  }
}
