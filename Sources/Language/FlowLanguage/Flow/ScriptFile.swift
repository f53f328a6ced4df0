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
  private let source: FlowSources.Source
  private let modules: ModuleReader
  private let log: ScriptLog

  /// Reads and compiles a file.
  ///
  /// - Parameter checksDeclarations: true if it has the types of the flow language, whose uses are checked.
  /// - Throws: `FlowError` if the file cannot be read or is not Lua.
  package convenience init(
    _ file: URL, limits: Limits, log: ScriptLog, checksDeclarations: Bool = false
  ) throws {
    try self.init(
      FlowSources(file: file), limits: limits, log: log, checksDeclarations: checksDeclarations)
  }

  /// Compiles the text of a file.
  ///
  /// - Parameters:
  ///   - sources: the text, and those of its modules.
  ///   - checksDeclarations: true if it has the types of the flow language, whose uses are checked.
  /// - Throws: `FlowError` if the text cannot be read or is not Lua.
  package init(
    _ sources: FlowSources, limits: Limits, log: ScriptLog, checksDeclarations: Bool = false
  ) throws {
    self.log = log
    modules = ModuleReader(sources: sources, limits: limits)
    vm = try LuaVM(limits: limits)
    do {
      let entry = try CompiledSource(sources.entry(), limits: limits)
      (source, name) = (entry.source, entry.source.name)
      if entry.source.showsLines { vm.texts[name] = entry.source.text }
      chunk = try vm.load(entry.code)
    } catch let error as TextFile.Unreadable {
      throw FlowError([Diagnostic(file: error.name, line: 0, message: error.reason)])
    } catch let error as ScriptError where error.kind == .syntax {
      throw FlowError([Diagnostic(error, in: sources.name)])
    }
    try provideFunctions()
    if checksDeclarations {
      try FlowPreludes.installChecks(in: vm, limits: limits)
    } else {
      try FlowPreludes.installLibrary(in: vm)
    }
  }

  /// The texts of the file and of the modules that it has required so far, beginning with its own.
  package var texts: [FlowSources.Source] { [source] + modules.read.files }

  /// The same texts, to be compiled again elsewhere.
  package var sources: FlowSources {
    FlowSources(texts: texts.map { (name: $0.name, text: $0.text) })
  }

  /// Provides the functions of the host, which are gone once the VM is restored to an image.
  package func provideFunctions() throws(ScriptError) {
    try log.attach(to: vm)
    try vm.provide("load_module") { [unowned vm, modules] in
      try modules.answer($0.first?.stringValue ?? "", in: vm)
    }
  }
}
