import CExplore
import FlowLanguage
import LuaRuntime
import Platform

/// The findings of an exploration, and how far it went.
public struct ExplorationReport: Sendable {
  /// How it came to its end.
  public enum Ending: Sendable {
    /// All states that can be reached were gone through.
    case whole
    /// A bound was reached, or there was no memory for more.
    case bounded
    /// Somebody stopped it.
    case stopped
  }

  /// The first line of scenario files that are written so, by which they are known.
  public static let mark = Counterexample.mark

  /// Something that does not hold, with the shortest way to it.
  public struct Finding: Sendable {
    /// The sentence.
    public let sentence: String
    /// What it is about, as a file may be named.
    public let name: String
    /// What leads there, a step each.
    public let steps: [String]
    /// A scenario that fails by it; nil where none can be written.
    let counterexample: Counterexample?
    /// In how many steps more the same goes wrong at the same place.
    public var others = 0
    /// Whether there are no fewer steps that lead there; otherwise none of them can be left out.
    public var isShortest = true

    /// The scenario file that fails by it; nil where none can be written.
    ///
    /// - Parameter flow: the flow's file as that file names it.
    public func scenario(flow: String) -> String? {
      // Of the first state there is nothing to play: whoever runs the flow is told.
      guard let counterexample, !counterexample.lines.isEmpty else { return nil }
      return counterexample.text(
        flow: flow, title: String(sentence.prefix { !$0.isNewline }),
        about: isShortest
          ? "It fails, and is of the fewest steps that do."
          : "It fails, and none of its steps can be left out.")
    }
  }

  /// How many different states were reached.
  public let states: Int
  /// The beginnings, and one for each state, action and payload that passes there.
  public let transitions: Int
  /// The states on the longest shortest path.
  public let depth: Int
  /// How it came to its end.
  public let ending: Ending
  /// What does not hold, in the order of the steps that lead there.
  public let findings: [Finding]
  /// How many other places are at fault that are not listed.
  public let moreFindings: Int
  /// What became of the properties of the file, in its order; those that fail are among the findings.
  public let verdicts: [Verdict]
  /// What holds in all states that were gone through.
  public let holding: [String]
  /// What was not gone on from, and why: `12 transitions to where within says no`.
  public let outsides: [String]
  /// Actions that never passed and states of machines that were never reached, and why.
  public var dead: [String] { deadActions + unreachedStates }
  let deadActions, unreachedStates: [String]
  /// The flow's invariants, and whether each holds.
  let invariants: [(name: String, holds: Bool)]
  /// The graph, as a file of the form that was asked for, or why there is none; nil where nobody asked.
  public internal(set) var graph: Result<String, ExplorationError>?
  /// How many decisions were played once more; nil where only some are.
  public let verified: Int?
  /// How many questions and actions were played, since too much would have had to be learned of them.
  package let played: Int
  /// Where a bound was reached: places of the state that took new values at every depth.
  public let growing: [String]
  private let bound: String
  /// The probability that a state was taken for another one, where hashes were kept in place of states.
  private let collisions: String?
  /// The omissions besides bounds, a clause each: `set.s came with its default alone`.
  public let omissions: [String]
  /// The functions of the flow that keep something outside of the state, and errors of a document's beginning.
  public let warnings: [String]
  /// The names of values of which states differ only in which is which: of such one was gone on from.
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

  /// Whether a checkpoint holds all that was seen, from which it goes on: it was stopped, or its time was over.
  public var canGoOn: Bool { ending == .stopped || isOutOfTime }

  /// True if something does not hold.
  public var fails: Bool { !findings.isEmpty }

  /// True if all states were gone through, whatever was left out of them.
  package let isSearched: Bool

  /// True if each property either holds or does not.
  public var isDecided: Bool { verdicts.allSatisfy { $0.outcome != .open } }

  /// What does not hold of the flow itself, as a search tells it that learns nothing.
  package internal(set) var found: [FoundFault] = []
  /// How many transitions lead to such a state.
  package var outside: Int { Int(counts.outside) }

  /// For whoever looks at how the search went.
  package var details: String {
    "\(counts.words) words, \(counts.bits) bits, \(counts.misses) misses, \(counts.leaves) leaves, "
      + "\(counts.checked) checked, \(counts.bytes) bytes, \(counts.trie_bytes) of tries"
  }

  /// What a person reads.
  ///
  /// - Parameter name: what is explored.
  public func text(_ name: String) -> String {
    var reasons = omissions
    switch ending {
    case .stopped: reasons.insert("it was stopped", at: 0)
    case .bounded where isOutOfTime: reasons.insert("the time was over", at: 0)
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
        "  grows   \(growing.joined(separator: ", ")): no end is in sight; a gate, a bound of the type, or"
          + " within in NAME.explore.lua would set one")
    }
    lines += outsides.map { "  outside \($0)" }
    lines += holding.map { "  holds   \($0)" }
    lines += verdicts.filter { $0.outcome == .open }.map { "  \($0.line)" }
    for finding in findings {
      lines.append("  fails   \(finding.sentence)")
      lines += ExplorationReport.numbered(finding.steps)
      if finding.others > 0 {
        lines.append(
          "           the same place, in \(Value.grouped(finding.others)) more step"
            + (finding.others == 1 ? "" : "s"))
      }
    }
    if moreFindings > 0 {
      lines.append(
        "  fails   \(Value.grouped(moreFindings)) more place\(moreFindings == 1 ? "" : "s") that "
          + "\(moreFindings == 1 ? "is" : "are") not listed: mend these first")
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
  /// ` but for exchanges of r and q`.
  private var exchanged: String {
    alike.isEmpty ? "" : " but for exchanges of \(alike.joined(separator: " and "))"
  }

  /// `two states share a hash with a probability of 4e-12`: half the square of their number, by 2 to the 64th.
  private static func collisions(_ counts: explore_counts) -> String {
    let states = Double(counts.distinct)
    let probability = min(1, states * states / 2 / 0x1p64)
    let exponent = probability > 0 ? Int(log10(probability).rounded(.down)) : 0
    let digit = Int((probability / pow(10, Double(exponent))).rounded(.up))
    return "two states share a hash with a probability of \(digit)e\(exponent) at most"
  }

  /// Which bound was reached, if it was not that of time.
  private static func bound(_ bounds: ExplorationBounds, _ counts: explore_counts) -> String {
    if bounds.states > 0, counts.distinct >= bounds.states {
      return "\(Value.grouped(Int(bounds.states))) states"
    }
    if bounds.depth > 0, counts.depth >= bounds.depth { return "depth \(bounds.depth)" }
    let sizes = [(1 << 30, "GB"), (1 << 20, "MB"), (1 << 10, "kB")]
    let (unit, name) = sizes.first { bounds.memory % $0.0 == 0 } ?? (1, "bytes")
    return "\(Value.grouped(bounds.memory / unit)) \(name) of memory"
  }

  /// Steps as a report lists them.
  static func numbered(_ steps: [String]) -> [String] {
    steps.enumerated().map { number, step in
      let mark = String(repeating: " ", count: max(0, 4 - "\(number + 1)".count))
      return "        \(mark)\(number + 1)  \(step)"
    }
  }
}
