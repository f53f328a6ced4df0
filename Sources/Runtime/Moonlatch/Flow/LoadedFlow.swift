import LuaRuntime
import Platform

/// A flow that was read, checked and compiled, for any number of hosts.
///
/// ```swift
/// let turnstile = try LoadedFlow(URL(filePath: "turnstile.lua"))
/// let hosts = try (0..<1_000).map { _ in try FlowHost(turnstile) }
/// ```
///
/// Hosts of one flow share its compiled text and what it declares. Each has a VM of its own in which
/// the text has run, or which is a copy of one like that: nothing that a script can change is shared.
public struct LoadedFlow: Sendable {
  /// The flow's file, as messages name it.
  public var name: String { flow.file }

  let sources: FlowSources
  /// The limits under which it was loaded, for tools that run it.
  package let limits: Limits
  package let flow: Flow
  let actions: [String: LoadedAction]
  let machines: [LoadedMachine]
  let machinesByName: [String: LoadedMachine]
  /// How they begin.
  let beginnings: [Microstep]
  /// What machines do unasked, where any does.
  let eventless: EventlessTransitions?
  let namedStates: NamedStates
  let entry: CompiledSource
  let modules: CompiledModules
  /// The texts of the file and of the modules that it requires, the file's first.
  package var texts: [FlowSources.Source] { [entry.source] + modules.files }
  /// The same by their names.
  private let textsByName: [String: String]
  /// How many functions and names the flow has the VM keep.
  let kept: Int
  private let templateCache: VMTemplateCache
  /// What is started in its place where it is an SCXML document.
  private let parts: DocumentParts?

  /// The Lua texts of a document's expressions and scripts, each of which stands on its line of the document.
  package var documentChunks: [(name: String, text: String)] {
    (parts?.file.chunks ?? []).map { ($0.file, $0.text) }
  }

  /// The variables that a document and those that it invokes declare.
  package var documentVariables: Set<String> {
    Set((parts?.file.documents ?? []).flatMap { $0.data.map(\.id) })
  }

  /// Loads a flow from its file.
  ///
  /// - Parameters:
  ///   - flow: the Lua file; modules that it requires lie in the same folder.
  ///   - limits: what loading may use.
  ///   - print: where `print` goes if the flow has faults; otherwise it is each host's own.
  /// - Throws: `FlowError` with every fault of the flow, `ScriptError` when a limit ended the
  ///   loading.
  public init(
    _ flow: URL, limits: Limits = Limits(), print: @escaping @Sendable (String) -> Void = { _ in }
  ) throws {
    try self.init(FlowSources(file: flow), limits: limits, log: ScriptLog(print))
  }

  /// Loads a flow from its text.
  ///
  /// It has no modules; `name` is what messages call its file.
  ///
  /// - Throws: as `init(_:limits:print:)`.
  public init(
    source: String, name: String = "flow.lua", limits: Limits = Limits(),
    print: @escaping @Sendable (String) -> Void = { _ in }
  ) throws {
    try self.init(FlowSources(text: source, name: name), limits: limits, log: ScriptLog(print))
  }

  package init(_ sources: FlowSources, limits: Limits, log: ScriptLog) throws {
    self = try FlowLoader(sources: sources, limits: limits, log: log).load()
  }

  init(
    sources: FlowSources, limits: Limits, flow: Flow, entry: CompiledSource,
    modules: CompiledModules,
    kept: Int, parts: DocumentParts? = nil
  ) {
    (self.sources, self.limits) = (sources, limits)
    self.parts = parts
    var flow = flow
    flow.finish()
    self.flow = flow
    var machines: [LoadedMachine] = []
    var nextOfRecords = LuaVM.firstRecordMachine
    for (index, machine) in flow.machines.enumerated() {
      let records = machine.records.map {
        LoadedRecords($0, of: machine, number: nextOfRecords)
      }
      if records != nil { nextOfRecords += 1 }
      machines.append(
        LoadedMachine(
          machine, index: index, firstRegion: machines.last?.regions.upperBound ?? 0,
          records: records))
    }
    self.machines = machines
    machinesByName = Dictionary(
      machines.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    beginnings = machines.filter { $0.records == nil && !$0.isDocument }.map(
      Microstep.init(beginning:))
    eventless = EventlessTransitions(flow, machines)
    namedStates = NamedStates(of: flow.machines)
    actions = flow.indexOfAction.mapValues { LoadedAction(flow.actions[$0], in: flow, machines) }
    self.entry = entry
    self.modules = modules
    self.kept = kept
    templateCache = VMTemplateCache()
    textsByName = Dictionary(
      ([entry.source] + modules.files).filter(\.showsLines).map { ($0.name, $0.text) },
      uniquingKeysWith: { $1 })
  }

  /// Opens a VM with everything that a flow is checked with, and closes it.
  @_spi(Benchmarks) public static func openAndCloseVM() throws {
    let vm = try LuaVM(memoryLimit: Limits().memory)
    try FlowLanguage.installChecks(in: vm, limits: Limits())
    try FlowLanguage.installAll(in: vm)
  }

  /// Opens a VM for a host, calls `prepare` with it, and has the flow run in it: all a part of the work
  /// that `prepare` has begun.
  func open(
    limits: Limits, prepare: (LuaVM) throws(ScriptError) -> Void
  ) throws(ScriptError) -> LuaVM {
    guard let template = templateCache.template(of: self, under: limits) else {
      let vm = try LuaVM(limits: limits)
      try prepare(vm)
      try start(in: vm, limits: limits)
      return vm
    }
    let vm = try LuaVM(castFrom: template)
    vm.spend(template.opening)
    try prepare(vm)
    vm.spend(template.instructions - template.opening)
    try provideModules(in: vm)
    return vm
  }

  private func provideModules(in vm: LuaVM) throws(ScriptError) {
    try vm.provide("load_module") { [modules, unowned vm] arguments in
      try modules.answer(arguments.first?.stringValue ?? "", in: vm)
    }
  }

  /// Runs the flow in a host's VM.
  package func start(in vm: LuaVM, limits: Limits) throws(ScriptError) {
    vm.texts = textsByName
    try FlowLanguage.install(in: vm)
    try provideModules(in: vm)
    vm.beginWork(.loading, budget: limits.instructionsPerLoad)
    defer { vm.endWork() }
    if let parts {
      try FlowLanguage.installDocuments(in: vm, limits: limits)
      try parts.start(in: vm, limits: limits)
    } else {
      let file = try vm.load(entry.code)
      try vm.call(file, phase: .loading, budget: limits.instructionsPerLoad)
      vm.release(file)
    }
    for machine in machines where machine.records == nil {
      for (region, stop) in zip(machine.chart.chart.regions, machine.beginning) {
        if let field = region.field { try vm.declareRegion(field, machine.value(of: stop)) }
      }
    }
    if let types = flow.types.table { vm.take(types) }
    try vm.finishLoading(budget: limits.instructionsPerLoad)
    try flow.keepAgain(in: vm)
    for records in machines.compactMap(\.records) { try vm.declare(records.declaration) }
    guard vm.kept == kept else {
      throw ScriptError(
        kind: .runtime, message: "the flow did not declare the same when it was loaded again",
        chunk: flow.file)
    }
    // A VM that is cast has no garbage, nor room for what is no longer there: what its scripts pay for must
    // not depend on how it came to be.
    vm.collectGarbage()
  }
}

/// The compiled text of a flow's file or of a module.
struct CompiledSource: Sendable {
  let source: FlowSources.Source
  let code: Bytecode

  /// What a document's functions were written to.
  init(source: FlowSources.Source, code: Bytecode) { (self.source, self.code) = (source, code) }

  /// Throws a `ScriptError` that names file and line for what is not Lua.
  init(_ source: FlowSources.Source, limits: Limits) throws(ScriptError) {
    self.source = source
    code = try Bytecode(
      source.text, name: source.name, memoryLimit: limits.memory, showsLines: source.showsLines)
  }
}

/// The modules that a flow required, by the names that it gave them.
struct CompiledModules: Sendable {
  private(set) var byName: [String: CompiledSource] = [:]
  /// In the order in which they were first required.
  private(set) var files: [FlowSources.Source] = []

  /// A text beside a document.
  mutating func add(_ text: FlowSources.Source) { files.append(text) }

  mutating func add(_ module: CompiledSource, as name: String) {
    byName[name] = module
    files.append(module.source)
  }

  /// What `host.load_module` answers.
  func answer(_ name: String, in vm: LuaVM) throws -> [Value] {
    guard let module = byName[name] else {
      throw FlowSources.Refused(
        description: "module \"\(name)\" was not there when the flow loaded")
    }
    return [.integer(Int(try vm.load(module.code).number)), .string(module.source.name)]
  }
}
