import LuaRuntime

/// The flow language's prelude.
package enum FlowLanguage {
  private static let prelude = Prelude([
    PackageResources.flow_lua, PackageResources.machines_lua, PackageResources.scopes_lua,
    PackageResources.effects_lua,
  ])

  /// Runs the prelude in a new VM: from then on `state`, `action` and the others are there.
  package static func install(in vm: LuaVM, limits: Limits) throws(ScriptError) {
    try prelude.run(in: vm, phase: .loading, budget: limits.instructionsPerLoad)
  }
}
