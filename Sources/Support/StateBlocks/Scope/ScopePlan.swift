/// What is declared of a scope, without its types: members by name, in the order of declaration.
final class ScopePlan: Sendable {
  /// A declared member.
  struct Member: Sendable {
    enum Use: Sendable {
      case factory(@Sendable (ScopeCore) throws -> Any)
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
  /// Whether a value is a key of the right type.
  let fits: @Sendable (Any) -> Bool
  /// The scope whose lock leads here; nil for a root.
  ///
  /// Weak, since the parent holds this one as its member; whoever has an instance of it holds it too.
  /// `nonisolated(unsafe)`: written at the beginning only.
  nonisolated(unsafe) private(set) weak var parent: ScopePlan?

  private let lock = Lock()
  /// `nonisolated(unsafe)`, these two: read and written only under `lock`.
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
  /// A second one of the same name is kept as a fault.
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

  /// Every member that was declared twice, here and below.
  var faults: [String] {
    lock.withLock { twice } + children.flatMap(\.faults)
  }

  /// The innermost scope behind a lock below that has a member of this name, which an error names.
  func plan(below name: String) -> ScopePlan? {
    for child in children {
      if child.member(name) != nil { return child }
      if let found = child.plan(below: name) { return found }
    }
    return nil
  }

  /// The scope and everything behind its locks, a line each.
  func outline(indent: String = "") -> String {
    members.map { member in
      let line = "\(member.description.description)\n"
      guard case .lock(let plan) = member.use else { return indent + line }
      return "\(indent)lock \(line)" + plan.outline(indent: indent + "  ")
    }.joined()
  }
}
