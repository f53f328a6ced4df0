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
    Prelude.Chunk(text: PackageResources.command_lua, code: PackageResources.command_luac),
    Prelude.Chunk(text: PackageResources.hooks_lua, code: PackageResources.hooks_luac),
    Prelude.Chunk(text: PackageResources.notify_lua, code: PackageResources.notify_luac),
    Prelude.Chunk(text: PackageResources.host_file_lua, code: PackageResources.host_file_luac))

  /// The greatest number of instructions that a function of the file may use.
  private static let budget = 10_000_000

  let script: ScriptFile
  /// The capabilities that the file declares, and its faults.
  let declared: Value
  private let texts: HostTexts

  /// Runs a host file.
  ///
  /// - Parameter isCalled: true if its functions are called, after each of which it goes back to its present state.
  /// - Throws: `FlowError` if it cannot be read or raises an error; `ScriptError` if a limit ended the loading.
  init(_ sources: FlowSources, limits: Limits, texts: HostTexts, isCalled: Bool = false) throws {
    self.texts = texts
    script = try ScriptFile(
      sources, limits: limits, log: ScriptLog { _ in }, checksDeclarations: true)
    let budget = limits.instructionsPerLoad
    try HostFileVM.provideTexts(texts, to: script)
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
    if !isCalled { return }
    _ = try script.vm.preludeFunction("call_function")
    // Garbage would be copied with everything else, after each call.
    script.vm.collectGarbage()
    _ = script.vm.keepImage()
  }

  private static func provideTexts(_ texts: HostTexts, to script: ScriptFile) throws(ScriptError) {
    try script.vm.provide("host_text") { HostFileVM.text($0, of: texts) }
  }

  /// Returns a text of the environment or of a file, and true if its name stands in its place; false and the reason if
  /// it is missing.
  private static func text(_ arguments: [Value], of texts: HostTexts) -> [Value] {
    let name = arguments.count > 1 ? arguments[1].stringValue ?? "" : ""
    do throws(HostTexts.Missing) {
      return [
        .string(
          try arguments.first == "file" ? texts.file(name) : texts.variable(name)),
        .boolean(texts.areNames),
      ]
    } catch {
      return [false, .string(error.description)]
    }
  }

  /// Calls a function of the file, and returns its first result.
  func call(_ function: HostFunction, _ arguments: [Value]) throws(ScriptError) -> [Value] {
    try script.vm.call(
      try script.vm.preludeFunction("call_function"), [.string(function.name)] + arguments,
      phase: .script, budget: HostFileVM.budget)
  }

  /// Goes back to the state before the calls, so that functions remember nothing.
  ///
  /// - Returns: false if it cannot be used again.
  func reset() -> Bool {
    guard script.vm.goBack() else { return false }
    do throws(ScriptError) {
      try script.provideFunctions()
      try HostFileVM.provideTexts(texts, to: script)
      return true
    } catch {
      return false
    }
  }
}
