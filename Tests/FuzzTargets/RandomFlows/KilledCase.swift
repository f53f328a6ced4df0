import FlowHosting
import FlowKernel
import LuaRuntime
import Platform

/// A case whose process is killed, between two turns and in the middle of calls: its results must not change.
///
/// A schedule is played once without a kill, while the contents of the journal and the world are recorded at each
/// place. Then it is played on from each of these places.
package struct KilledCase {
  /// The counts of what was played.
  package struct Count: Sendable {
    package var schedules = 0
    package var kills = 0
    package var inCalls = 0
    package var calls = 0
    package var commits = 0

    package init() {}
  }

  private enum Step {
    case dispatch(String, Value)
    /// Lets time pass up to this time, in microseconds.
    case advance(until: Int)
    case answer(String)
  }

  /// The contents that a killed process leaves.
  private struct Place {
    let journal: MemoryJournal
    let world: World
    /// The call that is in progress; nil between calls.
    let call: World.Asked?
    /// The step that is in progress or has ended.
    var step: Int
    let isWithinStep: Bool
  }

  /// The places within calls at which the process could be killed.
  private final class Places: Sendable {
    private let all = Mutex<[(MemoryJournal, World, World.Asked)]>([])

    func note(_ call: World.Asked, _ journal: MemoryJournal, _ world: World) {
      let place = (journal.restarted(), world.restarted(), call)
      all.withLock { $0.append(place) }
    }

    func take() -> [(MemoryJournal, World, World.Asked)] {
      all.withLock { all in
        defer { all = [] }
        return all
      }
    }
  }

  private let random: RandomFlow
  private let flow: LoadedFlow
  private var steps: [Step] = []
  private var places: [Place] = []
  private var count = Count()

  /// Plays a schedule of durable effects, without a kill and with one at each place.
  ///
  /// - Throws: `Finding` if that makes a difference.
  package static func play(seed: UInt64, turns: Int, _ total: inout Count) throws {
    let random = RandomFlow(seed: seed, .durableEffects)
    do {
      var played = try KilledCase(random)
      try played.play(turns)
      total.add(played.count)
    } catch let error as Finding {
      throw Finding(description: "seed \(seed): \(error)\n\n\(random.text)")
    } catch {
      throw Finding(description: "seed \(seed): \(error)\n\n\(random.text)")
    }
  }

  private init(_ random: RandomFlow) throws {
    self.random = random
    flow = try LoadedFlow(source: random.text, name: "random.lua")
    count.schedules = 1
  }

  private mutating func play(_ turns: Int) throws {
    let reference = try drawn(turns)
    // A limit is reached elsewhere in a chain that another process began (ContractOfDurableFlows.md, 2.5).
    if reference.heard.take().contains(where: { $0.contains("without a dispatch from outside") }) {
      return
    }
    try checkIDs(of: reference.world)
    count.calls = reference.world.asked.count
    let expected = try course(of: reference)
    count.commits = expected.count - 1
    for place in places {
      count.kills += 1
      if place.call != nil { count.inCalls += 1 }
      let again = try PlayedCase(random, flow, in: place.journal, place.world.restarted())
      let hasEnded = try resumeCase(again, from: place)
      try compare(again, with: reference, expected, killedAt: place, hasEnded: hasEnded)
    }
  }

  /// Plays the rest of the schedule, and returns true if the case has ended before all of it.
  ///
  /// It can end when it is restored: without the kill, time passes to the end of the turn.
  private func resumeCase(_ again: PlayedCase, from place: Place) throws -> Bool {
    do {
      if place.isWithinStep { try finish(steps[place.step], on: again) }
      for step in steps[(place.step + 1)...] { try take(step, on: again) }
      return false
    } catch let error as JournalError where error.kind == .endedCase {
      return true
    }
  }

  // MARK: The schedule

  /// Plays a random schedule, and records it.
  private mutating func drawn(_ turns: Int) throws -> PlayedCase {
    var draw = Draw(seed: random.seed ^ 0xd1e)
    let (journal, world, inside) = (MemoryJournal(), World(), Places())
    world.onCall { [unowned world] call in inside.note(call, journal, world) }
    let played = try PlayedCase(random, flow, in: journal, world)
    // Actions that the start has queued run before anything is dispatched.
    var beginning: Step? = .advance(until: 0)
    for turn in 0..<turns + 40 {
      try played.waitForCalls()
      guard let step = try beginning ?? next(played, &draw, isDraining: turn >= turns) else {
        break
      }
      beginning = nil
      if try journal.summary(of: "c")?.ended != nil { break }
      steps.append(step)
      try take(step, on: played)
      try played.waitForCalls()
      for (journal, world, call) in inside.take() {
        places.append(
          Place(
            journal: journal, world: world, call: call, step: steps.count - 1, isWithinStep: true))
      }
      places.append(
        Place(
          journal: journal.restarted(), world: world.restarted(), call: nil, step: steps.count - 1,
          isWithinStep: false))
    }
    world.onCall(nil)
    return played
  }

  /// Returns the next step; towards the end pending work is waited for.
  private mutating func next(
    _ played: PlayedCase, _ draw: inout Draw, isDraining: Bool
  ) throws -> Step? {
    if let id = draw.one(of: played.world.waiting), draw.percent(isDraining ? 70 : 40) {
      return .answer(id)
    }
    let now = try played.host.elapsed.wholeMicroseconds
    if isDraining {
      if try played.host.pendingWork.isEmpty { return nil }
      return .advance(until: now + 30_000_000)
    }
    if draw.percent(45) {
      let seconds = [0.5, 1, 2, 3, 5, 10, 30][draw.below(7)]
      return .advance(until: now + Int(seconds * 1_000_000))
    }
    let action = draw.one(of: random.actions.filter { !$0.isInternal })
    return .dispatch(action?.name ?? "", draw.one(of: action?.payloads ?? []) ?? [:])
  }

  private func take(_ step: Step, on played: PlayedCase) throws {
    try played.waitForCalls()
    switch step {
    case .dispatch(let action, let payload): try played.host.dispatch(action, payload)
    case .answer(let id):
      guard played.world.waiting.contains(id) else {
        throw Finding(description: "nobody waits for the answer of \(id)")
      }
      try played.answer(id)
    case .advance: try finish(step, on: played)
    }
  }

  /// Plays the rest of a step that was in progress; queued actions ran when the case was restored.
  private func finish(_ step: Step, on played: PlayedCase) throws {
    guard case .advance(let end) = step else { return }
    let left = end - (try played.host.elapsed.wholeMicroseconds)
    try played.host.advance(.microseconds(max(0, left)))
  }

  // MARK: Comparing

  /// Returns the commits in the journal, in order.
  private func commits(of played: PlayedCase) throws -> [String] {
    let entries = try played.journal.entries(of: "c", from: 1, limit: .max)
    let commits = try entries.flatMap { try $0.contents().commits }
    return commits.map {
      "#\($0.revision) \($0.action) \($0.payload) by \($0.cause ?? -1) at \($0.microseconds): \($0.writes)"
    }
  }

  /// Returns the commits in the journal and the final state of the case.
  private func course(of played: PlayedCase) throws -> [String] {
    try played.waitForCalls()
    let stands = try played.host.standing.map { "\($0.part): \($0.text)" }
    return try commits(of: played) + [stands.joined(separator: "\n")]
  }

  private func compare(
    _ again: PlayedCase, with reference: PlayedCase, _ expected: [String], killedAt place: Place,
    hasEnded: Bool
  ) throws {
    let course = try hasEnded ? commits(of: again) : course(of: again)
    let expected = hasEnded ? expected.dropLast() : expected[...]
    func fail(_ what: String) throws {
      throw Finding(
        description: """
          killed \(place.call.map { "in \($0)" } ?? "behind a turn"), step \(place.step + 1) of
            \(steps.map { "\($0)" }.joined(separator: "\n  "))
          \(what)
          """)
    }
    for (one, other) in zip(expected, course) where one != other {
      try fail("it comes to\n\(other)\nand without that to\n\(one)")
    }
    if course.count != expected.count {
      try fail("it makes \(course.count) transitions in place of \(expected.count)")
    }
    var times: [World.Asked: Int] = [:]
    for asked in again.world.asked { times[asked, default: 0] += 1 }
    let wanted = Set(reference.world.asked)
    for (asked, count) in times {
      // A call that lost a race and is cancelled in its own turn may reach the world or not.
      if !wanted.contains(asked), again.world.answers(to: asked.id) > asked.attempt {
        try fail("it makes another call: \(asked)")
      }
      let had = place.world.answers(to: asked.id) > asked.attempt
      if count > (had ? 1 : 2) { try fail("it makes a call \(count) times: \(asked)") }
    }
    for asked in wanted
    where times[asked] == nil && reference.world.answers(to: asked.id) > asked.attempt {
      try fail("it never makes \(asked)")
    }
  }

  /// Checks that an id belongs to one call: all attempts must ask the same.
  private func checkIDs(of world: World) throws {
    var known: [String: World.Asked] = [:]
    for asked in world.asked {
      if let other = known[asked.id], other.name != asked.name || other.argument != asked.argument {
        throw Finding(description: "two calls have one id: \(other) and \(asked)")
      }
      known[asked.id] = asked
    }
  }
}

extension Duration {
  fileprivate var wholeMicroseconds: Int {
    Int(components.seconds) * 1_000_000 + Int(components.attoseconds / 1_000_000_000_000)
  }
}

extension KilledCase.Count {
  fileprivate mutating func add(_ other: KilledCase.Count) {
    schedules += other.schedules
    kills += other.kills
    inCalls += other.inCalls
    calls += other.calls
    commits += other.commits
  }
}

extension KilledCase.Count: CustomStringConvertible {
  package var description: String {
    "\(schedules) schedules with \(commits) transitions and \(calls) calls, killed \(kills) times, "
      + "\(inCalls) of them in a call"
  }
}
