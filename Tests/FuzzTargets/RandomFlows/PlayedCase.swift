import LuaRuntime
import Moonlatch
import Platform
import Synchronization

/// A case of a random flow in a host with a journal, which can be restarted: what was told of it goes on.
final class PlayedCase {
  /// What a host prints, reports, and tells of transitions.
  final class Heard: Sendable {
    private let lines = Mutex<[String]>([])
    func add(_ line: String) { lines.withLock { $0.append(line) } }

    /// What was heard since this was last asked.
    func take() -> [String] {
      lines.withLock { lines in
        defer { lines = [] }
        return lines
      }
    }
  }

  let random: RandomFlow
  let flow: LoadedFlow
  private(set) var journal: MemoryJournal
  private(set) var world: World
  private(set) var host: FlowHost
  let heard: Heard

  init(
    _ random: RandomFlow, _ flow: LoadedFlow, in journal: MemoryJournal = MemoryJournal(),
    _ world: World = World(), _ heard: Heard = Heard(), given: Value? = nil
  ) throws {
    (self.random, self.flow, self.journal, self.world) = (random, flow, journal, world)
    self.heard = heard
    host = try PlayedCase.host(random, flow, journal, world, heard, given: given)
  }

  private static func host(
    _ random: RandomFlow, _ flow: LoadedFlow, _ journal: MemoryJournal, _ world: World,
    _ heard: Heard, given: Value? = nil
  ) throws -> FlowHost {
    let host = try FlowHost(
      flow, journal: journal, case: "c", given: given,
      options: HostOptions(
        limits: PlayedCase.limits, clock: .virtual, seed: random.seed,
        began: Date(timeIntervalSince1970: 1_700_000_000), print: { heard.add("print: " + $0) },
        report: { heard.add("report: " + $0) })
    ) { world.lend(random.capabilities, to: &$0) }
    try host.observe(owner: heard) { heard, commit in
      heard.add(
        "#\(commit.revision) \(commit.action) \(commit.payload) by "
          + "\(commit.cause ?? -1) at \(commit.microseconds): \(commit.patch)")
    }
    return host
  }

  /// Chains of random flows are short; those that are not end soon.
  static let limits: Limits = {
    var limits = Limits()
    limits.chain = 300
    return limits
  }()

  /// Ends the process, and takes the case up in another one.
  func restart() throws {
    try goOn(from: journal.restarted(), world.restarted())
  }

  /// Takes the case up as another process would that finds this.
  func goOn(from journal: MemoryJournal, _ world: World) throws {
    (self.journal, self.world) = (journal, world)
    host = try PlayedCase.host(random, flow, journal, world, heard)
  }

  // MARK: Waiting for the world

  /// Waits until the world has heard of each call that is under way.
  func waitForCalls() throws {
    try wait("calls reach the world") { try host.currentCalls.count == world.waiting.count }
  }

  /// Answers a call, and waits until the flow has gone on with that.
  func answer(_ id: String) throws {
    let before = Set(try host.currentCalls)
    world.answer(id)
    try wait("an answer arrives") { !before.isSubset(of: try host.currentCalls) }
    try waitForCalls()
  }

  private func wait(_ what: String, until isDone: () throws -> Bool) throws {
    for turn in 0..<600_000 {
      if try isDone() { return }
      if turn > 20 { usleep(turn > 200 ? 1_000 : 50) } else { sched_yield() }
    }
    throw Finding(description: "ten minutes have passed before \(what)")
  }
}
