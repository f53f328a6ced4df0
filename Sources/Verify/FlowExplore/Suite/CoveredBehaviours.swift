import Platform
import Scenarios

/// The coverage of the reachable behaviours by scenarios.
package struct CoveredBehaviours {
  /// A behaviour that no scenario shows, and the shortest path to it.
  package struct Missing {
    package let behaviour: String
    package let steps: [String]
  }

  /// The number of reachable behaviours, and the number of those that scenarios show.
  package let total, covered: Int
  package let missing: [Missing]
  /// The number of scenarios that passed.
  package let scenarios: Int
  /// The scenarios that did not pass, and the files that could not be loaded, one sentence each.
  ///
  /// They do not count towards the coverage.
  package let problems: [String]

  /// Plays the scenarios of the flow that the paths contain.
  ///
  /// - Parameter flow: the path of the flow's file, which identifies the scenarios of the flow.
  package init(of states: ExploredStates, by paths: [String], flow: String) throws {
    try states.findBehaviours()
    let own = CoveredBehaviours.standard(flow)
    var settings = PlaySettings()
    settings.tellsEveryStep = true
    settings.notesCoverage = true
    settings.limits = states.session.setup.limits
    let runner = Runner(settings: settings)
    let selection = Selection(paths, reaching: [flow])
    var shown: Set<Int> = []
    var passed = 0
    var problems = selection.notes
    for item in selection.items {
      do {
        let open = try runner.open(item)
        guard CoveredBehaviours.standard(open.file.flow) == own else { continue }
        for entry in open.file.select(item, { _ in }) {
          let end = open.play(entry)
          switch end.result {
          case .passed: passed += 1
          case .skipped: continue
          default:
            problems.append("\(item.name):\(entry.line): \(entry.name): it does not pass")
            continue
          }
          for step in end.steps {
            let number = states.number(
              step.outcome, step.machineSteps, isFromQueue: step.isFromQueue)
            if let number { shown.insert(number) }
          }
        }
      } catch {
        problems.append(error.description)
      }
    }
    (total, covered, scenarios) = (states.first.count, shown.count, passed)
    self.problems = problems
    missing = states.first.indices.filter { !shown.contains($0) }.map {
      Missing(behaviour: states.behaviours[$0].phrase, steps: states.steps(to: $0))
    }
  }

  private static func standard(_ path: String) -> String {
    URL(filePath: path).absoluteURL.standardized.resolvingSymlinksInPath().path
  }

  /// The coverage as text for people.
  package var text: String {
    var lines = [
      "  covered \(covered) of \(total) behaviour\(total == 1 ? "" : "s") that can be reached, by "
        + "\(scenarios) scenario\(scenarios == 1 ? "" : "s")"
    ]
    for missing in missing {
      lines.append("  not     \(missing.behaviour)")
      lines += ExplorationReport.numbered(missing.steps)
    }
    return lines.joined(separator: "\n") + "\n"
  }
}
