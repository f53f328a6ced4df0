import FlowExplore
import Foundation
import Moonlatch

do {
  for path in CommandLine.arguments.dropFirst() {
    let start = ContinuousClock.now
    let flow = try LoadedFlow(URL(filePath: path))
    let report = try Exploration(flow).run()
    print("\(path): \(report.states) states, \(report.transitions) transitions, depth \(report.depth), whole \(report.isWhole), \(ContinuousClock.now - start)")
    print(report.details)
    for line in report.lines { print("  " + line) }
    for finding in report.findings { print("   ", finding.sentence); for s in finding.steps { print("      ", s) } }
  }
} catch { print("ERROR", error) }
