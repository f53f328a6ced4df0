import CExplore
import LuaRuntime
import Moonlatch

/// An exploration of a flow: every state that it can reach, by its own gates and reducers.
public struct Exploration {
  private let flow: LoadedFlow
  private let setup: ExplorationSetup
  /// What the file calls it that says it; nil where there is none.
  public private(set) var name: String?
  /// That file, as messages name it.
  public private(set) var file: String?
  /// How far it goes.
  public var bounds = ExplorationBounds()

  /// Explores with every payload of finite types, or with samples.
  ///
  /// - Throws: `ExplorationError` that says what is missing.
  public init(_ flow: LoadedFlow) throws(ExplorationError) {
    self.flow = flow
    setup = try ExplorationSetup(flow)
  }

  init(_ flow: LoadedFlow, _ setup: ExplorationSetup, name: String, in file: String) {
    (self.flow, self.setup) = (flow, setup)
    (self.name, self.file) = (name, file)
  }

  /// Goes through the states.
  ///
  /// - Throws: `ExplorationError` for what cannot be explored.
  public func run() throws -> ExplorationReport {
    let session = try Session(flow, setup, bounds)
    let status = try session.run()
    return ExplorationReport(session, isWhole: status == EXPLORE_OK)
  }
}

/// What an exploration has found.
public struct ExplorationReport: Sendable {
  /// How many different states were reached.
  public let states: Int
  /// The beginnings, and one for each state, action and payload that passes there.
  public let transitions: Int
  /// The states on the longest shortest path.
  public let depth: Int
  /// Whether all states that can be reached were gone through.
  public let isWhole: Bool
  public let findings: [Finding]
  public let lines: [String]
  /// What became of the properties of the file, in its order.
  public let verdicts: [Verdict]
  let counts: explore_counts
  /// For whoever looks at how the search went.
  public var details: String {
    "\(counts.words) words, \(counts.bits) bits, \(counts.misses) misses, \(counts.leaves) leaves, \(counts.checked) checked, \(counts.bytes) bytes, tries \(counts.trie_bytes)"
  }

  /// Something that does not hold, with the shortest way to it.
  public struct Finding: Sendable {
    public let sentence: String
    public let steps: [String]
  }

  init(_ session: Session, isWhole: Bool) {
    let counts = explore_count(session.search)
    self.counts = counts
    (states, transitions) = (Int(counts.distinct), Int(counts.generated))
    depth = Int(counts.depth)
    self.isWhole = isWhole
    var lines: [String] = []
    let findings = session.findings
    let broken = Set(findings.compactMap { finding -> String? in finding.invariant })
    for invariant in session.flow.flow.invariants where !broken.contains(invariant.function.name) {
      lines.append("holds   invariant \(invariant.function.name)")
    }
    for finding in findings { lines.append("fails   \(finding.finding.sentence)") }
    verdicts = session.verdicts(isWhole: isWhole)
    lines += verdicts.map(\.line)
    lines += session.deadActions.map { "dead    \($0)" }
    self.lines = lines
    self.findings = findings.map(\.finding)
  }
}

extension Session {
  /// What was found, with the name of the invariant that it breaks, if it does.
  var findings: [(finding: ExplorationReport.Finding, invariant: String?)] {
    (0..<explore_finding_count(search)).compactMap { number in
      let found = explore_finding_at(search, number)
      let trie = found.trie == EXPLORE_NONE ? nil : asked[Int(found.trie)]
      switch (found.found, trie) {
      case (EXPLORE_NO, .invariant(let index)?):
        let name = flow.flow.invariants[index].function.name
        let failure = failures[found.reason].map { "\($0)" } ?? "invariant \(name) does not hold"
        return (.init(sentence: failure, steps: steps(to: found)), name)
      case (EXPLORE_FAULT, _):
        let failure = failures[found.reason].map { "\($0)" } ?? "it failed"
        return (.init(sentence: failure, steps: steps(to: found)), nil)
      case (EXPLORE_DEADLOCK, _):
        return (
          .init(
            sentence:
              "deadlock: nothing leads on from \(found.count) state\(found.count == 1 ? "" : "s")",
            steps: steps(to: found)), nil
        )
      default: return nil
      }
    }
  }

  /// What leads there, a line each.
  func steps(to found: explore_finding) -> [String] {
    var lines = path(to: found.state).map { title($0.trie, in: $0.state) }
    if found.mover != EXPLORE_NONE, found.state != EXPLORE_NONE {
      lines.append(title(found.mover, in: found.state))
    }
    return lines
  }

  func path(to state: UInt32) -> [(state: UInt32, trie: UInt32)] {
    var steps: [(state: UInt32, trie: UInt32)] = []
    var at = state
    while at != EXPLORE_NONE {
      var mover: UInt32 = EXPLORE_NONE
      let parent = explore_parent(search, at, &mover)
      if parent == EXPLORE_NONE { break }
      steps.append((parent, mover))
      at = parent
    }
    return steps.reversed()
  }

  func title(_ trie: UInt32, in state: UInt32) -> String {
    let known = values(of: state).withUnsafeBufferPointer { self.move(trie, $0) }
    switch known {
    case .action(let name, let payload)?:
      return payload == [:] ? name : "\(name) \(payload)"
    case .time?: return "time passes"
    case .end(let effect, let action, _)?: return "\(effect.title) ends with \(action)"
    case nil: return "?"
    }
  }

  /// Actions that pass nowhere, and who refused them.
  var deadActions: [String] {
    var passed: [String: UInt64] = [:]
    var refusals: [String: [UInt32: UInt64]] = [:]
    for (trie, what) in asked.enumerated() {
      guard case .move(.action(let name, _)) = what else { continue }
      let counts = explore_trie_count(search, UInt32(trie))
      passed[name, default: 0] += counts.passed
      for n in 0..<counts.reason_count {
        var reason: UInt32 = 0
        let count = explore_reason_count(search, UInt32(trie), n, &reason)
        refusals[name, default: [:]][reason, default: 0] += count
      }
    }
    return passed.keys.sorted().compactMap { name in
      guard passed[name] == 0 else { return nil }
      let most = refusals[name]?.max { ($0.value, $1.key) < ($1.value, $0.key) }
      let why = most.map { " (\(reasons[Int($0.key)].text) in \($0.value))" } ?? ""
      return "action \(name) never passed\(why)"
    }
  }
}
