import FlowHosting
import FlowKernel
import LuaRuntime
import StateCharts
import Platform

/// A comparison of this package with appendix D over random documents.
package struct DocumentComparison {
  /// The counts of what was played without a difference.
  package struct Count: Sendable, CustomStringConvertible {
    package var documents = 0
    package var events = 0
    package var logged = 0
    package var ended = 0

    package init() {}

    package var description: String {
      "\(documents) documents of \(events) events, \(ended) ended, \(logged) contents told"
    }
  }

  /// Returns a difference for the document of a seed, shrunk as far as possible; nil if there is none.
  package static func difference(seed: UInt64, _ total: inout Count) -> String? {
    let language: DocumentLanguage = seed % 2 == 0 ? .lua : .ecmascript
    let document = RandomDocument.draw(seed: seed)
    let expected = DocumentReference.steps(of: document)
    total.documents += expected.isEmpty ? 0 : 1
    total.events += max(0, expected.count - 1)
    total.logged += expected.reduce(0) { $0 + $1.logged.count }
    total.ended += expected.last.map { $0.active == nil } == true ? 1 : 0
    guard difference(document, language, expected) != nil else { return nil }
    var smallest = document
    while let smaller = smallest.smaller.first(where: {
      difference($0, language, DocumentReference.steps(of: $0)) != nil
    }) {
      smallest = smaller
    }
    let found = difference(smallest, language, DocumentReference.steps(of: smallest)) ?? ""
    return "seed \(seed): \(found)\n\(DocumentText.text(smallest, language))"
      + "events: \(smallest.events.joined(separator: " "))"
  }

  private static func difference(
    _ document: RandomDocument, _ language: DocumentLanguage, _ expected: [DocumentReference.Step]
  ) -> String? {
    guard !expected.isEmpty else { return nil }
    do {
      let own = try steps(of: document, language, count: expected.count)
      return difference(own, expected, of: document.events)
    } catch {
      return "it does not run: \(error)"
    }
  }

  /// Returns the first difference as text.
  static func difference(
    _ own: [DocumentReference.Step], _ expected: [DocumentReference.Step], of events: [String]
  ) -> String? {
    for (place, (one, other)) in zip(own, expected).enumerated() where one != other {
      let when = place == 0 ? "at the beginning" : "at event \(place), \(events[place - 1])"
      return "\(when):\n  \(one)\nexpected\n  \(other)"
    }
    return own.count < expected.count ? "there are \(own.count) steps of \(expected.count)" : nil
  }

  /// Returns what this package does: the start, then `count` less one events, then undo and redo.
  static func steps(
    of document: RandomDocument, _ language: DocumentLanguage, count: Int
  ) throws -> [DocumentReference.Step] {
    let lines = Lines()
    let flow = try LoadedFlow(
      source: DocumentText.text(document, language), name: "chart.scxml", print: { _ in })
    let host = try FlowHost(
      flow, options: HostOptions(clock: .virtual, print: { lines.add($0) }, report: { _ in }))
    let machine = flow.flow.machines[0].compiled
    func step() throws -> DocumentReference.Step {
      _ = try host.settle()
      return .init(logged: lines.take(), active: active(try host.state(), machine))
    }
    var steps = [try step()]
    for event in document.events.prefix(count - 1) {
      switch try host.dispatch(event) {
      case .failed(let failure) where failure.kind != .undeclared:
        throw Different("\(event) fails: \(failure)")
      default: break
      }
      steps.append(try step())
    }
    let (state, revision) = (try host.state(), try host.revision)
    try host.go(to: 0)
    try host.go(to: revision)
    guard try host.state() == state else { throw Different("undo and redo make another state") }
    guard lines.take().isEmpty else { throw Different("undo and redo run content") }
    return steps
  }

  /// Returns the names of the active states, by the fields of the regions; nil if the document has ended.
  private static func active(_ state: Value, _ machine: CompiledChart) -> [String]? {
    let chart = machine.chart
    let active = activeStates(state, machine).dropFirst().map(Int.init)
    let hasEnded = active.contains {
      chart.states[$0].kind == .final && chart.states[$0].parent == 0
    }
    return hasEnded ? nil : active.map { chart.states[$0].name }
  }

  /// Returns the active states, by the fields of the regions, with the outermost state first.
  static func activeStates(_ state: Value, _ machine: CompiledChart) -> [Chart.StateNumber] {
    let chart = machine.chart
    let leafNumbers = chart.regions.indices.map { region -> CompiledChart.LeafNumber in
      guard let field = chart.regions[region].field else {
        return machine.leafNumber(chart.states[Int(chart.regions[region].head)].name, in: region)
          ?? -1
      }
      guard let value = state[field]?.stringValue else { return -1 }
      return machine.leafNumber(value, in: region) ?? -1
    }
    return chart.states.indices.map(Chart.StateNumber.init).filter { number in
      machine.nodes[Int(number)].kind.isActive && machine.isActive(number, in: leafNumbers)
    }
  }
}

/// The error of a difference, as text.
struct Different: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}

/// The lines that a document logs; any thread can add to them.
final class Lines: Sendable {
  private let lines = Mutex<[String]>([])

  func add(_ line: String) { lines.withLock { $0.append(line) } }

  func take() -> [String] {
    lines.withLock { lines in
      defer { lines = [] }
      return lines
    }
  }
}
