import FlowHosting
import FlowKernel
import FlowLanguage
import LuaRuntime

/// A comparison of a case that lives on with one that is restarted after each turn: they must not differ.
package struct RestartedCase {
  /// The counts of what was played.
  package struct Count: Sendable {
    package var flows = 0
    package var turns = 0
    package var passed = 0
    package var refused = 0
    package var failed = 0
    package var commits = 0
    package var answers = 0

    package init() {}
  }

  private let random: RandomFlow
  private let live: PlayedCase
  private let restarted: PlayedCase
  private var draw: Draw
  private var steps: [String] = []
  private var count = Count()

  /// Plays a random flow for a number of turns.
  ///
  /// - Throws: `Finding` if the two cases differ.
  package static func play(
    seed: UInt64, turns: Int, _ total: inout Count
  ) throws {
    let random = RandomFlow(seed: seed, .varied(seed))
    guard try canStart(random) else { return total.flows += 1 }
    do {
      var played = try RestartedCase(random)
      while played.count.turns < turns, try !played.hasEnded { try played.turn() }
      total.add(played.count)
    } catch let error as Finding {
      throw error
    } catch let error as JournalError where error.kind == .endedCase {
      total.flows += 1  // the case has ended in the middle of a turn
    } catch {
      throw Finding(description: "seed \(seed): \(error)\n\n\(random.text)")
    }
  }

  /// Returns false if the initial states violate the flow's declarations: such a flow has no case.
  private static func canStart(_ random: RandomFlow) throws -> Bool {
    let flow = try LoadedFlow(source: random.text, name: "random.lua")
    do {
      _ = try FlowHost(flow, options: HostOptions(limits: PlayedCase.limits, clock: .virtual))
      return true
    } catch is FlowError {
      return false
    }
  }

  private init(_ random: RandomFlow) throws {
    self.random = random
    let flow = try LoadedFlow(source: random.text, name: "random.lua")
    var draw = Draw(seed: random.seed ^ 0x5eed)
    let given = draw.percent(30) ? try RestartedCase.later(random, flow, &draw) : nil
    // Half of the cases have a clock of their own, beside a wall clock that is set now and then.
    let moves = draw.percent(50)
    func played() throws -> PlayedCase {
      try PlayedCase(random, flow, given: given, clock: moves ? MovingClock() : nil)
    }
    live = try played()
    restarted = try played()
    self.draw = draw
    if let given { steps.append("given \(given)") }
    count.flows = 1
  }

  /// Returns a state that the flow can reach with some actions.
  private static func later(
    _ random: RandomFlow, _ flow: LoadedFlow, _ draw: inout Draw
  ) throws -> Value {
    let played = try PlayedCase(random, flow)
    for _ in 0..<5 {
      guard let action = draw.one(of: random.actions) else { break }
      _ = try played.host.dispatch(action.name, draw.one(of: action.payloads) ?? [:])
    }
    return try played.host.state()
  }

  /// True if the case has ended, which it must have done in both.
  private var hasEnded: Bool {
    get throws {
      let one = try live.journal.summary(of: "c")?.ended != nil
      try require(
        "\(one)", "\(try restarted.journal.summary(of: "c")?.ended != nil)", "whether it has ended")
      return one
    }
  }

  private mutating func turn() throws {
    count.turns += 1
    try settingWall { played in
      switch played.draw.below(100) {
      case ..<3: try played.reload()
      case ..<6: try played.replay()
      default: try played.input()
      }
    }
    try live.waitForCalls()
    try restarted.waitForCalls()
    try compare()
    try restart()
  }

  /// Plays a random input from outside.
  private mutating func input() throws {
    try live.waitForCalls()
    let waiting = live.world.waiting
    if let id = draw.one(of: waiting), draw.percent(25) {
      steps.append("answer \(id)")
      count.answers += 1
      try live.answer(id)
      return try restarted.answer(id)
    }
    switch draw.below(97) {
    case ..<22: try advance()
    case ..<27: try goBack()
    case ..<30: try batch()
    default: _ = try dispatch()
    }
  }

  // MARK: The wall clock, and the restart

  /// Runs `body`, sometimes after the wall clock was set.
  ///
  /// A journal records the wall clock with the next entry. If there was no entry, the clock is set back: a restart lets
  /// as much time pass as the wall clock has moved since the last entry (ContractOfDurableFlows.md, 3.2).
  private mutating func settingWall(_ body: (inout RestartedCase) throws -> Void) throws {
    guard live.clock != nil, draw.percent(10) else { return try body(&self) }
    let seconds = [3_600, -3_600, 90_000, -7][draw.below(4)]
    let before = try live.journal.summary(of: "c")?.seq
    try setWall(by: seconds)
    try body(&self)
    if try live.journal.summary(of: "c")?.seq == before { try setWall(by: -seconds) }
  }

  private mutating func setWall(by seconds: Int) throws {
    steps.append("the wall clock is set by \(seconds)")
    for played in [live, restarted] {
      played.clock?.setWall(by: seconds)
      try played.host.settle()  // a host reads the wall clock when it is called
    }
  }

  /// Ends the process of one of the cases and restores it in another one, some time later if time passes by itself.
  private mutating func restart() throws {
    var (setBack, pause) = (0, 0.0)
    if live.clock != nil, draw.percent(30) {
      pause = [0.5, 1, 2, 5, 30][draw.below(5)]
      steps.append("nobody runs for \(pause)")
      try live.advance(pause)
      live.heard.dropCommits()  // a host that restores a case has no observers yet
    } else if live.clock != nil, draw.percent(10), try live.isWritten {
      setBack = [1, 60, 3_600][draw.below(3)]
      try setWall(by: -setBack)
    }
    try restarted.restart(after: pause)
    try live.waitForCalls()
    try restarted.waitForCalls()
    try compare(isBehindRestart: true)
    if setBack != 0 { try setWall(by: setBack) }
  }

  // MARK: Steps

  private mutating func advance() throws {
    let seconds = [0.5, 1, 2, 3, 5, 10, 30, 60][draw.below(8)]
    steps.append("advance \(seconds)")
    try live.advance(seconds)
    try restarted.advance(seconds)
  }

  /// Returns a random action from outside with a payload, which is invalid now and then.
  private mutating func dispatched() -> (action: String, payload: Value) {
    guard let action = draw.one(of: random.actions.filter { !$0.isInternal || draw.percent(5) })
    else { return ("nothing", [:]) }
    if draw.percent(3) { return (action.name, ["nothing": 1]) }
    return (action.name, draw.one(of: action.payloads) ?? [:])
  }

  private mutating func dispatch() throws -> Bool {
    let (action, payload) = dispatched()
    steps.append("\(action) \(payload)")
    let asked = dispatched()
    try require(
      "\(try live.host.may(asked.action, asked.payload))",
      "\(try restarted.host.may(asked.action, asked.payload))", "may \(asked)")
    // Queued actions run before this one.
    let isSettled = try !live.host.pendingWork.contains { $0.kind == .queued }
    let before = try live.host.standing
    let one = try live.host.dispatch(action, payload)
    let other = try restarted.host.dispatch(action, payload)
    try require("\(one)", "\(other)", "the outcome")
    if !one.isPassed, isSettled { try requireUnchanged(since: before) }
    switch one {
    case .passed: count.passed += 1
    case .refused: count.refused += 1
    case .failed: count.failed += 1
    }
    return one.isPassed
  }

  private mutating func batch() throws {
    let batch = (0..<3).map { _ in dispatched() }
    steps.append("batch \(batch)")
    let one = try live.host.dispatch(batch: batch)
    let other = try restarted.host.dispatch(batch: batch)
    try require("\(one)", "\(other)", "the outcomes")
  }

  /// Goes back in the history; a restarted host only has the history since its restart.
  private mutating func goBack() throws {
    // A restarted case can go back to the restart at most.
    let first = try live.host.revision
    guard try dispatch(), try dispatch() else { return }
    steps.append("undo")
    try live.host.undo()
    try restarted.host.undo()
    if draw.percent(30) {
      steps.append("dispatch, go back by two and forth by one")
      _ = try dispatch()
      let revision = try live.host.revision
      for target in [max(revision - 2, first), max(revision - 1, first)] {
        let one = Result { try live.host.go(to: target) }
        let other = Result { try restarted.host.go(to: target) }
        try require(text(one), text(other), "going to #\(target)")
      }
    } else if draw.percent(40) {
      steps.append("redo")
      try live.host.redo()
      try restarted.host.redo()
    } else if draw.percent(30) {
      _ = try dispatch()
    }
    // Actions that going back has queued run in the next turn or at the restart, whichever is first.
    _ = try live.host.settle()
    _ = try restarted.host.settle()
  }

  /// Reloads the same text, with the state kept or reset.
  private mutating func reload() throws { try reload(draw.percent(70) ? .keep : .reset) }

  /// Resets the flow, plays some inputs, and replays all of that, which must change nothing.
  private mutating func replay() throws {
    try reload(.reset)
    for _ in 0..<draw.from(1, to: 6) {
      try live.waitForCalls()
      try restarted.waitForCalls()
      if try live.journal.summary(of: "c")?.ended != nil { return }
      try input()
    }
    try live.waitForCalls()
    let before = try live.host.standing
    try reload(.replay)
    try requireUnchanged(since: before, "behind a replay")
  }

  private mutating func reload(_ mode: FlowHost.Reload) throws {
    steps.append("reload \(mode)")
    let one = Result { try live.host.reload(to: live.flow, mode) }
    let other = Result { try restarted.host.reload(to: restarted.flow, mode) }
    try require(text(one), text(other), "reload \(mode)")
    if case .success(let difference?) = one { try require("\(difference)", "", "the replay") }
    _ = try live.host.settle()
    _ = try restarted.host.settle()
  }

  private func text<Success>(_ result: Result<Success, any Error>) -> String {
    switch result {
    case .success: "done"
    case .failure(let error): "\(error)"
    }
  }

  // MARK: Comparing

  private mutating func compare(isBehindRestart: Bool = false) throws {
    let place = isBehindRestart ? "behind the restart" : "before the restart"
    let heard = live.heard.take()
    let heardAgain = restarted.heard.take()
    count.commits += heard.count { $0.hasPrefix("#") }
    try require(
      heard.joined(separator: "\n"), heardAgain.joined(separator: "\n"),
      "what is told \(place)")
    for (one, other) in zip(try live.host.standing, try restarted.host.standing) {
      try require(one.text, other.text, "\(one.part) \(place)")
    }
    try require("\(live.world.waiting)", "\(restarted.world.waiting)", "the calls \(place)")
  }

  /// Checks that a step that did not pass has changed nothing, except that numbers are not reused.
  private func requireUnchanged(
    since before: [(part: String, text: String)],
    _ place: String = "behind a step that did not pass"
  ) throws {
    for (then, now) in zip(before, try live.host.standing) where then.part != "numbers" {
      try require(now.text, then.text, "\(then.part) \(place)")
    }
  }

  private func require(_ one: String, _ other: String, _ what: String) throws {
    if one == other { return }
    throw Finding(
      description: """
        seed \(random.seed), turn \(count.turns): \(what) differs: it is
          \(one)
        in the case that lives on, and in the one that is restarted
          \(other)
        after
          \(steps.joined(separator: "\n  "))

        \(random.text)
        """)
  }
}

extension RestartedCase.Count {
  fileprivate mutating func add(_ other: RestartedCase.Count) {
    flows += other.flows
    turns += other.turns
    passed += other.passed
    refused += other.refused
    failed += other.failed
    commits += other.commits
    answers += other.answers
  }
}

extension RestartedCase.Count: CustomStringConvertible {
  package var description: String {
    "\(flows) flows, \(turns) turns: \(passed) passed, \(refused) refused, \(failed) failed, "
      + "\(commits) transitions, \(answers) answers of capabilities"
  }
}
