import LuaRuntime

/// Loads a flow into a VM: runs its file, reads what it declared, and reports every fault at once.
struct FlowLoader {
  let vm: LuaVM
  let sources: FlowSources
  let limits: Limits

  /// Throws `FlowError` with all faults, or `ScriptError` when a limit ended the loading.
  func load() throws -> Flow {
    let source = try entry()
    let sources = sources
    let read = ReadSources(first: source)
    try vm.provide("read_module") { arguments in
      let module = try sources.module(named: arguments.first?.stringValue ?? "")
      read.sources.append(module)
      return [.string(module.text), .string(module.name)]
    }
    try FlowLanguage.install(in: vm, limits: limits)
    try vm.call(
      vm.preludeFunction("run_file"), [.string(source.text), .string(source.name)],
      phase: .loading, budget: limits.instructionsPerLoad)
    let described = try vm.call(
      vm.preludeFunction("describe"), phase: .loading, budget: limits.instructionsPerLoad)
    var reader = DeclarationReader(file: source.name, described: described.first ?? .nil)
    var flow = reader.read()
    try checkExamples(of: flow, &reader.faults)
    guard reader.faults.isEmpty else { throw FlowError(reader.faults) }
    flow.files = read.sources.map(\.name)
    flow.hash = read.hash
    try vm.call(
      vm.preludeFunction("finish"), phase: .loading, budget: limits.instructionsPerLoad)
    try number(&flow)
    return flow
  }

  private func entry() throws(FlowError) -> FlowSources.Source {
    do {
      return try sources.entry()
    } catch {
      throw FlowError([Fault(file: error.name, line: 0, message: error.reason)])
    }
  }

  private func checkExamples(of flow: Flow, _ faults: inout [Fault]) throws(ScriptError) {
    let matches = try vm.preludeFunction("matches")
    var examples = ExampleCheck { text, pattern in
      let found = try? vm.call(
        matches, [.string(text), .string(pattern)], phase: .loading,
        budget: limits.instructionsPerLoad)
      return found?.first == .boolean(true)
    }
    for action in flow.actions {
      faults += examples.check(action).map {
        Fault(file: action.place.file, line: action.place.line, message: $0)
      }
    }
  }

  /// Gives rules the names they ask for and readers their numbers.
  private func number(_ flow: inout Flow) throws(ScriptError) {
    for index in flow.actions.indices where flow.actions[index].rules.contains(where: \.isShared) {
      flow.actions[index].nameReference = try vm.keep(flow.actions[index].name)
    }
    for index in flow.machines.indices {
      flow.machines[index].reference = try vm.keep(flow.machines[index].name)
      for state in flow.machines[index].states.indices {
        flow.machines[index].states[state].reference = try vm.keep(
          flow.machines[index].states[state].name)
      }
    }
    let numberView = try vm.preludeFunction("number_view")
    for index in flow.views.indices {
      let function = flow.views[index].function
      let number = try vm.addReader(function.reference)
      flow.views[index] = FlowReader(function: function, number: number)
      try vm.call(
        numberView, [.string(function.name), .integer(Int(number))], phase: .loading,
        budget: limits.instructionsPerLoad)
    }
    for scope in flow.scopes {
      let reader: Int32? = if let key = scope.key { try vm.addReader(key.reference) } else { nil }
      flow.keyReaders.append(reader)
    }
    for index in flow.invariants.indices {
      let function = flow.invariants[index].function
      flow.invariants[index] = FlowReader(
        function: function, number: try vm.addReader(function.reference))
    }
  }
}

/// The texts that a flow is made of, in the order in which they were read.
private final class ReadSources {
  var sources: [FlowSources.Source]

  init(first: FlowSources.Source) { sources = [first] }

  /// FNV-1a, 64 bits, over the names and texts: enough to tell one text of a flow from another.
  var hash: String {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for source in sources {
      for byte in Array(source.name.utf8) + [0] + Array(source.text.utf8) + [0] {
        hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3
      }
    }
    let digits = String(hash, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
