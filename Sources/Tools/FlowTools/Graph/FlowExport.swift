import FlowLanguage
import StateCharts

/// A warning about a part of a flow that a format cannot express, so the exported machines behave differently there.
package struct ExportWarning: Sendable, CustomStringConvertible {
  package let description: String
  /// The machine's name; nil if it concerns the flow as a whole.
  package let machine: String?
  /// The numbers of the states that it concerns; empty if it concerns them all.
  package let states: [Chart.StateNumber]
  /// The actions at which it matters; empty if it can matter at any time.
  package let actions: [String]
  /// False if the machines move alike, and only a name differs.
  package var changesMoves = true
}

/// The machines of a flow in another format.
package struct ExportedFlow: Sendable {
  package let text: String
  package let warnings: [ExportWarning]
  /// The ids of the states of each exported machine.
  package let ids: [[String]]
  /// The event that stands for each action.
  package let events: [String: String]
}

/// A format to which machines are exported.
enum ExportFormat {
  case scxml, xstate

  /// Returns true if an event can have that name, and the name is not one of the format's own.
  func hasEvent(_ name: String) -> Bool {
    switch self {
    case .xstate: !name.contains("*") && !name.hasPrefix("xstate.") && !name.isEmpty
    case .scxml:
      !name.contains { $0.isWhitespace || $0 == "*" }
        && !["done.state", "done.invoke", "error"].contains {
          name == $0 || name.hasPrefix($0 + ".")
        }
        && !name.split(separator: ".", omittingEmptySubsequences: false).contains("")
    }
  }
}

/// The machines of a flow in the common model of SCXML and XState, with warnings about losses.
struct FlowExport {
  let text: FlowText
  let format: ExportFormat
  var names = ExportNames()
  /// The charts, one for each exported machine.
  var charts: [ExportedChart] = []
  /// The id of the state around several machines.
  private(set) var id = ""
  private var ownWarnings: [ExportWarning] = []

  /// All warnings, in the order of the machines and their states.
  var warnings: [ExportWarning] {
    ownWarnings
      + charts.flatMap { $0.warnings.sorted { ($0.states.first ?? 0) < ($1.states.first ?? 0) } }
  }

  var flow: Flow { text.flow }

  init(_ text: FlowText, as format: ExportFormat) {
    (self.text, self.format) = (text, format)
    // Invoked documents are inside the invoking state, not beside the first document.
    let machines =
      text.flow.document == nil ? text.flow.machines : Array(text.flow.machines.prefix(1))
    for machine in machines { charts.append(ExportedChart(machine, text, format, &names)) }
    id = names.claim("\(ExportNames.word(FlowFile.stem(of: text.flow.file))).machines")
    if text.flow.document == nil {
      names.nameEvents(of: text.flow.actionNames, isPossible: format.hasEvent)
      if format == .scxml { names.reserve(["error.execution", "error.communication"]) }
      warnOfEvents()
      warnOfFunctions()
    }
    for index in charts.indices { charts[index].nameEvents(&names) }
    let all = charts
    for index in charts.indices { charts[index].fill(&names, beside: all, index) }
  }

  private mutating func warn(_ actions: [String], _ message: String) {
    ownWarnings.append(
      ExportWarning(description: message, machine: nil, states: [], actions: actions))
  }

  private mutating func warnOfEvents() {
    for (action, event) in names.eventOfAction.sorted(by: { $0.key < $1.key }) where action != event
    {
      guard flow.machines.contains(where: { $0.names(action) }) else { continue }
      let place = flow.action(named: action).map { " (\($0.place))" } ?? ""
      warn([action], "action \(action)\(place): the event is called \(event)")
      ownWarnings[ownWarnings.count - 1].changesMoves = false
    }
  }

  /// Warns of the functions of the flow that can cause an action to be refused, or dispatch another.
  private mutating func warnOfFunctions() {
    let moving = flow.actions.filter { action in flow.machines.contains { $0.names(action.name) } }
    warn(moving.filter(\.isInternal), "internal", "can be sent from anywhere") { ["\($0.place)"] }
    warn(moving.filter { !$0.rules.isEmpty }, "gate", "is not evaluated") { action in
      action.rules.map { "\($0.function.place)" }
    }
    let (gatekeepers, scopes) = (flow.gatekeepers, flow.scopes)
    warn(moving.filter { !$0.gatekeepers.isEmpty }, "gatekeeper", "is not evaluated") { action in
      action.gatekeepers.map { gatekeepers[$0].name }
    }
    warn(moving.filter { $0.scope != nil }, "scope", "does not have to be open") { action in
      [action.scope.map { scopes[$0].name } ?? ""]
    }
    if format == .scxml {
      warn(moving.filter { $0.reducer != nil }, "reduce", "is not run") { action in
        action.reducer.map { ["\($0.place)"] } ?? []
      }
    }
    let all = flow.invariants.map { "\($0.function.name) (\($0.function.place))" }
    if !all.isEmpty { warn([], "invariant \(all.joined(separator: ", ")): is not evaluated") }
    let effects = flow.effects.map { "\($0.title) (\($0.function.place))" }
    if !effects.isEmpty { warn([], "\(effects.joined(separator: ", ")): is not run") }
  }

  private mutating func warn(
    _ actions: [Action], _ kind: String, _ what: String, _ places: (Action) -> [String]
  ) {
    guard !actions.isEmpty else { return }
    let words = actions.map { "\($0.name) (\(places($0).joined(separator: ", ")))" }
    warn(actions.map(\.name), "\(kind) \(words.joined(separator: ", ")): \(what)")
  }
}

extension FlowExport {
  /// Warns of features that XState lacks.
  mutating func warnOfXState(_ index: Int) {
    let chart = charts[index]
    for (number, state) in chart.states.enumerated() {
      if state.kind == .compound, let first = state.initial.first,
        !state.children.contains(where: { $0 === first })
      {
        charts[index].warn(
          [number], [],
          "\(chart.title(number)): its initial state \(first.id) is no child; the export begins in the child that contains it"
        )
      }
      var delays: Set<ExportedTimer.Delay> = []
      for timer in state.timers where !delays.insert(timer.delay).inserted {
        charts[index].warn(
          [number], [],
          "\(chart.title(number)): of two timers with the same delay, only the first is taken")
      }
    }
  }
}
