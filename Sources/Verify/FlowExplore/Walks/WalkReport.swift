import FlowLanguage
import LuaRuntime
import Scenarios

/// A report of random walks.
public struct WalkReport: Sendable {
  /// The number of walks, and the number of their steps.
  public let made, steps: Int
  /// The seed of the random numbers.
  public let seed: UInt64
  /// The violations, each with the shrunk walk that leads to it.
  public let findings: [ExplorationReport.Finding]
  /// The verdicts on the properties of the exploration file.
  public let verdicts: [Verdict]
  /// The actions that passed in no walk.
  public let dead: [String]
  /// True if the walks were stopped.
  public let isStopped: Bool
  private let bounds: WalkBounds
  private let outside: Int
  private let isOutOfTime: Bool
  private let invariants: [(name: String, holds: Bool)]

  init(
    _ bounds: WalkBounds, made: Int, steps: Int, outside: Int, ending: SearchEnd.Reason?,
    findings: [ExplorationReport.Finding], verdicts: [Verdict],
    invariants: [(name: String, holds: Bool)], dead: [String]
  ) {
    (self.bounds, self.made, self.steps, self.outside) = (bounds, made, steps, outside)
    (self.findings, self.verdicts, self.invariants, self.dead) = (
      findings, verdicts, invariants, dead
    )
    seed = bounds.seed
    (isStopped, isOutOfTime) = (ending == .stopped, ending == .time)
  }

  /// True if something is violated.
  public var fails: Bool { !findings.isEmpty }

  /// Returns the report as text for people.
  ///
  /// - Parameter name: the name of the flow or exploration.
  public func text(_ name: String) -> String {
    let end = isStopped ? "it was stopped" : isOutOfTime ? "the time limit was reached" : "walked"
    var lines = [
      "\(name): \(Value.grouped(made)) walk\(made == 1 ? "" : "s") of up to "
        + "\(Value.grouped(bounds.steps)) steps, \(Value.grouped(steps)) step\(steps == 1 ? "" : "s"), "
        + "seed \(seed), not all explored: \(end)"
    ]
    if outside > 0 {
      lines.append(
        "  outside \(Value.grouped(outside)) step\(outside == 1 ? "" : "s") to states that are not explored further: rolled back"
      )
    }
    lines += verdicts.filter { $0.outcome == .holds }.map { "  \($0.line)" }
    lines += invariants.filter(\.holds).map {
      "  open    \(Names.dotted("invariant", $0.name)): not violated so far"
    }
    lines += verdicts.filter { $0.outcome == .open }.map { "  \($0.line)" }
    for finding in findings {
      lines.append("  fails   \(finding.sentence)")
      lines += ExplorationReport.numbered(finding.steps)
    }
    lines += dead.map { "  dead    \($0) never passed in a walk" }
    return lines.joined(separator: "\n") + "\n"
  }

  /// Returns the report as lines of a stream.
  package func events(flow: String, exploration: String?) -> [Value] {
    var first = EventFields()
    first.set("event", "walks")
    first.set("flow", flow)
    first.set("name", exploration)
    first.set("walks", Optional(made))
    first.set("steps", Optional(steps))
    first.set("seed", "\(seed)")
    first.set("outside", outside)
    first.set("ending", isStopped ? "stopped" : isOutOfTime ? "out-of-time" : "walked")
    return [first.value] + findings.map(\.event) + verdicts.map(\.event)
      + dead.map { name in
        ["event": "dead", "kind": "action", "message": .string("\(name) never passed in a walk")]
      }
  }
}
