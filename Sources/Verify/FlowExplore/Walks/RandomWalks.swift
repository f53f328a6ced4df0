import Dispatch
import FlowKernel
import FlowLanguage
import LuaRuntime
import Platform
import Synchronization

/// The number and the length of random walks.
public struct WalkBounds: Sendable {
  /// The number of walks.
  public var walks = 1_000
  /// The maximum number of steps in a walk.
  public var steps = 100
  /// The seed of the random numbers; equal seeds produce equal walks.
  public var seed: UInt64

  /// Creates bounds of 1,000 walks with at most 100 steps each.
  public init(seed: UInt64) { self.seed = seed }
}

/// A set of random walks that several threads share.
final class WalkRun: @unchecked Sendable {
  let flow: LoadedFlow
  let setup: ExplorationSetup
  let walks: WalkBounds
  private let end: SearchEnd
  private let progress: ((Exploration.Progress) -> Void)?
  private let next = Atomic<Int>(0)
  private let done = DispatchSemaphore(value: 0)
  private var started = 0
  /// The lock that protects the members below.
  private let lock = Lock()
  private var error: (walk: Int, error: any Error)?
  var made = 0
  var steps = 0
  private var outside = 0
  private var longest = 0
  private var found: [WalkFault: (number: Int, walk: Walk)] = [:]
  private var witnesses: [Int: Int] = [:]
  private var passed: Set<String> = []

  /// The maximum number of different violations in the report.
  private static let most = 20

  init(_ exploration: Exploration, _ walks: WalkBounds, _ end: SearchEnd) {
    (flow, setup, progress) = (exploration.flow, exploration.setup, exploration.progress)
    (self.walks, self.end) = (walks, end)
  }

  func startThread() {
    let isStarted = SystemThread.start {
      self.goOn()
      self.done.signal()
    }
    if isStarted { started += 1 }
  }

  func waitForThreads() {
    for _ in 0..<started { done.wait() }
  }

  /// Makes walks until none are left.
  func goOn() {
    var number = -1
    do {
      let walker = try Walker(flow, setup, until: end)
      defer { lock.locked { passed.formUnion(walker.passed) } }
      while !end.isDue, lock.locked({ error == nil }) {
        number = next.add(1, ordering: .relaxed).oldValue
        guard number < walks.walks else { return }
        // The seed of a walk depends on its number only, not on the thread.
        var seeds = SeededRandom(seed: walks.seed &+ UInt64(number) &* 0x9e37_79b9)
        note(
          try walker.walk(steps: walks.steps, SeededRandom(seed: seeds.next())), number)
      }
    } catch {
      lock.locked {
        if number <= self.error?.walk ?? .max { self.error = (number, error) }
      }
    }
  }

  func note(_ walk: Walk, _ number: Int) {
    lock.locked {
      made += 1
      steps += walk.steps.count
      longest = max(longest, walk.steps.count)
      outside += walk.outside
      for (property, _) in walk.witnesses {
        witnesses[property] = min(witnesses[property] ?? .max, number)
      }
      for found in walk.found where number < self.found[found.fault]?.number ?? .max {
        self.found[found.fault] = (number, walk)
      }
      progress?(
        .init(
          states: steps, frontier: walks.walks - made, depth: longest, bytesPerState: 0, growing: []
        ))
    }
  }

  /// Returns the report; the walk of each finding is shrunk first.
  func report() throws -> WalkReport {
    if let error { throw error.error }
    let walker = try Walker(flow, setup, until: SearchEnd())
    let first = found.sorted { ($0.value.number, "\($0.key)") < ($1.value.number, "\($1.key)") }
    var findings: [WalkFault: ExplorationReport.Finding] = [:]
    var order: [WalkFault] = []
    for (fault, value) in first.prefix(WalkRun.most) {
      var shrinker = WalkShrinker(walker, from: value.walk.begin, fault)
      let steps = try shrinker.shrink(value.walk.steps)
      guard
        let (replayed, found) = try walker.replay(steps, from: value.walk.begin, until: fault)
      else { continue }
      findings[fault] = finding(fault, found, replayed, value.walk.begin, walker)
      order.append(fault)
    }
    return WalkReport(
      walks, made: made, steps: steps, outside: outside, ending: end.reason,
      findings: order.compactMap { findings[$0] },
      verdicts: verdicts(findings),
      invariants: flow.flow.invariants.map(\.function.name).map { name in
        (name, findings[.invariant(name)] == nil)
      },
      dead: flow.flow.actions.map(\.name).filter { !passed.contains($0) }.sorted())
  }

  private func finding(
    _ fault: WalkFault, _ found: Walk.Found, _ steps: [Walker.Replayed], _ begin: Int,
    _ walker: Walker
  ) -> ExplorationReport.Finding {
    let name =
      switch fault {
      case .invariant(let name): name
      case .property(let number): setup.said.properties[number].name
      case .failure(let place): place.mover
      case .deadlock: "deadlock"
      }
    let givens = setup.said.givens
    let part = givens.indices.contains(begin) ? givens[begin].part : [:]
    var titles = steps.map {
      $0.step.move.title($0.before.canonical.delay(by: setup.clock) ?? 0)
    }
    if part != [:] { titles.insert("given \(part)", at: 0) }
    return .init(
      sentence: found.sentence, name: name, steps: titles,
      counterexample: Counterexample(steps, given: part, fault, flow.flow, setup), isShortest: false
    )
  }

  private func verdicts(_ findings: [WalkFault: ExplorationReport.Finding]) -> [Verdict] {
    setup.said.properties.enumerated().map { number, property in
      func verdict(_ outcome: Verdict.Outcome, _ reason: String) -> Verdict {
        Verdict(property, outcome, reason, steps: nil, count: 0, nil)
      }
      switch property.kind {
      case .sometimes where witnesses[number] != nil: return verdict(.holds, "")
      case .sometimes: return verdict(.open, "no state so far")
      case .eventually, .leadsTo: return verdict(.open, "not checked, because every walk ends")
      default:
        return findings[.property(number)] == nil
          ? verdict(.open, "not violated so far") : verdict(.fails, "")
      }
    }
  }
}
