import FlowLanguage
import LuaRuntime

/// A VM that has run a host file.
///
/// `@unchecked`: one thread at a time uses it, which is for its owner to ensure.
final class HostFileVM: @unchecked Sendable {
  private static let prelude = Prelude(
    Prelude.Chunk(
      text: PackageResources.capability_options_lua,
      code: PackageResources.capability_options_luac),
    Prelude.Chunk(text: PackageResources.http_lua, code: PackageResources.http_luac),
    Prelude.Chunk(text: PackageResources.host_file_lua, code: PackageResources.host_file_luac))

  /// The greatest number of instructions that a function of the file may use.
  private static let budget = 10_000_000

  let script: ScriptFile
  /// The capabilities that the file declares, and its faults.
  let declared: Value

  /// Runs a host file.
  ///
  /// - Throws: `FlowError` if it cannot be read or raises an error; `ScriptError` if a limit ended the loading.
  init(_ sources: FlowSources, limits: Limits, texts: HostTexts) throws {
    script = try ScriptFile(
      sources, limits: limits, log: ScriptLog { _ in }, checksDeclarations: true)
    let budget = limits.instructionsPerLoad
    try script.vm.provide("host_text") { HostFileVM.text($0, of: texts) }
    try HostFileVM.prelude.run(in: script.vm, phase: .loading, budget: budget)
    let function = try script.vm.preludeFunction("host_file")
    do throws(ScriptError) {
      declared =
        try script.vm.call(
          function, [.integer(Int(script.chunk.number))], phase: .loading, budget: budget
        ).first ?? .nil
    } catch {
      throw FlowError([Diagnostic(error, in: script.name)])
    }
  }

  /// Returns a text of the environment or of a file; false and the reason if it is missing.
  private static func text(_ arguments: [Value], of texts: HostTexts) -> [Value] {
    let name = arguments.count > 1 ? arguments[1].stringValue ?? "" : ""
    do throws(HostTexts.Missing) {
      return [
        .string(
          try arguments.first == "file" ? texts.file(name) : texts.variable(name))
      ]
    } catch {
      return [false, .string(error.description)]
    }
  }

  /// Runs a function among the options of a capability.
  ///
  /// - Parameters:
  ///   - capability: the name with its scope, such as `root.charge`.
  ///   - option: the name of the option.
  func run(
    _ option: String, of capability: String, _ arguments: [Value]
  ) throws(ScriptError) -> Value {
    let function = try script.vm.preludeFunction("run_function")
    return try script.vm.call(
      function, [.string(capability), .string(option)] + arguments, phase: .script,
      budget: HostFileVM.budget
    ).first ?? .nil
  }
}
