/// A reason why a scope refused an operation.
///
/// ```swift
/// do {
///   _ = try app.any.unlock("user")
/// } catch {
///   print(error)  // scope root/user is locked: its lock "user" needs a key of type User
/// }
/// ```
public enum ScopeError: Error, Sendable {
  /// The instance is closed.
  ///
  /// `member` is the member that was asked for, `reason` the reason given at the closing.
  case closed(scope: String, member: String, reason: String?)

  /// A lock was given no key, or a key of another type.
  ///
  /// `scope` is the scope behind the lock, `given` the type of the key that was given.
  case locked(scope: String, lock: String, needs: String, given: String?)

  /// Neither the scope nor its parents have a member of that name.
  ///
  /// `nearest` is the most similar name.
  case unknown(scope: String, member: String, nearest: String?)

  /// The member exists, but is private to `scope`, one of the parents.
  case privateMember(scope: String, member: String)

  /// The member exists, but the instance is narrowed to other members.
  case narrowed(scope: String, member: String, allowed: [String])

  /// The member is of another kind: factories are made, capabilities called, locks unlocked.
  case wrongKind(scope: String, member: String, kind: MemberKind)

  /// The factory's product belongs to the main actor.
  case isolated(scope: String, member: String)

  /// A capability was called from a script with an input of another type.
  case wrongInput(scope: String, member: String, needs: String, given: String)

  /// The member was declared in a scope that is neither this one nor one of its parents.
  case foreign(scope: String, member: String)

  /// A factory needs its own product.
  ///
  /// `chain` begins and ends with the factory.
  case circular(chain: [String])

  /// Several members have the same name; the first declaration of each is used.
  case declaredTwice(members: [String])

  /// The instance is closed and all clean-ups have run, but some of them threw these errors, in this order.
  case cleanUp(scope: String, errors: [any Error])
}

extension ScopeError: CustomStringConvertible {
  /// The error as a sentence.
  public var description: String {
    switch self {
    case .closed(let scope, let member, let reason):
      let since = reason.map { " (since \($0))" } ?? ""
      return "scope \(scope) is closed\(since): \(member) is no longer available"
    case .locked(let scope, let lock, let needs, let given):
      let instead = given.map { ", not \($0)" } ?? ""
      return "scope \(scope) is locked: its lock \"\(lock)\" needs a key of type \(needs)\(instead)"
    case .unknown(let scope, let member, let nearest):
      let hint = nearest.map { "; did you mean \"\($0)\"?" } ?? ""
      return "scope \(scope) has no member \"\(member)\"\(hint)"
    case .privateMember(let scope, let member):
      return "\"\(member)\" is private to scope \(scope)"
    case .narrowed(let scope, let member, let allowed):
      let names = allowed.isEmpty ? "nothing" : allowed.joined(separator: ", ")
      return "\"\(member)\" of scope \(scope) is not accessible: the lent access is narrowed to "
        + "\(names)"
    case .wrongKind(let scope, let member, let kind):
      return "\"\(member)\" of scope \(scope) is a \(kind.rawValue): \(kind.advice)"
    case .isolated(let scope, let member):
      return "\"\(member)\" of scope \(scope) belongs to the main actor: "
        + "make it there, by `make(onMainActor:)`"
    case .wrongInput(let scope, let member, let needs, let given):
      return "\"\(member)\" of scope \(scope) takes \(needs), not \(given)"
    case .foreign(let scope, let member):
      return "\"\(member)\" was not declared in scope \(scope) or one of its parents"
    case .circular(let chain):
      return "making \(chain.last ?? "it") requires itself: \(chain.joined(separator: " → "))"
    case .declaredTwice(let members):
      return "declared more than once: \(members.joined(separator: ", "))"
    case .cleanUp(let scope, let errors):
      let list = errors.map { "\($0)" }.joined(separator: "; ")
      return "scope \(scope) is closed, but cleaning up failed: \(list)"
    }
  }
}
