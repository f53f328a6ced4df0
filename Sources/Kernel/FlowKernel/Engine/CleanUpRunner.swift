import LuaRuntime

/// A function of a script that runs when its scope closes.
///
/// `@unchecked Sendable`: a block's clean-ups must be Sendable. Only the engine closes its scopes (it owns the
/// ScopeTree), on its own thread, inside `ScopeInstance.close`, which runs clean-ups synchronously. When the engine is
/// deallocated, so are its scopes, and nothing is left to clean up.
package final class CleanUpRunner: @unchecked Sendable {
  package weak var engine: Engine?
  /// The VM that has the function, which may be that of an earlier version.
  private let vm: LuaVM
  private let cleanUp: Int
  private let scope: String

  package init(engine: Engine?, vm: LuaVM, cleanUp: Int, scope: String) {
    (self.engine, self.vm, self.cleanUp, self.scope) = (engine, vm, cleanUp, scope)
  }

  package func run() { engine?.run(cleanUp, in: vm, of: scope) }

  /// Returns the clean-up for another block; this one no longer runs.
  package func moved() -> CleanUpRunner {
    defer { engine = nil }
    return CleanUpRunner(engine: engine, vm: vm, cleanUp: cleanUp, scope: scope)
  }
}
