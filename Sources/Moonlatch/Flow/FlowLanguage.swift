import LuaRuntime

/// The flow language's prelude.
package enum FlowLanguage {
  /// Runs the prelude in a new VM: from then on `state`, `action` and the others are there.
  package static func install(in vm: LuaVM, limits: Limits) throws(ScriptError) {
    for text in [
      PackageResources.flow_lua, PackageResources.machines_lua, PackageResources.scopes_lua,
      PackageResources.effects_lua, PackageResources.locals_lua,
    ] {
      let chunk = try vm.load(text, name: "=[moonlatch]", trusted: true)
      try vm.call(chunk, phase: .loading, budget: limits.instructionsPerLoad)
    }
  }
}
