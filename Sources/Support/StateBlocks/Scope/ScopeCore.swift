/// One opening of a scope, without its types: open, then closing, then closed.
///
/// A child holds its parent, a parent only knows its children; an instance that nobody holds any
/// more closes by itself.
final class ScopeCore: Sendable {
  enum Phase { case open, closing, closed }

  /// A child that lives as long as somebody else wants it.
  private struct Child {
    weak var core: ScopeCore?
  }

  let plan: ScopePlan
  let key: any Sendable
  let parent: ScopeCore?
  let report: @Sendable (ScopeError) -> Void

  /// Whoever closes has this turn, so that a second one waits until everything is cleaned up.
  private let closer: Turn
  private let lock = Lock()
  /// `nonisolated(unsafe)`, these five: read and written only under `lock`, or in `deinit`.
  nonisolated(unsafe) private var phase = Phase.open
  nonisolated(unsafe) private var reason: String?
  nonisolated(unsafe) private var children: [Int: Child] = [:]
  nonisolated(unsafe) private var born = 0
  nonisolated(unsafe) private var cleanUps: [@Sendable () throws -> Void] = []
  /// This instance's number among its siblings.
  ///
  /// Written once, before anybody else knows the instance.
  nonisolated(unsafe) private var number = 0

  var path: String { plan.path }

  private init(
    _ plan: ScopePlan, _ key: any Sendable, _ parent: ScopeCore?,
    _ report: @escaping @Sendable (ScopeError) -> Void
  ) {
    self.plan = plan
    self.key = key
    self.parent = parent
    self.report = report
    closer = Turn(name: "scope \(plan.path)", kind: .telling)
  }

  deinit {
    if phase == .open { cleanUpAtTheEnd() }
    parent?.forget(number)
  }

  /// Opens a scope, inside a parent that is open.
  static func open(
    _ plan: ScopePlan, with key: any Sendable, in parent: ScopeCore?,
    report: @escaping @Sendable (ScopeError) -> Void
  ) throws(ScopeError) -> ScopeCore {
    let core = ScopeCore(plan, key, parent, report)
    if let parent { try parent.adopt(core) }
    return core
  }

  /// Throws `.closed` once everything is revoked.
  func check(_ member: String) throws(ScopeError) {
    try check(member, until: .closed)
  }

  /// Has a closure run at the closing, before those that were deferred earlier.
  func addCleanUp(_ cleanUp: @escaping @Sendable () throws -> Void) throws(ScopeError) {
    try check("defer", until: .closing) { cleanUps.append(cleanUp) }
  }

  var isClosed: Bool { lock.withLock { phase == .closed } }

  /// Closes the children, the newest first, runs the clean-ups, the last first, and revokes
  /// everything.
  ///
  /// Returns false when the instance was closed before, or is just being closed further out.
  func close(because reason: String?) throws(ScopeError) -> Bool {
    guard let thread = try? closer.enter() else { return false }
    defer { closer.leave(thread) }
    let isFirst = lock.withLock {
      if phase != .open { return false }
      phase = .closing
      self.reason = reason
      return true
    }
    if !isFirst { return false }
    var errors: [any Error] = []
    for child in living() {
      do throws(ScopeError) {
        _ = try child.close(because: reason)
      } catch {
        if case .cleanUp(_, let more) = error { errors += more }
      }
    }
    runCleanUps(&errors)
    lock.withLock { phase = .closed }
    parent?.forget(number)
    if !errors.isEmpty { throw .cleanUp(scope: path, errors: errors) }
    return true
  }

  private func adopt(_ child: ScopeCore) throws(ScopeError) {
    try check(child.plan.name, until: .closing) {
      born += 1
      child.number = born
      children[born] = Child(core: child)
    }
  }

  private func forget(_ number: Int) {
    lock.withLock { children[number] = nil }
  }

  /// The children that are alive, the newest first.
  ///
  /// They are held while they are closed.
  private func living() -> [ScopeCore] {
    let found = lock.withLock { children.sorted { $0.key > $1.key }.map(\.value.core) }
    return found.compactMap { $0 }
  }

  /// Throws `.closed` when the phase has come to `end`, and otherwise does something under the
  /// lock.
  private func check(
    _ member: String, until end: Phase, _ change: () -> Void = {}
  ) throws(ScopeError) {
    let closed: String?? = lock.withLock {
      if phase == .closed || phase == end { return .some(reason) }
      change()
      return .none
    }
    if let closed { throw .closed(scope: path, member: member, reason: closed) }
  }

  private func runCleanUps(_ errors: inout [any Error]) {
    while let cleanUp = lock.withLock({ cleanUps.popLast() }) {
      do { try cleanUp() } catch { errors.append(error) }
    }
  }

  /// What remains to be done when nobody holds the instance: it has no living children then.
  private func cleanUpAtTheEnd() {
    var errors: [any Error] = []
    runCleanUps(&errors)
    if !errors.isEmpty { report(.cleanUp(scope: path, errors: errors)) }
  }
}
