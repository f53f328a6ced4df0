import FlowKernel
import FlowLanguage
import LuaRuntime

/// A case of a log as a scenario, with the outcome of each event.
///
/// The scenario turns effects and timers off, as a replay does, because the log contains the actions that they
/// dispatched.
package struct RecordedScenario {
  private var lines: [String]
  private var time = 0
  private let internalActions: Set<String>
  /// True if the case has no event.
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

  /// Returns the text of the scenario file.
  ///
  /// - Parameter flow: the path of the flow's file as the scenario file names it.
  package func text(flow: String) -> String {
    (["flow \(Value.quoted(flow, limit: .max))", ""] + lines + ["end)", ""])
      .joined(separator: "\n")
  }

  /// Runs a scenario file of a flow; returns the report if the scenario does not pass.
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
