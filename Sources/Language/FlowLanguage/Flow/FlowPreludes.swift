import LuaRuntime

/// The flow language: the parts of the prelude, and their installation in VMs.
package enum FlowPreludes {
  /// The prelude that checks declarations while a flow is loaded.
  private static let checks = Prelude(
    .data, .types, .flow, .policies, .transitions, .machines, .scopes, .effects)
  /// The parts that most hosts never need, each loaded at its first use.
  private static let parts = [
    Part(
      functions: [
        "matches", "merge_state", "apply_changes", "merge_changes", "new_environment",
        "remembering",
      ]
    ) { tools },
    Part(functions: ["read_at", "set_at", "append_at", "insert_at", "remove_at"]) { places },
    Part(
      functions: [
        "watch_locals", "changed_locals", "lost_locals", "keep_locals", "restore_locals",
      ]
    ) { locals },
    Part(functions: ["inspect", "inspect_limit", "inspecting_print"]) { inspecting },
  ]
  private static let documents = Prelude(
    .ecmascript, .ecmascriptMethods, .ecmascriptFunctions, .documents)
  private static let tools = Prelude(.tools)
  private static let places = Prelude(.places)
  private static let locals = Prelude(.locals)
  private static let inspecting = Prelude(.inspect)

  private struct Part: Sendable {
    let functions: [String]
    let prelude: @Sendable () -> Prelude
  }

  /// Prepares a new VM as `install` does, and also has each declaration checked before it is made.
  package static func installChecks(in vm: LuaVM, limits: Limits) throws(ScriptError) {
    try install(in: vm)
    try checks.run(in: vm, phase: .loading, budget: limits.instructionsPerLoad)
  }

  /// Prepares a new VM for running a checked flow, or a scenario file that only declares.
  package static func install(in vm: LuaVM) throws(ScriptError) {
    try vm.openFlowLibrary()
    try vm.openDeclarators()
  }

  /// Adds the prelude for the functions of SCXML documents.
  static func installDocuments(in vm: LuaVM, limits: Limits) throws(ScriptError) {
    try documents.run(in: vm, phase: .loading, budget: limits.instructionsPerLoad)
  }

  /// Prepares a new VM for running a script that belongs to no flow.
  static func installLibrary(in vm: LuaVM) throws(ScriptError) { try vm.openFlowLibrary() }

  /// Loads all parts that are not loaded yet.
  package static func installAll(in vm: LuaVM) throws(ScriptError) {
    for part in parts { _ = try function(part.functions[0], in: vm) }
  }

  /// Returns a function of the prelude, and loads its part if necessary.
  package static func function(_ name: String, in vm: LuaVM) throws(ScriptError) -> LuaReference {
    if let part = parts.first(where: { $0.functions.contains(name) }), !vm.hasPrelude(name) {
      // This is work of the prelude, on a budget of its own: the budget of a script must not depend on it.
      let budget = Limits().instructionsPerLoad
      vm.beginWorkApart(.loading, budget: budget)
      defer { vm.endWork() }
      try part.prelude().run(in: vm, phase: .loading, budget: budget)
    }
    return try vm.preludeFunction(name)
  }
}

extension Prelude.Chunk {
  fileprivate static let data = Prelude.Chunk(
    text: PackageResources.data_lua, code: PackageResources.data_luac)
  fileprivate static let types = Prelude.Chunk(
    text: PackageResources.types_lua, code: PackageResources.types_luac)
  fileprivate static let flow = Prelude.Chunk(
    text: PackageResources.flow_lua, code: PackageResources.flow_luac)
  fileprivate static let policies = Prelude.Chunk(
    text: PackageResources.policies_lua, code: PackageResources.policies_luac)
  fileprivate static let transitions = Prelude.Chunk(
    text: PackageResources.transitions_lua, code: PackageResources.transitions_luac)
  fileprivate static let machines = Prelude.Chunk(
    text: PackageResources.machines_lua, code: PackageResources.machines_luac)
  fileprivate static let scopes = Prelude.Chunk(
    text: PackageResources.scopes_lua, code: PackageResources.scopes_luac)
  fileprivate static let effects = Prelude.Chunk(
    text: PackageResources.effects_lua, code: PackageResources.effects_luac)
  fileprivate static let documents = Prelude.Chunk(
    text: PackageResources.documents_lua, code: PackageResources.documents_luac)
  fileprivate static let ecmascript = Prelude.Chunk(
    text: PackageResources.ecmascript_lua, code: PackageResources.ecmascript_luac)
  fileprivate static let ecmascriptMethods = Prelude.Chunk(
    text: PackageResources.ecmascript_methods_lua, code: PackageResources.ecmascript_methods_luac)
  fileprivate static let ecmascriptFunctions = Prelude.Chunk(
    text: PackageResources.ecmascript_functions_lua,
    code: PackageResources.ecmascript_functions_luac)
  fileprivate static let tools = Prelude.Chunk(
    text: PackageResources.tools_lua, code: PackageResources.tools_luac)
  fileprivate static let locals = Prelude.Chunk(
    text: PackageResources.locals_lua, code: PackageResources.locals_luac)
  fileprivate static let inspect = Prelude.Chunk(
    text: PackageResources.inspect_lua, code: PackageResources.inspect_luac)
  fileprivate static let places = Prelude.Chunk(
    text: PackageResources.places_lua, code: PackageResources.places_luac)
}
