import LuaRuntime

/// The flow language's prelude.
package enum FlowLanguage {
  /// Runs the prelude in a new VM: from then on `state`, `action` and the others are there.
  package static func install(in vm: LuaVM, limits: Limits) throws(ScriptError) {
    let prelude = try vm.load(PackageResources.flow_lua, name: "=[moonlatch]", trusted: true)
    try vm.call(prelude, phase: .loading, budget: limits.instructionsPerLoad)
  }
}
