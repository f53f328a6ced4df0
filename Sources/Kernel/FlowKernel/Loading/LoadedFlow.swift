import FlowLanguage
import LuaRuntime
import Platform

/// A flow that was read, checked and compiled, for any number of hosts.
///
/// ```swift
/// let turnstile = try LoadedFlow(URL(filePath: "turnstile.lua"))
/// let hosts = try (0..<1_000).map { _ in try FlowHost(turnstile) }
/// ```
///
/// Hosts of one flow share its compiled text and its declarations. Each host has its own VM, in which the text has run
/// or which is a copy of such a VM. Nothing that a script can change is shared. A loaded flow never changes.
public final class LoadedFlow: Sendable {
  /// The flow's file, as messages name it.
  public var name: String { flow.file }

  package let compiled: CompiledFlow
  /// The limits under which it was loaded, for tools that run it.
  package var limits: Limits { compiled.limits }
  package var flow: Flow { compiled.flow }
  let actions: [String: LoadedAction]
  /// The fields that functions may read of payloads; nil for a document, whose events may have any.
  private let payloadShapes: PayloadShapes?
  package let machines: [LoadedMachine]
  let machinesByName: [String: LoadedMachine]
  /// The microsteps in which machines enter their initial states.
  let beginnings: [Microstep]
  /// The transitions that no event triggers; nil if no machine has any.
  let eventless: EventlessTransitions?
  package let namedStates: NamedStates
  /// The texts of the file and of the modules that it requires; the file's is the first.
  package var texts: [FlowSources.Source] { compiled.texts }
  private let templateCache: VMTemplateCache

  /// The Lua texts of a document's expressions and scripts, each on the line that it has in the document.
  package var documentChunks: [(name: String, text: String)] { compiled.documentChunks }

  /// The variables that a document and the documents that it invokes declare.
  package var documentVariables: Set<String> { compiled.documentVariables }

  /// Loads a flow from its file.
  ///
  /// - Parameters:
  ///   - flow: the Lua file; the modules that it requires are in the same folder.
  ///   - limits: the limits on loading.
  ///   - print: receives the output of `print` if the flow has errors; otherwise each host has its own.
  /// - Throws: `FlowError` with every error of the flow, or `ScriptError` if a limit ended the loading.
  public convenience init(
    _ flow: URL, limits: Limits = Limits(), print: @escaping @Sendable (String) -> Void = { _ in }
  ) throws {
    try self.init(FlowSources(file: flow), limits: limits, log: ScriptLog(print))
  }

  /// Loads a flow from its text.
  ///
  /// The flow has no modules. Messages use `name` as the name of its file.
  ///
  /// - Throws: the same errors as `init(_:limits:print:)`.
  public convenience init(
    source: String, name: String = "flow.lua", limits: Limits = Limits(),
    print: @escaping @Sendable (String) -> Void = { _ in }
  ) throws {
    try self.init(FlowSources(text: source, name: name), limits: limits, log: ScriptLog(print))
  }

  package convenience init(_ sources: FlowSources, limits: Limits, log: ScriptLog) throws {
    self.init(try CompiledFlow(sources, limits: limits, log: log))
  }

  private init(_ compiled: CompiledFlow) {
    self.compiled = compiled
    let flow = compiled.flow
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
    beginnings = machines.filter { $0.records == nil && !$0.dialect.entersByMacrostep }.map(
      Microstep.init(beginning:))
    eventless = EventlessTransitions(flow, machines)
    namedStates = NamedStates(of: flow.machines)
    let payloadShapes = flow.document == nil ? PayloadShapes(flow) : nil
    self.payloadShapes = payloadShapes
    actions = flow.indexOfAction.mapValues { index in
      let action = flow.actions[index]
      return LoadedAction(
        action, in: flow, machines,
        payloadShape: payloadShapes?.shape(of: action.name) ?? .open)
    }
    templateCache = VMTemplateCache()
  }

  /// Returns the fields that functions may read of the payload of an action; none for a name that is not declared.
  func payloadShape(of action: String) -> PayloadShape {
    payloadShapes?.shape(of: action) ?? .open
  }

  /// Opens a VM with everything that a flow is checked with, and closes it.
  @_spi(Benchmarks) public static func openAndCloseVM() throws {
    let vm = try LuaVM(memoryLimit: Limits().memory)
    try FlowPreludes.installChecks(in: vm, limits: Limits())
    try FlowPreludes.installAll(in: vm)
  }

  /// Opens a VM for a host, calls `prepare` with it, and runs the flow in it.
  ///
  /// All of this is part of the work that `prepare` begins in the VM.
  package func open(
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
    try compiled.provideModules(in: vm)
    return vm
  }

  /// Runs the flow in a host's VM.
  package func start(in vm: LuaVM, limits: Limits) throws(ScriptError) {
    try compiled.run(in: vm, limits: limits) { () throws(ScriptError) in
      try finishLoading(in: vm, limits: limits)
    }
  }

  private func finishLoading(in vm: LuaVM, limits: Limits) throws(ScriptError) {
    if let payloadShapes {
      try vm.declarePayloads(payloadShapes.shapes, readers: payloadShapes.readers)
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
    guard vm.kept == compiled.kept else {
      throw ScriptError(
        kind: .runtime, message: "the flow declared something else when it was loaded again",
        chunk: flow.file)
    }
    // A cloned VM has neither garbage nor spare capacity. The cost of its scripts must not depend on how it was made.
    vm.collectGarbage()
  }
}
