import FlowHosting
import FlowKernel
import LuaRuntime
import Platform

/// A case of a random flow in a host with a journal, which can be restarted without losing what was heard.
final class PlayedCase {
  /// The output of a host: prints, reports and commits.
  final class Heard: Sendable {
    private let lines = Mutex<[String]>([])
    func add(_ line: String) { lines.withLock { $0.append(line) } }

    func dropCommits() { lines.withLock { $0.removeAll { $0.hasPrefix("#") } } }

    /// Returns the lines since the last call.
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
  /// The clock that moves the host's time; nil if the host is advanced directly.
  private(set) var clock: MovingClock?

  init(
    _ random: RandomFlow, _ flow: LoadedFlow, in journal: MemoryJournal = MemoryJournal(),
    _ world: World = World(), _ heard: Heard = Heard(), given: Value? = nil,
    clock: MovingClock? = nil
  ) throws {
    (self.random, self.flow, self.journal, self.world) = (random, flow, journal, world)
    (self.heard, self.clock) = (heard, clock)
    host = try PlayedCase.host(random, flow, journal, world, heard, clock, given: given)
  }

  private static func host(
    _ random: RandomFlow, _ flow: LoadedFlow, _ journal: MemoryJournal, _ world: World,
    _ heard: Heard, _ clock: MovingClock?, given: Value? = nil
  ) throws -> FlowHost {
    var options = HostOptions(
      limits: PlayedCase.limits, clock: .virtual, seed: random.seed, keepsTranscript: true,
      print: { heard.add("print: " + $0) }, report: { heard.add("report: \($0)") })
    if let clock {
      (options.clock, options.wall) = (.driven(by: clock), { clock.wall })
    } else {
      options.began = Date(timeIntervalSince1970: 1_700_000_000)
    }
    let host = try FlowHost(
      flow, journal: journal, case: "c", given: given, options: options
    ) { world.lend(random.capabilities, to: &$0) }
    try host.observe(owner: heard) { heard, commit in
      heard.add(
        "#\(commit.revision) \(commit.action) \(commit.payload) by "
          + "\(commit.cause ?? -1) at \(commit.microseconds), "
          + "\(commit.wallTime.timeIntervalSince1970): \(commit.writes)")
    }
    return host
  }

  /// Lets time pass, also on the wall clock.
  func advance(_ seconds: Double) throws {
    guard let clock else { return try host.advance(seconds) }
    clock.pass(seconds)
    try host.settle()
  }

  /// The limits: chains of random flows are short, and those that are not must end soon.
  static let limits: Limits = {
    var limits = Limits()
    limits.chain = 300
    return limits
  }()

  /// Ends the process, and restores the case in another one.
  func restart(after seconds: Double = 0) throws {
    (journal, world) = (journal.restarted(), world.restarted())
    // Time does not pass for the rest of the former process.
    clock = clock?.restarted()
    clock?.pass(seconds)
    host = try PlayedCase.host(random, flow, journal, world, heard, clock)
  }

  /// True if the journal has the current time of the case.
  var isWritten: Bool {
    get throws {
      let seq = try journal.summary(of: "c")?.seq ?? 0
      for entry in try journal.entries(of: "c", from: max(1, seq - 20), limit: .max).reversed() {
        if let time = try entry.contents().time { return try host.elapsed == .microseconds(time) }
      }
      return false
    }
  }

  // MARK: Waiting for the world

  /// Waits until the world has received each running call.
  func waitForCalls() throws {
    try wait("calls reach the world") { try host.currentCalls.count == world.waiting.count }
  }

  /// Answers a call, and waits until the flow has resumed with the answer.
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
