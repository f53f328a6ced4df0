import LuaRuntime
import Platform

/// A flow that was read, checked and compiled: its declarations and its texts.
package struct CompiledFlow: Sendable {
  package let sources: FlowSources
  /// The limits under which the flow was loaded, for tools that run it.
  package let limits: Limits
  package let flow: Flow
  package let entry: CompiledSource
  package let modules: CompiledModules
  /// The number of functions and names of the flow that the VM holds for the host.
  package let kept: Int
  /// The parts of an SCXML document, which run in place of a file; nil for a Lua flow.
  private let parts: DocumentParts?
  /// The texts of the file and its modules, by name.
  private let textsByName: [String: String]

  init(
    sources: FlowSources, limits: Limits, flow: Flow, entry: CompiledSource,
    modules: CompiledModules, kept: Int, parts: DocumentParts? = nil
  ) {
    (self.sources, self.limits, self.parts) = (sources, limits, parts)
    var flow = flow
    flow.finish()
    self.flow = flow
    (self.entry, self.modules, self.kept) = (entry, modules, kept)
    textsByName = Dictionary(
      ([entry.source] + modules.files).filter(\.showsLines).map { ($0.name, $0.text) },
      uniquingKeysWith: { $1 })
  }

  /// Loads a flow.
  ///
  /// - Throws: `FlowError` with all faults of the flow; `ScriptError` if a limit ended the loading.
  package init(_ sources: FlowSources, limits: Limits, log: ScriptLog) throws {
    self = try FlowLoader(sources: sources, limits: limits, log: log).load()
  }

  /// The texts of the file and of the modules that it requires, beginning with the file.
  package var texts: [FlowSources.Source] { [entry.source] + modules.files }

  /// The Lua texts of a document's expressions and scripts, each on its line of the document.
  package var documentChunks: [(name: String, text: String)] {
    (parts?.file.chunks ?? []).map { ($0.file, $0.text) }
  }

  /// The variables that a document and those that it invokes declare.
  package var documentVariables: Set<String> {
    Set((parts?.file.documents ?? []).flatMap { $0.data.map(\.id) })
  }

  /// Provides the flow's modules to a VM.
  package func provideModules(in vm: LuaVM) throws(ScriptError) {
    try vm.provide("load_module") { [modules, unowned vm] arguments in
      try modules.answer(arguments.first?.stringValue ?? "", in: vm)
    }
  }

  /// Installs the language in a VM, runs the flow's file or document, and then `finish`, all on the budget of a
  /// load.
  package func run(
    in vm: LuaVM, limits: Limits, finish: () throws(ScriptError) -> Void
  ) throws(ScriptError) {
    vm.texts = textsByName
    try FlowPreludes.install(in: vm)
    try provideModules(in: vm)
    vm.beginWork(.loading, budget: limits.instructionsPerLoad)
    defer { vm.endWork() }
    if let parts {
      try FlowPreludes.installDocuments(in: vm, limits: limits)
      try parts.start(in: vm, limits: limits)
    } else {
      let file = try vm.load(entry.code)
      try vm.call(file, phase: .loading, budget: limits.instructionsPerLoad)
      vm.release(file)
    }
    try finish()
  }
}
