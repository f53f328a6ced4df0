import LuaRuntime
import Moonlatch

/// The scenario language inside a VM.
enum ScenarioVM {
  /// Runs a scenario file without a flow, only to see what it declares.
  static func list(_ text: String, name: String, limits: Limits) throws -> Value {
    let vm = try LuaVM(memoryLimit: limits.memory)
    try FlowLanguage.install(in: vm, limits: limits)
    try ScriptLog { _ in }.attach(to: vm)
    try install(in: vm, limits: limits)
    return try run(text, name: name, in: vm, limits: limits)
  }

  /// Loads the scenario prelude behind the flow's.
  static func install(in vm: LuaVM, limits: Limits) throws(ScriptError) {
    let prelude = try vm.load(PackageResources.scenario_lua, name: "=[moonlatch]", trusted: true)
    try vm.call(prelude, phase: .script, budget: limits.instructionsPerLoad)
  }

  /// Runs the file, which declares its scenarios.
  static func run(_ text: String, name: String, in vm: LuaVM, limits: Limits)
    throws(ScriptError) -> Value
  {
    try vm.call(
      vm.preludeFunction("scenario_file"), [.string(text), .string(name)], phase: .script,
      budget: limits.instructionsPerLoad
    ).first ?? .nil
  }
}
