import FlowExplore
import FlowHosting
import Foundation
import LuaRuntime
import Scenarios

/// A comparison of exploration with a reference search that learns nothing, over a random flow with finitely many
/// states.
///
/// Both must reach the same states, and each path to a violation must play as a scenario.
package struct ExploredCase {
  /// The counts of what was compared.
  package struct Count: Sendable, CustomStringConvertible {
    package var flows = 0
    /// The number of flows whose states were all compared; the others were compared up to a depth.
    package var whole = 0
    /// The number of flows that cannot be explored, because effects can start without limit or the start fails.
    package var refused = 0
    /// The number of flows that cache results, and whose exploration ended for that reason.
    package var impure = 0
    package var states = 0
    package var transitions = 0
    package var counterexamples = 0

    package init() {}

    package var description: String {
      "\(flows) flows, \(whole) of them whole, \(refused) refused and \(impure) impure, \(states) states, "
        + "\(transitions) transitions, \(counterexamples) counterexamples played"
    }
  }

  /// The limits, which bound postponed actions: otherwise a state that postpones has an unlimited number of successors.
  private static let limits = Limits(postponed: 2)

  private let flow: String
  private let exploration: String
  private let folder: URL

  /// Compares the random flow of a seed, and throws any difference.
  ///
  /// - Parameter most: the approximate number of states that both visit.
  package static func play(seed: UInt64, most: Int = 500, _ count: inout Count) throws {
    let random = RandomFlow(seed: seed, .finite)
    do {
      try play(
        random.text,
        exploring: "explore(\"it\", {\(random.bound)}, function()\n\(random.properties)\nend)",
        most: most,
        &count)
    } catch {
      throw Finding(
        description: "seed \(seed): \(error)\n\n\(random.text)\n\(random.properties)")
    }
  }

  /// Compares a flow, and throws any difference.
  ///
  /// - Parameter exploration: the declaration of the exploration, as in a file.
  package static func play(
    _ flow: String, exploring exploration: String, most: Int = 500, _ count: inout Count
  ) throws {
    try ExploredCase(flow, exploration).play(most, &count)
  }

  private init(_ flow: String, _ exploration: String) {
    (self.flow, self.exploration) = (flow, exploration)
    folder = FileManager.default.temporaryDirectory.appending(
      path: "fuzz-\(UUID().uuidString)", directoryHint: .isDirectory)
  }

  private func play(_ most: Int, _ count: inout Count) throws {
    count.flows += 1
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try Data(flow.utf8).write(to: folder.appending(path: "flow.lua"))
    let file = folder.appending(path: "a.explore.lua")
    try Data("flow \"flow.lua\"\n\(exploration)\n".utf8).write(to: file)
    guard var exploration = try exploration(of: file, &count) else { return }
    exploration.bounds.states = UInt64(most)
    exploration.collectsFaults = true
    var report: ExplorationReport
    do {
      report = try exploration.run()
      if !report.isSearched {
        // All states up to the depth that was completed can be compared.
        exploration.bounds.states = 0
        exploration.bounds.depth = UInt32(max(report.depth, 2))
        report = try exploration.run()
      }
    } catch let error as ExplorationError where error.kind == .setup {
      try require(
        error.description.hasPrefix("more than")
          || error.description.contains("within returns false in every initial state"),
        "it cannot be explored: \(error.description)")
      count.refused += 1
      return
    } catch let error as ExplorationError
      where error.kind == .impure && flow.contains(RandomFlow.keptPrefix)
    {
      count.impure += 1
      return
    } catch let error as ExplorationError where error.kind == .flow || error.kind == .impure {
      // A flow that fails as it starts must fail for both.
      var played: ExplorationError?
      do { _ = try ReferenceSearch(exploration, most: 1) } catch let other as ExplorationError {
        played = other
      }
      try require(played == error, "learned: \(error), played: \(String(describing: played))")
      count.refused += 1
      return
    }
    try compare(report, exploration)
    if report.ending == .whole { count.whole += 1 }
    count.states += report.states
    count.transitions += report.transitions
    for finding in report.findings { try play(finding, &count) }
  }

  /// Returns the exploration of a file; nil if the flow fails as it starts, which must then fail for a host too.
  private func exploration(of file: URL, _ count: inout Count) throws -> Exploration? {
    do {
      guard
        let exploration = try ExplorationFile(file, limits: ExploredCase.limits).explorations()
          .first
      else {
        throw Finding(description: "nothing is explored")
      }
      return exploration
    } catch let error where !(error is Finding) {
      var hosted = "begins"
      do {
        _ = try FlowHost(flow: folder.appending(path: "flow.lua"))
      } catch let other {
        hosted = "\(other)"
      }
      try require(hosted == "\(error)", "explored: \(error), hosted: \(hosted)")
      count.refused += 1
      return nil
    }
  }

  private func compare(_ report: ExplorationReport, _ exploration: Exploration) throws {
    let plain = try ReferenceSearch(
      exploration, most: .max, levels: Int(exploration.bounds.depth))
    func same<T: Equatable>(_ what: String, _ learned: T, _ played: T) throws {
      try require(learned == played, "\(what) \(learned) learned, \(played) played")
    }
    try same("states:", report.states, plain.states)
    try same("transitions:", report.transitions - report.outside, plain.transitions)
    try same("depth:", report.depth, plain.depth)
    try same("whole:", report.isSearched, plain.isWhole)
    try same("faults:", report.found, plain.found)
    guard report.isSearched else { return }
    let broken = report.verdicts.filter { !$0.isAboutRuns && $0.outcome == .fails }.map(\.title)
    // Payloads that were left out, or states beyond the bound, might lead where nothing that was tried does.
    let isAll = report.ending == .whole && report.outside == 0
    let open = isAll ? [] : report.verdicts.filter { $0.outcome == .open }
    try same("broken:", broken.sorted(), plain.broken.subtracting(open.map(\.title)).sorted())
    try compare(report.verdicts.filter(\.isAboutRuns), plain, isWhole: report.ending == .whole)
    // All that was left out must be reported.
    if report.isDecided {
      try same("all explored:", report.ending == .whole, !flow.contains("default = \"me\""))
    }
  }

  /// Compares the verdicts on promises about runs: if not all states were visited, none may be said to hold.
  private func compare(_ verdicts: [Verdict], _ plain: ReferenceSearch, isWhole: Bool) throws {
    for verdict in verdicts {
      let played = plain.kept[verdict.title]
      let expected = isWhole || played != .holds ? played : .open
      try require(
        verdict.outcome == expected,
        "\(verdict.line), and played \(String(describing: played))")
    }
  }

  /// Plays the scenario of a finding, which must fail at its last line.
  private func play(
    _ finding: ExplorationReport.Finding, _ count: inout Count
  ) throws {
    guard let text = finding.scenario(flow: "flow.lua") else { return }
    count.counterexamples += 1
    // The last line is that of `end)`, and nothing follows it.
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    let last = lines.count - 2
    let ending = try play(text)
    lines.remove(at: last - 1)
    // An error of a rule of the flow is reported in the flow: without the last line the scenario must pass.
    let isThere =
      switch ending {
      case .failed(let failed): failed.place.line == last
      case .broken(let broken):
        broken.error.chunk == "flow.lua"
          ? try play(lines.joined(separator: "\n")).isPassed : broken.error.line == last
      default: false
      }
    try require(
      isThere, "\(finding.sentence): its scenario does not fail on line \(last): \(ending)\n\(text)"
    )
  }

  private func play(_ scenario: String) throws -> ScenarioResult {
    let name = "found.scenario.lua"
    try Data(scenario.utf8).write(to: folder.appending(path: name))
    var settings = PlaySettings()
    settings.snapshots = .keepAll
    settings.limits = ExploredCase.limits
    guard let item = Selection([name], in: folder).items.first else {
      throw Finding(description: "there is no scenario")
    }
    let open = try Runner(settings: settings).open(item)
    guard let entry = open.file.entries.first else {
      throw Finding(description: "there is no scenario")
    }
    return open.play(entry).result
  }
}

extension ScenarioResult {
  fileprivate var isPassed: Bool { if case .passed = self { true } else { false } }
}
