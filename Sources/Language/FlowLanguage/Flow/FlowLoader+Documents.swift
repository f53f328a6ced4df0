import LuaRuntime
import SCXML
import StateCharts

/// Loading a flow that is an SCXML document.
extension FlowLoader {
  func loadDocument() throws -> CompiledFlow {
    let entry: FlowSources.Source
    do {
      entry = try sources.entry()
    } catch {
      throw FlowError([Diagnostic(file: error.name, line: 0, message: error.reason)])
    }
    let vm = try LuaVM(limits: limits)
    try FlowPreludes.installChecks(in: vm, limits: limits)
    try FlowPreludes.installDocuments(in: vm, limits: limits)
    vm.beginWork(.loading, budget: limits.instructionsPerLoad)
    defer { vm.endWork() }
    var texts = [entry]
    var beside = 0
    var judged: [String: (reason: String, line: Int)?] = [:]
    let file = DocumentReader.read(
      entry.text, name: entry.name,
      DocumentReader.ReadingEnvironment(
        misfit: { text in
          // Many conditions have the same text.
          if let known = judged[text] { return known }
          let misfit = FlowLoader.misfit(text, in: vm)
          if text.utf8.count < 200 { judged[text] = .some(misfit) }
          return misfit
        }, assigned: FlowLoader.assigned,
        text: { path in
          let source = try sources.document(at: path)
          beside += source.text.utf8.count
          guard beside <= TextFile.longest else {
            throw FlowSources.Refused(
              description:
                "more than \(TextFile.longest >> 20) MB would be read by all src together")
          }
          if !texts.contains(where: { $0.name == source.name }) { texts.append(source) }
          return (source.name, source.text)
        },
        suggestion: { Names.suggestion(for: $0, among: $1) }))
    guard file.faults.isEmpty else {
      let lines = Dictionary(
        texts.map { ($0.name, SourceLines.all(of: $0.text)) }, uniquingKeysWith: { $1 })
      throw FlowError(file.faults.map { Diagnostic($0).shown(in: lines) })
    }
    let chunks = try file.chunks.enumerated().map { number, chunk in
      let source = texts.first { $0.name == chunk.file } ?? entry
      return CompiledSource(
        source: source,
        code: try Bytecode(
          chunk.text, name: chunk.file, memoryLimit: limits.memory, showsLines: source.showsLines))
    }
    let parts = DocumentParts(file, chunks: chunks)
    try parts.start(in: vm, limits: limits)
    let described = try vm.call(
      vm.preludeFunction("describe"), phase: .loading, budget: limits.instructionsPerLoad)
    var flow = try flow(of: file, described.first ?? .nil)
    flow.files = texts.map(\.name)
    flow.hash = hash(of: texts)
    try flow.number(in: vm)
    var modules = CompiledModules()
    for text in texts.dropFirst() { modules.add(text) }
    return CompiledFlow(
      sources: sources, limits: limits, flow: flow, entry: chunks[0], modules: modules,
      kept: vm.kept, parts: parts)
  }

  private static func misfit(_ text: String, in vm: LuaVM) -> (reason: String, line: Int)? {
    do {
      vm.release(try vm.load(Array(text.utf8), name: "expression"))
      return nil
    } catch {
      return (error.message, error.line ?? 1)
    }
  }

  /// Returns the names before an equals sign, which may include names that are not global variables.
  private static func assigned(_ text: String) -> [String] {
    let tokens = LuaLexer(text).tokens
    return tokens.indices.dropLast().filter { place in
      guard tokens[place].kind == .name else { return false }
      let before = place > 0 ? tokens[place - 1] : nil
      if before?.isSymbol(".") == true || before?.isSymbol(":") == true { return false }
      return tokens[place + 1].isSymbol("=") || tokens[place + 1].isSymbol(",")
    }.map { tokens[$0].text }
  }

  private func flow(of file: DocumentFile, _ described: Value) throws -> Flow {
    let references = described["document"]?.listValue ?? []
    guard references.count == file.functions.count else {
      throw FlowError([
        Diagnostic(
          file: file.chunks[0].file, line: 0,
          message: "code in the document closes a function that it does not open")
      ])
    }
    let functions = zip(file.functions, file.order).map { function, place in
      FlowFunction(
        name: function.name,
        place: SourcePlace(file: function.place.file, line: function.place.line),
        lastLine: function.lastLine, parameters: 2,
        reference: LuaReference(number: references[place]["ref"]?.integerValue ?? 0))
    }
    let first = file.documents[0]
    var flow = Flow(
      file: file.chunks[0].file, actions: [], indexOfAction: [:], views: [], invariants: [])
    flow.scopes = [ScopeDeclaration.undeclaredRoot(in: file.chunks[0].file)]
    for number in documentsThatHear(in: file.documents) {
      let document = file.documents[number]
      let places = places(ofEventsIn: document)
      for name in document.descriptors
      where FlowLoader.isOffered(name) && flow.indexOfAction[name] == nil {
        flow.indexOfAction[name] = flow.actions.count
        let place = places[name] ?? document.chart.place
        flow.actions.append(
          FlowDocument.action(
            name, of: number, at: SourcePlace(file: place.file, line: place.line)))
      }
    }
    for (number, document) in file.documents.enumerated() {
      var chart = document.chart
      let slot = file.slot(of: number)
      if number > 0 { chart.name = slot }
      for region in chart.regions.indices {
        let own = chart.regions[region].field ?? ""
        let name = region == 0 ? chart.name : own
        chart.regions[region].field = number == 0 || region == 0 ? "#\(name)" : "#\(slot).\(name)"
      }
      flow.machines.append(
        Machine(
          name: chart.name,
          place: SourcePlace(document.chart.place) ?? SourcePlace(file: flow.file, line: 1),
          states: [], initial: 0, chart: chart, functions: functions, effects: [:], records: nil,
          isFlat: false,
          actions: flow.actions.filter { $0.machines == [number] }.map(\.name)))
    }
    for datum in first.data {
      flow.fields.append(
        StateField(
          name: datum.id, place: SourcePlace(file: datum.place.file, line: datum.place.line),
          shape: StateShape(["kind": "any"])))
    }
    flow.fields.sort { $0.name < $1.name }
    flow.document = FlowDocument(file, machines: flow.machines)
    return flow
  }

  /// Returns true if a name can be that of an event from outside.
  private static func isOffered(_ name: String) -> Bool {
    if name.contains("*") || name.hasSuffix(".") { return false }
    let first = name.prefix { $0 != "." }
    return first != "error" && !name.hasPrefix("done.state") && !name.hasPrefix("done.invoke")
      && name != "done"
  }

  /// Returns the numbers of the documents that receive dispatched events.
  ///
  /// These are the first document and those to which its events are forwarded.
  private func documentsThatHear(in documents: [Document]) -> [Int] {
    var (found, number) = ([0], 0)
    while number < found.count {
      for invoke in documents[found[number]].invokes where invoke.forwards {
        found += invoke.documents.filter { !found.contains($0) }
      }
      number += 1
    }
    return found
  }

  /// Returns, for each event, the place of the first transition that waits for it.
  private func places(ofEventsIn document: Document) -> [String: Chart.Place] {
    var places: [String: Chart.Place] = [:]
    for transition in document.chart.states.flatMap(\.transitions) {
      guard case .events(let names) = transition.trigger else { continue }
      for name in names where places[name] == nil { places[name] = transition.place }
    }
    return places
  }
}

/// The chunks of a document, which are run in a VM in place of a flow's file.
struct DocumentParts: Sendable {
  package let file: DocumentFile
  package let chunks: [CompiledSource]

  init(_ file: DocumentFile, chunks: [CompiledSource]) {
    (self.file, self.chunks) = (file, chunks)
  }

  /// Runs the chunks, which declare the documents' functions.
  package func start(in vm: LuaVM, limits: Limits) throws(ScriptError) {
    let budget = limits.instructionsPerLoad
    let declare = try vm.preludeFunction("declare_document")
    for (number, document) in file.documents.enumerated() {
      let field = file.field(of: number).map(Value.string) ?? .nil
      try vm.call(
        declare,
        [
          .integer(number), field, .list(document.data.map { .string($0.id) }),
          .list(document.created.sorted().map(Value.string)),
        ],
        phase: .loading, budget: budget)
    }
    for chunk in chunks {
      let function = try vm.load(chunk.code)
      try vm.call(function, phase: .loading, budget: budget)
      vm.release(function)
    }
  }
}
