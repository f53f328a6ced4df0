import CExplore
import FlowKernel
import FlowLanguage
import LuaRuntime

/// A test suite: scenarios that show all behaviours of a flow, as a file.
package struct Suite {
  /// The number of scenarios, and the number of behaviours that they show.
  package let scenarios, behaviours: Int
  private let texts: [[String]]

  /// Creates a suite.
  ///
  /// - Throws: `ExplorationError` if the states were not stored.
  package init(_ states: ExploredStates) throws {
    try states.findBehaviours()
    let search = try SuiteSearch(states)
    var titles: [String: Int] = [:]
    texts = try search.runs.map { run in
      let title = Suite.title(run, states)
      titles[title, default: 0] += 1
      let number = titles[title] ?? 1
      return try Counterexample.showing(run, states.session)
        .scenario(number == 1 ? title : "\(title) (\(number))")
    }
    (scenarios, behaviours) = (texts.count, states.first.count)
  }

  /// Returns the text of the file.
  ///
  /// - Parameter flow: the path of the flow's file, as the suite refers to it.
  package func text(flow: String) -> String {
    let head = [
      Counterexample.mark,
      "-- Every behaviour that was found. Without the line above, this file is not overwritten.",
      "flow \(Value.quoted(flow, limit: .max))",
    ]
    return (head + texts.flatMap { [""] + $0 } + [""]).joined(separator: "\n")
  }

  /// The maximum number of behaviours that a title names.
  private static let named = 3

  private static func title(_ run: SuiteRun, _ states: ExploredStates) -> String {
    let new = run.new.map { states.behaviours[$0] }
    let passing = new.filter { !$0.isRefusal }
    let telling = new.filter(\.changesSomething)
    var gists: [String] = []
    for behaviour in [telling, passing, new].first(where: { !$0.isEmpty }) ?? []
    where !gists.contains(behaviour.gist) {
      gists.append(behaviour.gist)
    }
    let more = gists.count - named
    return gists.prefix(named).joined(separator: "; ") + (more > 0 ? "; and \(more) more" : "")
  }
}
