import LuaRuntime

/// A function of a script that runs as its scope closes.
///
/// `@unchecked Sendable`: a block's clean-ups must be Sendable, and only the engine closes its scopes
/// (ScopeTree is its own), on the thread that owns it, from inside `ScopeInstance.close`, which runs
/// clean-ups synchronously. When the engine goes, its scopes go with it and there is nobody left to
/// clean up for.
package final class CleanUpRunner: @unchecked Sendable {
  package weak var engine: Engine?
  /// The VM that has the function, which may be that of an earlier text.
  private let vm: LuaVM
  private let cleanUp: Int
  private let scope: String

  package init(engine: Engine?, vm: LuaVM, cleanUp: Int, scope: String) {
    (self.engine, self.vm, self.cleanUp, self.scope) = (engine, vm, cleanUp, scope)
  }

  package func run() { engine?.run(cleanUp, in: vm, of: scope) }

  /// The same in another block; this one runs no more.
  package func moved() -> CleanUpRunner {
    defer { engine = nil }
    return CleanUpRunner(engine: engine, vm: vm, cleanUp: cleanUp, scope: scope)
  }
}
