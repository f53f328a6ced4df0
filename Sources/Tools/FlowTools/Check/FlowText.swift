import FlowKernel
import FlowLanguage

/// A loaded flow with the analysed sources of its files.
package struct FlowText: Sendable {
  package let loaded: LoadedFlow
  package let sources: [LuaSource]
  package var flow: Flow { loaded.flow }
  private let functionsAt: [SourcePlace: [SourceFunction]]

  package init(_ loaded: LoadedFlow) {
    self.loaded = loaded
    // The text of a document is not Lua.
    let isDocument = loaded.flow.document != nil
    sources = loaded.texts.map { LuaSource(name: $0.name, text: isDocument ? "" : $0.text) }
    var functionsAt: [SourcePlace: [SourceFunction]] = [:]
    var names: Set<String> = []
    for (index, source) in sources.enumerated() where names.insert(source.name).inserted {
      for (number, function) in source.functions.enumerated() {
        functionsAt[SourcePlace(file: source.name, line: function.line), default: []].append(
          SourceFunction(source: index, function: number))
      }
    }
    self.functionsAt = functionsAt
  }

  /// Returns the functions that begin on a line, as pairs of a source's and a function's index.
  ///
  /// Functions are identified by their line only. Returns nil for a line with too many functions to tell them apart.
  func functions(at place: SourcePlace) -> [SourceFunction]? {
    let found = functionsAt[place] ?? []
    return found.count > FlowText.mostInLine ? nil : found
  }

  private static let mostInLine = 20

  /// Returns all functions that begin on the lines of others, each once.
  func functions(beside functions: some Sequence<FlowFunction>) -> [SourceFunction] {
    Set(functions.map(\.place)).flatMap { functionsAt[$0] ?? [] }
  }

  /// The names that the texts call by a colon or a dot, and all strings: each may name a capability.
  var calledNames: Set<String> {
    var called: Set<String> = []
    for source in sources {
      for expression in source.tree?.expressions ?? [] {
        switch expression.kind {
        case .method(_, let name, _), .field(_, let name), .string(let name): called.insert(name)
        default: break
        }
      }
    }
    return called
  }

  /// The functions that run on the state: rules, reducers, views, invariants, keys, machines' and gatekeepers'
  /// functions.
  package var stateFunctions: [FlowFunction] {
    var all = flow.actions.flatMap { $0.rules.map(\.function) }
    all += flow.actions.compactMap(\.reducer)
    all += (flow.views + flow.invariants).map(\.function) + flow.scopes.compactMap(\.key)
    for machine in flow.machines {
      // An effect is given an instance, not the state.
      let effects = Set(machine.chart.states.compactMap(\.effect))
      for (number, function) in machine.functions.enumerated()
      where !effects.contains(Int32(number)) {
        all.append(function)
      }
    }
    for choice in flow.gatekeepers.flatMap(\.choices) {
      if case .workedOut(let function) = choice { all.append(function) }
    }
    return all
  }
}

/// A function of one of a flow's sources.
struct SourceFunction: Hashable {
  let source: Int
  let function: Int
}
