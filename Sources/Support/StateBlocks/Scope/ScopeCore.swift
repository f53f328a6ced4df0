/// An instance of a scope without its types; it is open, then closing, then closed.
///
/// A child holds its parent, and a parent refers to its children only weakly. An instance to which nothing refers any
/// more closes by itself.
final class ScopeCore: Sendable {
  enum Phase { case open, closing, closed }

  /// A weak reference to a child.
  private struct Child {
    weak var core: ScopeCore?
  }

  let plan: ScopePlan
  let key: any Sendable
  let parent: ScopeCore?
  let report: @Sendable (ScopeError) -> Void

  /// The turn of the thread that closes the instance; a second thread waits until all clean-ups have run.
  private let closer: Turn
  private let lock = Lock()
  /// `nonisolated(unsafe)`, these five: read and written only under `lock`, or in `deinit`.
  nonisolated(unsafe) private var phase = Phase.open
  nonisolated(unsafe) private var reason: String?
  nonisolated(unsafe) private var children: [Int: Child] = [:]
  nonisolated(unsafe) private var born = 0
  nonisolated(unsafe) private var cleanUps: [@Sendable () throws -> Void] = []
  /// The number of this instance among its siblings.
  ///
  /// Written once, before the instance is shared.
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

  /// Throws `ScopeError.closed` if the instance is closed.
  func check(_ member: String) throws(ScopeError) {
    try check(member, until: .closed)
  }

  /// Registers a closure that runs at the closing, before the closures registered earlier.
  func addCleanUp(_ cleanUp: @escaping @Sendable () throws -> Void) throws(ScopeError) {
    try check("defer", until: .closing) { cleanUps.append(cleanUp) }
  }

  var isClosed: Bool { lock.withLock { phase == .closed } }

  /// Closes the children, newest first, runs the clean-ups, last first, and revokes all members.
  ///
  /// Returns false if the instance was closed before, or if this thread is already closing it further up its stack.
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

  /// The living children, newest first.
  ///
  /// The array keeps them alive while they are closed.
  private func living() -> [ScopeCore] {
    let found = lock.withLock { children.sorted { $0.key > $1.key }.map(\.value.core) }
    return found.compactMap { $0 }
  }

  /// Throws `ScopeError.closed` if the phase is `end` or closed, and otherwise runs `change` under the lock.
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

  /// Runs the clean-ups when nothing refers to the instance any more; it has no living children then.
  private func cleanUpAtTheEnd() {
    var errors: [any Error] = []
    runCleanUps(&errors)
    if !errors.isEmpty { report(.cleanUp(scope: path, errors: errors)) }
  }
}
