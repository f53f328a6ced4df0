/// The declaration of a scope without its types: members by name, in the order of declaration.
final class ScopePlan: Sendable {
  /// A declared member.
  struct Member: Sendable {
    enum Use: Sendable {
      case factory(@Sendable (ScopeCore) throws -> Any)
      /// A factory whose product belongs to the main actor.
      case mainActorFactory(@MainActor @Sendable (ScopeCore) throws -> Any)
      case capability(@Sendable (ScopeCore, Any) throws -> Any)
      case lock(ScopePlan)
    }

    let description: MemberDescription
    let use: Use
    var name: String { description.name }
  }

  let name: String
  let path: String
  let keyType: String
  /// Returns true if a value is a key of the right type.
  let fits: @Sendable (Any) -> Bool
  /// The scope that has the lock of this one; nil for a root.
  ///
  /// Weak, because the parent holds this scope as its member; an instance holds the whole chain. `nonisolated(unsafe)`:
  /// written only in `init`.
  nonisolated(unsafe) private(set) weak var parent: ScopePlan?

  private let lock = Lock()
  /// `nonisolated(unsafe)`, these three: read and written only under `lock`.
  nonisolated(unsafe) private var byName: [String: Member] = [:]
  nonisolated(unsafe) private var twice: [String] = []
  nonisolated(unsafe) private var order: [String] = []

  init(
    name: String, keyType: String, parent: ScopePlan?, fits: @escaping @Sendable (Any) -> Bool
  ) {
    self.name = name
    self.path = parent.map { "\($0.path)/\(name)" } ?? name
    self.keyType = keyType
    self.parent = parent
    self.fits = fits
  }

  /// Declares a member.
  ///
  /// A second member of the same name is recorded as a fault.
  func declare(
    _ name: String, _ kind: MemberKind, input: String? = nil, output: String? = nil,
    isPrivate: Bool, _ use: Member.Use
  ) {
    let description = MemberDescription(
      name: name, kind: kind, scope: path, input: input, output: output, isPrivate: isPrivate)
    lock.withLock {
      if byName[name] != nil {
        twice.append("\(path).\(name)")
      } else {
        byName[name] = Member(description: description, use: use)
        order.append(name)
      }
    }
  }

  func member(_ name: String) -> Member? { lock.withLock { byName[name] } }

  /// All members, in the order of declaration.
  var members: [Member] { lock.withLock { order.compactMap { byName[$0] } } }

  /// The scopes behind this one's locks.
  var children: [ScopePlan] {
    members.compactMap { member in
      if case .lock(let plan) = member.use { return plan }
      return nil
    }
  }

  /// The paths of all members that were declared twice, here and in the scopes below.
  var faults: [String] {
    lock.withLock { twice } + children.flatMap(\.faults)
  }

  /// Returns the first scope behind the locks below, depth first, that has a member of this name.
  func plan(below name: String) -> ScopePlan? {
    for child in children {
      if child.member(name) != nil { return child }
      if let found = child.plan(below: name) { return found }
    }
    return nil
  }

  /// Returns the members and everything behind the scope's locks, one per line.
  func outline(indent: String = "") -> String {
    members.map { member in
      let line = "\(member.description.description)\n"
      guard case .lock(let plan) = member.use else { return indent + line }
      return "\(indent)lock \(line)" + plan.outline(indent: indent + "  ")
    }.joined()
  }
}
