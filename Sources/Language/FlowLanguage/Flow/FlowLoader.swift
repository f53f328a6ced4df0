import LuaRuntime
import Platform
import StateCharts

/// A loader that runs a flow's file in its own VM, reads the declarations, and reports all faults at once.
struct FlowLoader {
  package let sources: FlowSources
  package let limits: Limits
  package let log: ScriptLog

  /// Loads the flow.
  ///
  /// - Throws: `FlowError` with all faults, or `ScriptError` if a limit ended the loading.
  package func load() throws -> CompiledFlow {
    if sources.isDocument { return try loadDocument() }
    let entry = try compiledEntry()
    let vm = try LuaVM(limits: limits)
    if entry.source.showsLines { vm.texts[entry.source.name] = entry.source.text }
    let modules = ModuleReader(sources: sources, limits: limits)
    let printed = PrintedWhileLoading()
    do {
      try printed.attach(to: vm)
      try vm.provide("load_module") { [unowned vm] in
        try modules.answer($0.first?.stringValue ?? "", in: vm)
      }
      try FlowPreludes.installChecks(in: vm, limits: limits)
      let flow = try read(entry, modules, in: vm)
      return CompiledFlow(
        sources: sources, limits: limits, flow: flow, entry: entry, modules: modules.read,
        kept: vm.kept)
    } catch {
      printed.lines.forEach(log.write)
      throw error
    }
  }

  private func read(
    _ entry: CompiledSource, _ modules: ModuleReader, in vm: LuaVM
  ) throws -> Flow {
    vm.beginWork(.loading, budget: limits.instructionsPerLoad)
    defer { vm.endWork() }
    let problem = try run(entry, in: vm)
    let described = try vm.call(
      vm.preludeFunction("describe"), phase: .loading, budget: limits.instructionsPerLoad)
    let read = [entry.source] + modules.read.files
    var reader = DeclarationReader(
      file: entry.source.name, described: described.first ?? .nil, problem: problem,
      lines: DeclarationLines(read))
    var flow = reader.read()
    checkExamples(of: flow, reader.declaredTypes, &reader.faults, in: vm)
    guard reader.faults.isEmpty else {
      let shown = read.filter(\.showsLines).map { ($0.name, SourceLines.all(of: $0.text)) }
      let lines = Dictionary(shown, uniquingKeysWith: { first, _ in first })
      throw FlowError(reader.faults.map { $0.shown(in: lines) })
    }
    flow.types = try StateTypes(reader.declaredTypes, machines: flow.machines)
    flow.secrets = Secrets(flow.types, flow.actions)
    flow.files = read.map(\.name)
    flow.hash = hash(of: read)
    try flow.number(in: vm)
    return flow
  }

  private func compiledEntry() throws -> CompiledSource {
    let source: FlowSources.Source
    do {
      source = try sources.entry()
    } catch {
      throw FlowError([Diagnostic(file: error.name, line: 0, message: error.reason)])
    }
    do {
      return try CompiledSource(source, limits: limits)
    } catch  where error.kind == .syntax {
      throw FlowError([Diagnostic(error, in: source.name)])
    }
  }

  /// Runs the file, and returns a diagnostic if it raises an error.
  private func run(_ entry: CompiledSource, in vm: LuaVM) throws(ScriptError) -> Diagnostic? {
    do {
      try vm.call(vm.load(entry.code), phase: .loading, budget: limits.instructionsPerLoad)
      return nil
    } catch  where error.kind == .runtime {
      return Diagnostic(error, in: entry.source.name)
    }
  }

  private func checkExamples(
    of flow: Flow, _ types: [StateTypes.Declared], _ faults: inout [Diagnostic], in vm: LuaVM
  ) {
    var examples = ExampleCheck { text, pattern in
      let found = try? vm.call(
        FlowPreludes.function("matches", in: vm), [.string(text), .string(pattern)],
        phase: .loading, budget: limits.instructionsPerLoad)
      return found?.first == .boolean(true)
    }
    for action in flow.actions {
      faults += examples.check(action).map {
        Diagnostic(file: action.place.file, line: action.place.line, message: $0)
      }
    }
    for declared in types {
      faults += examples.faults(of: declared.type, at: declared.title).map {
        Diagnostic(file: declared.place.file, line: declared.place.line, message: $0)
      }
    }
  }

  /// Returns a digest of the names and texts, each after its length, which identifies the text of a flow.
  package func hash(of sources: [FlowSources.Source]) -> String {
    var writer = ValueWriter()
    for source in sources {
      writer.writeText(source.name)
      writer.writeText(source.text)
    }
    return SHA256.hexadecimal(SHA256.digest(of: writer.bytes))
  }
}

/// A reader that compiles the modules that a flow requires while it is checked.
final class ModuleReader {
  let sources: FlowSources
  private let limits: Limits
  package private(set) var read = CompiledModules()

  init(sources: FlowSources, limits: Limits) {
    self.sources = sources
    self.limits = limits
  }

  package func answer(_ name: String, in vm: LuaVM) throws -> [Value] {
    let source = try sources.module(named: name)
    do {
      read.add(try CompiledSource(source, limits: limits), as: name)
    } catch {
      let place = error.line.map { "\(error.chunk ?? source.name):\($0): " } ?? ""
      return [false, .string(place + error.message)]
    }
    return try read.answer(name, in: vm)
  }
}

/// The lines that a flow prints while it is checked.
///
/// They are written to the log only if the loading fails: otherwise each host runs the flow again.
private final class PrintedWhileLoading {
  private(set) var lines: [String] = []
  static let most = 1_000

  func attach(to vm: LuaVM) throws(ScriptError) {
    try vm.provide("print") { [unowned self] arguments in
      if lines.count < PrintedWhileLoading.most { lines.append(arguments.first?.stringValue ?? "") }
      return []
    }
  }
}
