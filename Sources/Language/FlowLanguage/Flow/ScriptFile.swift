import LuaRuntime
import Platform

/// A Lua file that is not a flow, compiled in its own VM.
///
/// It has the library, the sandbox and the limits of a flow, and may require modules from its own folder. It has no
/// state, no clock and no random numbers.
package final class ScriptFile {
  /// The VM, which holds only this file.
  package let vm: LuaVM
  /// The compiled file, which has not run yet.
  package let chunk: LuaReference
  /// The name of the file in messages.
  package let name: String

  /// Reads and compiles a file.
  ///
  /// - Parameter checksDeclarations: true if it has the types of the flow language, whose uses are checked.
  /// - Throws: `FlowError` if the file cannot be read or is not Lua.
  package init(
    _ file: URL, limits: Limits, log: ScriptLog, checksDeclarations: Bool = false
  ) throws {
    let sources = FlowSources(file: file)
    vm = try LuaVM(limits: limits)
    do {
      let entry = try CompiledSource(sources.entry(), limits: limits)
      name = entry.source.name
      if entry.source.showsLines { vm.texts[name] = entry.source.text }
      chunk = try vm.load(entry.code)
    } catch let error as TextFile.Unreadable {
      throw FlowError([Diagnostic(file: error.name, line: 0, message: error.reason)])
    } catch let error as ScriptError where error.kind == .syntax {
      throw FlowError([Diagnostic(error, in: file.lastPathComponent)])
    }
    let modules = ModuleReader(sources: sources, limits: limits)
    try log.attach(to: vm)
    try vm.provide("load_module") { [unowned vm] in
      try modules.answer($0.first?.stringValue ?? "", in: vm)
    }
    if checksDeclarations {
      try FlowPreludes.installChecks(in: vm, limits: limits)
    } else {
      try FlowPreludes.installLibrary(in: vm)
    }
  }
}
