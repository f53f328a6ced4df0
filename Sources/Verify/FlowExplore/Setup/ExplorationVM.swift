import FlowLanguage
import LuaRuntime
import Scenarios

/// The exploration language in a VM.
enum ExplorationVM {
  private static let prelude = Prelude(
    ScenarioVM.declaring,
    Prelude.Chunk(text: PackageResources.explore_lua, code: PackageResources.explore_luac),
    ScenarioVM.modules)

  /// Runs a file without a flow, only to collect its declarations.
  ///
  /// - Throws: `FlowError` with the faults that were found before the file raised an error; `ScriptError` if there are
  ///   none.
  static func list(
    _ text: String, name: String, modules: ScenarioModules, limits: Limits
  ) throws -> Value {
    let vm = try LuaVM(memoryLimit: limits.memory)
    try FlowPreludes.install(in: vm)
    try ScriptLog { _ in }.attach(to: vm)
    try install(in: vm, modules, limits: limits)
    return try ScenarioVM.declaring(in: vm, name: name, limits: limits) {
      () throws(ScriptError) in try run(text, name: name, in: vm, limits: limits)
    }
  }

  /// Loads the language after that of flows, and provides the modules that the file may require.
  static func install(
    in vm: LuaVM, _ modules: ScenarioModules, limits: Limits
  ) throws(ScriptError) {
    _ = try FlowPreludes.function("inspect", in: vm)
    _ = try FlowPreludes.function("new_environment", in: vm)
    try prelude.run(in: vm, phase: .script, budget: limits.instructionsPerLoad)
    try modules.provide(to: vm)
  }

  /// Runs a file, which declares its explorations.
  @discardableResult
  static func run(
    _ text: String, name: String, in vm: LuaVM, limits: Limits
  ) throws(ScriptError) -> Value {
    vm.texts[name] = text
    return try vm.call(
      vm.preludeFunction("explore_file"), [.string(text), .string(name)], phase: .script,
      budget: limits.instructionsPerLoad
    ).first ?? .nil
  }
}
