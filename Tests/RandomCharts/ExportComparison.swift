import FlowHosting
import FlowKernel
import FlowTools
import LuaRuntime
import StateCharts

/// A comparison of a flow with the SCXML document that it is exported to.
///
/// Both are in the same states after each event, or the export has warned of the difference.
package struct ExportComparison {
  /// The number of comparisons.
  package struct Count: Sendable, CustomStringConvertible {
    package var flows = 0
    package var events = 0
    package var warned = 0
    package var invalid = 0

    package init() {}

    package var description: String {
      "\(flows) flows of \(events) events exported as SCXML, \(warned) with a difference that was warned of; "
        + "\(invalid) charts are no flows"
    }
  }

  private static let steps = 12
  private static let options = HostOptions(clock: .virtual, print: { _ in }, report: { _ in })

  private let flow: LoadedFlow
  private let exported: ExportedFlow
  /// The warnings that can explain a difference.
  private let warnings: [ExportWarning]
  private let document: LoadedFlow
  private let host: FlowHost
  private let other: FlowHost
  /// The failures that the flow's host reports.
  private let reports: Lines

  /// Returns a difference for the flow of a seed, as text; nil if there is none.
  package static func difference(seed: UInt64, _ total: inout Count) -> String? {
    let random = RandomMachines(seed: seed)
    let text = random.text
    guard let flow = try? LoadedFlow(source: text, name: "flow.lua", print: { _ in }) else {
      total.invalid += 1
      return nil
    }
    let actions = RandomMachines.actions.map { (name: $0, payload: Value.record([:])) }
    return difference(
      of: flow, actions, Randomness(seed: seed ^ 0x5EED), guardsAgree: random.guardsAgree, &total
    ).map {
      "seed \(seed): \($0)\n\(text)\(SCXMLWriter.export(FlowText(flow)).text)"
    }
  }

  /// Returns a difference for a flow, with random ones of these actions and random waits.
  package static func difference(
    of flow: LoadedFlow, _ actions: [(name: String, payload: Value)], seed: UInt64,
    _ total: inout Count
  ) -> String? {
    difference(of: flow, actions, Randomness(seed: seed), guardsAgree: false, &total)
  }

  /// Returns a difference for a flow with these actions in order; an empty name lets seven seconds pass.
  package static func difference(
    of flow: LoadedFlow, inOrder steps: [(name: String, payload: Value)]
  ) -> String? {
    var total = Count()
    do {
      let comparison = try ExportComparison(flow, false)
      return try comparison.run(steps.map { ($0.name.isEmpty ? nil : $0, 7) }, &total)
        ?? (total.warned > 0 ? "a warning tells of a difference" : nil)
    } catch {
      return "it does not run: \(error)"
    }
  }

  private static func difference(
    of flow: LoadedFlow, _ actions: [(name: String, payload: Value)], _ random: Randomness,
    guardsAgree: Bool, _ total: inout Count
  ) -> String? {
    var random = random
    // A flow that fails as it starts has no states to compare with a document.
    guard (try? FlowHost(flow, options: options)) != nil else {
      total.invalid += 1
      return nil
    }
    do {
      let comparison = try ExportComparison(flow, guardsAgree)
      total.flows += 1
      let steps = (0..<steps).map { _ -> Step in
        (random.chance(75) ? random.one(of: actions) : nil, Double(1 + random.below(12)))
      }
      return try comparison.run(steps, &total)
    } catch {
      return "it does not run: \(error)"
    }
  }

  private init(_ flow: LoadedFlow, _ guardsAgree: Bool) throws {
    self.flow = flow
    exported = SCXMLWriter.export(FlowText(flow))
    warnings = exported.warnings.filter { warning in
      warning.changesMoves
        && !(guardsAgree && "\(warning)".hasSuffix("is not evaluated"))
    }
    document = try LoadedFlow(source: exported.text, name: "again.scxml", print: { _ in })
    let reports = Lines()
    var options = ExportComparison.options
    options.report = { if $0.message.contains("endless") { reports.add("\($0)") } }
    self.reports = reports
    host = try FlowHost(flow, options: options)
    other = try FlowHost(document, options: ExportComparison.options)
  }

  /// An action, or the seconds that pass instead of it.
  private typealias Step = (action: (name: String, payload: Value)?, seconds: Double)

  private enum Result {
    case same, warned
    case differs(String)
  }

  private func run(_ steps: [Step], _ total: inout Count) throws -> String? {
    var story: [String] = []
    var before = try ids(host, flow)
    for step in [nil] + steps {
      if let (action, seconds) = step {
        total.events += 1
        story.append(action?.name ?? "\(seconds) s")
        guard try perform(action, seconds) else { return nil }
      }
      let after = try ids(host, flow)
      let action = step?.action
      switch try compare(before.union(after), after, action?.name) {
      case .same: before = after
      case .warned:
        total.warned += 1
        return nil
      case .differs(let found):
        return "after \(story.joined(separator: ", ")): \(found), from \(before.sorted())"
      }
    }
    return nil
  }

  /// Performs a step in the flow and in the document.
  ///
  /// - Returns: false if the flow fails: a failure changes nothing, and `always` without an end does not end in a
  ///   document, either.
  private func perform(_ action: (name: String, payload: Value)?, _ seconds: Double) throws -> Bool
  {
    if let action {
      if case .failed = try host.dispatch(action.name, action.payload) { return false }
      _ = try other.dispatch(exported.events[action.name] ?? action.name)
    } else {
      try host.advance(seconds)
      guard reports.take().isEmpty else { return false }
      try other.advance(seconds)
    }
    return true
  }

  private func compare(
    _ around: Set<String>, _ own: Set<String>, _ action: String?
  ) throws -> Result {
    let known = Set(exported.ids.joined())
    let theirs = try ids(other, document).intersection(known)
    let roots = Set(exported.ids.map { $0[0] })
    guard own.subtracting(roots) != theirs.subtracting(roots) else { return .same }
    let touched = around.union(theirs)
    let isWarned = warnings.contains { warning in
      guard warning.actions.isEmpty || action == nil || warning.actions.contains(action ?? "")
      else {
        return false
      }
      guard let machine = flow.flow.machines.firstIndex(where: { $0.name == warning.machine })
      else {
        return true
      }
      // The state of an eventless transition may be passed through.
      return warning.states.isEmpty || warning.description.contains("the transition waits for")
        || warning.states.contains { touched.contains(exported.ids[machine][Int($0)]) }
    }
    if isWarned { return .warned }
    let lacks = own.subtracting(theirs).subtracting(roots).sorted()
    let has = theirs.subtracting(own).subtracting(roots).sorted()
    return .differs("the document is not in \(lacks), but in \(has)")
  }

  /// Returns the ids of the active states.
  private func ids(_ host: FlowHost, _ flow: LoadedFlow) throws -> Set<String> {
    let state = try host.state()
    var found: Set<String> = []
    for (index, machine) in flow.flow.machines.enumerated() where machine.records == nil {
      let isExport = flow.flow.document != nil
      for number in DocumentComparison.activeStates(state, machine.compiled) {
        found.insert(
          isExport ? machine.chart.states[Int(number)].name : exported.ids[index][Int(number)])
      }
    }
    return found
  }
}
