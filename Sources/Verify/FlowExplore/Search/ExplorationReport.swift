import CExplore
import FlowLanguage
import LuaRuntime
import Platform

/// A report of an exploration: its findings, and how far it went.
public struct ExplorationReport: Sendable {
  /// The way in which an exploration ended.
  public enum Ending: Sendable {
    /// All reachable states were explored.
    case whole
    /// A bound was reached, or the memory was exhausted.
    case bounded
    /// The exploration was stopped.
    case stopped
  }

  /// The first line of generated scenario files, which identifies them.
  public static let mark = Counterexample.mark

  /// A violation, with the shortest sequence of steps that leads to it.
  public struct Finding: Sendable {
    /// The message, a sentence.
    public let sentence: String
    /// The subject of the finding, in a form that is suitable for a file name.
    public let name: String
    /// The steps that lead to the violation, one string each.
    public let steps: [String]
    /// A scenario that fails because of the violation; nil if none can be written.
    let counterexample: Counterexample?
    /// The number of further steps with the same fault at the same place.
    public var others = 0
    /// True if no shorter sequence of steps leads to the violation; if false, none of the steps can be left out.
    public var isShortest = true

    /// Returns the scenario file that fails because of the violation; nil if none can be written.
    ///
    /// - Parameter flow: the path of the flow's file, as the scenario file refers to it.
    public func scenario(flow: String) -> String? {
      // A violation in the initial state needs no scenario: everybody who runs the flow sees it.
      guard let counterexample, !counterexample.lines.isEmpty else { return nil }
      return counterexample.text(
        flow: flow, title: String(sentence.prefix { !$0.isNewline }),
        about: isShortest
          ? "It fails in the fewest possible steps."
          : "It fails, and none of its steps can be left out.")
    }
  }

  /// The number of distinct states that were reached.
  public let states: Int
  /// The number of transitions: one per initial state, and one per state, action and payload that passes.
  public let transitions: Int
  /// The number of states on the longest of the shortest paths.
  public let depth: Int
  /// The way in which the exploration ended.
  public let ending: Ending
  /// The violations, in the order of the number of steps that lead to them.
  public let findings: [Finding]
  /// The number of further faulty places that are not listed.
  public let moreFindings: Int
  /// The verdicts on the properties of the exploration file, in its order; `findings` includes those that fail.
  public let verdicts: [Verdict]
  /// The invariants and properties that hold in all explored states.
  public let holding: [String]
  /// The transitions that were not followed, and why: `12 transitions to where within says no`.
  public let outsides: [String]
  /// Actions that never passed and states of machines that were never reached, and why.
  public var dead: [String] { deadActions + unreachedStates }
  let deadActions, unreachedStates: [String]
  /// The invariants of the flow, each with true if it holds.
  let invariants: [(name: String, holds: Bool)]
  /// The graph in the requested format, or the reason why there is none; nil if none was requested.
  public internal(set) var graph: Result<String, ExplorationError>?
  /// The number of decisions that were played again as a check; nil if only a sample is checked.
  public let verified: Int?
  /// The number of questions and actions that were played each time, because too much would have to be learned.
  package let played: Int
  /// The places of the state that took new values at every depth, if a bound was reached.
  public let growing: [String]
  private let bound: String
  /// The probability that two states were taken for one, if hashes are stored instead of states.
  private let collisions: String?
  /// The omissions besides bounds, a clause each: `set.s came with its default alone`.
  public let omissions: [String]
  /// The warnings: functions of the flow that keep data outside of the state, and errors at a document's start.
  public let warnings: [String]
  /// The names of the symmetric values: of states that differ only by exchanging them, one is explored.
  public let alike: [String]
  let counts: explore_counts
  let isOutOfTime: Bool

  init(_ session: StateSearch, _ status: explore_status) throws {
    counts = explore_count(session.search)
    played = session.played.count
    (states, transitions) = (Int(counts.distinct), Int(counts.generated))
    depth = Int(counts.depth)
    isOutOfTime = session.ending.reason == .time
    let errors = try session.engines.withFirst { try $0.engine().beginningErrors }
    warnings = session.setup.changedLocals.map(\.warning) + errors.map { "\($0)" }
    omissions = session.omissions
    let reached: Ending =
      switch status {
      case EXPLORE_OK: session.omissions.isEmpty ? .whole : .bounded
      case EXPLORE_STOPPED where !isOutOfTime: .stopped
      default: .bounded
      }
    isSearched = status == EXPLORE_OK
    collisions = session.bounds.hashes ? ExplorationReport.collisions(counts) : nil
    bound = !isSearched ? ExplorationReport.bound(session.bounds, counts) : ""
    alike = session.setup.said.alike.map(\.name)
    growing = reached == .bounded && !isSearched ? session.growing(at: depth) : []
    verified = session.checks == .all ? Int(counts.checked) : nil
    verdicts = try session.verdicts(reached)
    let (firsts, more) = session.findings
    moreFindings = more
    findings = firsts + verdicts.filter { $0.outcome == .fails }.map(\.finding)
    ending = session.error?.kind == .stopped ? .stopped : reached
    let broken = Set(session.brokenInvariants)
    holding =
      session.flow.flow.invariants.map(\.function.name).filter { !broken.contains($0) }
      .map { Names.dotted("invariant", $0) }
      + verdicts.filter { $0.outcome == .holds }.map(\.title)
    outsides = session.outsides
    (deadActions, unreachedStates) = (session.deadActions, session.unreachedStates)
    invariants = session.flow.flow.invariants.map(\.function.name).map {
      ($0, !broken.contains($0))
    }
  }

  /// True if a checkpoint holds all results so far, so that the search can resume: it was stopped or out of time.
  public var canGoOn: Bool { ending == .stopped || isOutOfTime }

  /// True if something is violated.
  public var fails: Bool { !findings.isEmpty }

  /// True if all states within the explored part were visited, even if the exploration omits payloads or answers.
  package let isSearched: Bool

  /// True if each property either holds or does not.
  public var isDecided: Bool { verdicts.allSatisfy { $0.outcome != .open } }

  /// The violations of the flow itself, in the form that `ReferenceSearch` reports.
  package internal(set) var found: [FoundFault] = []
  /// The number of transitions to states beyond an invariant, `within` or the limit of effects; none is expanded.
  package var outside: Int { Int(counts.outside) }

  /// Statistics of the search, for tuning its speed.
  package var details: String {
    "\(counts.words) words, \(counts.bits) bits, \(counts.misses) misses, \(counts.leaves) leaves, "
      + "\(counts.checked) checked, \(counts.bytes) bytes, \(counts.trie_bytes) of tries"
  }

  /// Returns the report as text for people.
  ///
  /// - Parameter name: the name of the explored flow or exploration.
  public func text(_ name: String) -> String {
    var reasons = omissions
    switch ending {
    case .stopped: reasons.insert("it was stopped", at: 0)
    case .bounded where isOutOfTime: reasons.insert("the time limit was reached", at: 0)
    case .bounded where !bound.isEmpty:
      reasons.insert("the bound of \(bound) was reached", at: 0)
    case .whole, .bounded: break
    }
    let end =
      reasons.isEmpty
      ? collisions.map { "probably all explored (\($0))" } ?? "all explored"
      : "not all explored: \(reasons.joined(separator: "; "))"
    var lines = [
      "\(name): \(Value.grouped(states)) state\(states == 1 ? "" : "s")\(exchanged), "
        + "\(Value.grouped(transitions)) transition\(transitions == 1 ? "" : "s"), depth \(depth), \(end)"
    ]
    if !growing.isEmpty {
      lines.append(
        "  grows   \(growing.joined(separator: ", ")): there may be no end; a gate, a bound of the type, or"
          + " within in NAME.explore.lua can limit it")
    }
    lines += outsides.map { "  outside \($0)" }
    lines += holding.map { "  holds   \($0)" }
    lines += verdicts.filter { $0.outcome == .open }.map { "  \($0.line)" }
    for finding in findings {
      lines.append("  fails   \(finding.sentence)")
      lines += ExplorationReport.numbered(finding.steps)
      if finding.others > 0 {
        lines.append(
          "           the same error, in \(Value.grouped(finding.others)) more step"
            + (finding.others == 1 ? "" : "s"))
      }
    }
    if moreFindings > 0 {
      lines.append(
        "  fails   \(Value.grouped(moreFindings)) more place\(moreFindings == 1 ? "" : "s") that "
          + "\(moreFindings == 1 ? "is" : "are") not listed: fix these first")
    }
    let soFar = ending == .whole ? "" : " so far"
    lines += dead.map { "  dead    \($0)\(soFar)" }
    lines += warnings.map { "  warning \($0)" }
    if let verified {
      lines.append(
        "  \(Value.grouped(verified)) decision\(verified == 1 ? "" : "s") verified")
    }
    return lines.joined(separator: "\n") + "\n"
  }
}

extension ExplorationReport {
  /// The clause ` but for exchanges of r and q`; empty without symmetry.
  private var exchanged: String {
    alike.isEmpty ? "" : " up to symmetry of \(alike.joined(separator: " and "))"
  }

  /// Returns `two states share a hash with a probability of 4e-12`: half the square of their number, by 2 to the 64th.
  private static func collisions(_ counts: explore_counts) -> String {
    let states = Double(counts.distinct)
    let probability = min(1, states * states / 2 / 0x1p64)
    let exponent = probability > 0 ? Int(log10(probability).rounded(.down)) : 0
    let digit = Int((probability / pow(10, Double(exponent))).rounded(.up))
    return "two states share a hash with a probability of \(digit)e\(exponent) at most"
  }

  /// Returns the bound that was reached, assuming that it was not the time.
  private static func bound(_ bounds: ExplorationBounds, _ counts: explore_counts) -> String {
    if bounds.states > 0, counts.distinct >= bounds.states {
      return "\(Value.grouped(Int(bounds.states))) states"
    }
    if bounds.depth > 0, counts.depth >= bounds.depth { return "depth \(bounds.depth)" }
    let sizes = [(1 << 30, "GB"), (1 << 20, "MB"), (1 << 10, "kB")]
    let (unit, name) = sizes.first { bounds.memory % $0.0 == 0 } ?? (1, "bytes")
    return "\(Value.grouped(bounds.memory / unit)) \(name) of memory"
  }

  /// Returns the steps as the numbered lines of a report.
  static func numbered(_ steps: [String]) -> [String] {
    steps.enumerated().map { number, step in
      let mark = String(repeating: " ", count: max(0, 4 - "\(number + 1)".count))
      return "        \(mark)\(number + 1)  \(step)"
    }
  }
}
