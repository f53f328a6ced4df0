import FlowKernel
import FlowLanguage
import LuaRuntime

/// A case of a log as a scenario, with what each event came to.
///
/// Effects and timers are off in it, as they are in a replay: what they dispatched stands in the log.
package struct RecordedScenario {
  private var lines: [String]
  private var time = 0
  private let internalActions: Set<String>
  /// Whether there was an event at all.
  package private(set) var isEmpty = true

  package init(case name: String, of flow: LoadedFlow) {
    let flow = flow.flow
    internalActions = Set(flow.actions.filter(\.isInternal).map(\.name))
    let hasMore =
      !flow.effects.isEmpty
      || flow.machines.contains { machine in
        machine.chart.states.contains { !$0.timers.isEmpty || $0.effect != nil }
      }
    lines = [
      "scenario(\(Value.quoted("case \(name)", limit: .max)), "
        + "\(hasMore ? "{ effects = false }, " : "")function()"
    ]
  }

  package mutating func add(_ event: Replay.Played) {
    isEmpty = false
    if event.time > time {
      lines.append("  advance(\(Value.text(of: Double(event.time - time) / 1_000_000)))")
      time = event.time
    }
    let verb =
      event.deviation.map { $0.isRefusal ? "refuse" : "fail" }
      ?? (internalActions.contains(event.action) ? "inside" : "pass")
    let by = event.deviation.map { ":by(\(Value.quoted($0.by, limit: .max)))" } ?? ""
    lines.append("  \(Names.dotted(verb, event.action))(\(event.payload.source))\(by)")
  }

  /// The text of the file.
  ///
  /// - Parameter flow: the flow's file as the scenario's file names it.
  package func text(flow: String) -> String {
    (["flow \(Value.quoted(flow, limit: .max))", ""] + lines + ["end)", ""])
      .joined(separator: "\n")
  }

  /// Runs a scenario file of a flow; gives the report of one that does not pass.
  package static func problem(
    in file: String, of flow: String? = nil, limits: Limits = Limits()
  ) -> String? {
    var report: [String] = []
    let text = TextReport(.quiet)
    var settings = PlaySettings()
    settings.limits = limits
    let summary = Runner(settings: settings).run(
      Selection([file], reaching: [flow].compactMap(\.self))
    ) { event in
      if let lines = text.text(for: event) { report.append(lines) }
    }
    return summary.passed > 0 && summary.notWell == 0 ? nil : report.joined(separator: "\n")
  }
}
