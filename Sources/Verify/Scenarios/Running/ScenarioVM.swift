import FlowLanguage
import LuaRuntime

/// The scenario language inside a VM.
package enum ScenarioVM {
  /// The message of the error that `scenario.lua` raises to end a scenario.
  static let failedExpectation = "an expectation failed"

  /// The first part of the prelude of every language whose files declare something.
  package static let declaring = Prelude.Chunk(
    text: PackageResources.declaring_lua, code: PackageResources.declaring_luac)
  /// The last part of such a prelude: `require`.
  package static let modules = Prelude.Chunk(
    text: PackageResources.modules_lua, code: PackageResources.modules_luac)

  private static let prelude = Prelude(
    declaring,
    Prelude.Chunk(text: PackageResources.scenario_lua, code: PackageResources.scenario_luac),
    Prelude.Chunk(
      text: PackageResources.time_and_stubs_lua,
      code: PackageResources.time_and_stubs_luac),
    Prelude.Chunk(text: PackageResources.matchers_lua, code: PackageResources.matchers_luac),
    modules)

  /// Runs a scenario file without a flow, only to learn what it declares.
  ///
  /// - Throws: `FlowError` with the faults that were found before the file raised an error; `ScriptError` if that error
  ///   is all there is to report.
  static func list(
    _ text: String, name: String, modules: ScenarioModules, limits: Limits
  ) throws -> Value {
    let vm = try LuaVM(memoryLimit: limits.memory)
    try FlowPreludes.install(in: vm)
    try ScriptLog { _ in }.attach(to: vm)
    try install(in: vm, limits: limits)
    try modules.provide(to: vm)
    return try declaring(in: vm, name: name, limits: limits) {
      () throws(ScriptError) in try run(text, name: name, in: vm, limits: limits)
    }
  }

  /// Runs a file that declares something.
  ///
  /// - Throws: `FlowError` with the faults that were found before the file raised an error; `ScriptError` if that error
  ///   is all there is to report.
  package static func declaring(
    in vm: LuaVM, name: String, limits: Limits,
    _ run: () throws(ScriptError) -> Value
  ) throws -> Value {
    do {
      return try run()
    } catch {
      let faults = try? vm.call(
        vm.preludeFunction("declared_faults"), phase: .script, budget: limits.instructionsPerLoad)
      let found = (faults?.first?.listValue ?? []).map { Diagnostic($0, in: name) }
      guard !found.isEmpty else { throw error }
      let last = Diagnostic(
        file: error.chunk ?? name, line: error.line ?? 0, message: error.message)
      throw FlowError(found + [last])
    }
  }

  /// Loads the prelude of scenarios on top of the flow's.
  static func install(in vm: LuaVM, limits: Limits) throws(ScriptError) {
    // The language needs these two to make its environment; the other parts are loaded when they are needed.
    _ = try FlowPreludes.function("inspect", in: vm)
    _ = try FlowPreludes.function("new_environment", in: vm)
    try prelude.run(in: vm, phase: .script, budget: limits.instructionsPerLoad)
  }

  /// Runs the file, which declares its scenarios.
  ///
  /// - Parameter isKnown: true if the file has run before without a fault; then its declarations are not returned
  ///   again, so that a scenario takes as little time and memory as it can.
  static func run(
    _ text: String, name: String, isKnown: Bool = false, in vm: LuaVM, limits: Limits
  ) throws(ScriptError) -> Value {
    vm.texts[name] = text
    return try vm.call(
      vm.preludeFunction("scenario_file"), [.string(text), .string(name), .boolean(isKnown)],
      phase: .script, budget: limits.instructionsPerLoad
    ).first ?? .nil
  }
}
