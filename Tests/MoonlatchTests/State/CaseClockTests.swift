import Foundation
import LuaRuntime
import Platform
import Testing

@testable import FlowHosting
@testable import FlowKernel
@testable import FlowLanguage

/// The clock of a case: its creation time, its current time, and the wall clock.
@Suite struct CaseClockTests {
  /// A wall clock and a clock of the host that move together, unless a test sets the wall clock.
  private final class World: Sendable {
    let clock = TestClock()
    private let wall = Mutex(1_700_000_000_000_000)

    func pass(_ seconds: Double) {
      wall.withLock { $0 += EngineTime.microseconds(seconds) }
      clock.advance(by: .seconds(seconds))
    }

    /// Somebody sets the wall clock.
    func setWall(by seconds: Int) { wall.withLock { $0 += seconds * 1_000_000 } }

    var now: Int { wall.withLock { $0 } }
    var date: Date { Date(timeIntervalSince1970: EngineTime.seconds(now)) }

    var options: HostOptions {
      var options = HostOptions(clock: .driven(by: clock), report: { _ in })
      options.wall = { self.now }
      return options
    }

    func host(_ source: String, _ journal: any JournalStorage) throws -> FlowHost {
      try FlowHost(
        LoadedFlow(source: source, name: "clock.lua"), journal: journal, options: options)
    }

    func host(_ source: String) throws -> FlowHost {
      try FlowHost(LoadedFlow(source: source, name: "clock.lua"), options: options)
    }
  }

  private static func timer(of seconds: Int) -> String {
    """
    state { rings = 0, asked = 0.0, n = 0 }
    action.start {} action.ring {} action.look {} action.count {}
    machine.m {
      initial = "idle", idle = { start = "armed" },
      armed = { after = { ring = \(seconds) }, ring = "idle" },
    }
    function reduce.ring(s) s.rings = s.rings + 1 end
    function reduce.count(s) s.n = s.n + 1 end
    function reduce.look(s) s.asked = now() end
    """
  }

  private static let ticks = """
    state { ticks = 0 }
    action.stop {} action.tick {}
    machine.clock {
      initial = "on", on = { after = { tick = 1 }, tick = { to = "on", reenter = true }, stop = "off" }, off = {},
    }
    function reduce.tick(s) s.ticks = s.ticks + 1 end
    """

  /// In how many seconds the first timer of a host is due.
  private func wait(_ host: FlowHost) throws -> Double? {
    let now = try host.elapsed
    return try host.pendingWork.compactMap(\.due).min().map { ($0 - now) / .seconds(1) }
  }

  @Test(
    "undo to a restart or reload goes back to the time of the latest commit then",
    arguments: ["restart", "restart twice", "reload", "reload and restart"])
  func backToTheBeginning(steps: String) throws {
    func elapsed(_ steps: String) throws -> Duration {
      let world = World()
      var journal = MemoryJournal()
      var host = try world.host(Self.timer(of: 500), journal)
      func restart() throws {
        try host.stop()
        journal = try journal.restarted()
        host = try world.host(Self.timer(of: 500), journal)
      }
      world.pass(10)
      _ = try host.dispatch("count")
      world.pass(5)
      for _ in 0..<(steps.hasSuffix("twice") ? 2 : 1) where steps.hasPrefix("restart") {
        try restart()
        world.pass(1)
      }
      if steps.hasPrefix("reload") {
        _ = try host.reload(to: LoadedFlow(source: Self.timer(of: 500), name: "clock.lua"))
        world.pass(1)
      }
      if steps.hasSuffix("and restart") { try restart() }
      _ = try host.dispatch("count")
      try host.undo()
      return try host.elapsed
    }
    #expect(try elapsed("") == .seconds(10))
    #expect(try elapsed(steps) == .seconds(10))
  }

  @Test("undo to a restart rolls back what time has changed since its commit")
  func changesSinceCommit() throws {
    let source = """
      state { n = 0, drawn = 0 } action.count {} action.tick {} internal.drew { v = integer }
      machine.m { initial = "on", on = { every = { tick = 5 }, tick = "off" }, off = {} }
      function gate.tick(s) return s.n > 9, "too early" end
      function reduce.count(s) s.n = s.n + 1 end
      function effect.count() random(100) end
      """
    func standing(restarts: Bool) throws -> [String] {
      let world = World()
      var journal = MemoryJournal()
      var host = try world.host(source, journal)
      world.pass(12)
      try host.dispatch("count")
      world.pass(11)
      _ = try host.settle()
      if restarts {
        journal = journal.restarted()
        host = try world.host(source, journal)
      }
      try host.dispatch("count")
      try host.undo()
      #expect(try wait(host) == 3)
      return try host.standing.filter { $0.part != "numbers" }.map(\.text)
    }
    #expect(try standing(restarts: true) == standing(restarts: false))
  }

  @Test("after a reset and a restart, timers advance by exactly the time that has passed")
  func resetAndRestart() throws {
    let (world, journal) = (World(), MemoryJournal())
    let first = try world.host(Self.timer(of: 20), journal)
    world.pass(100)
    try first.reload(.reset)
    try first.dispatch("start")
    world.pass(5)
    #expect(try wait(first) == 15)
    try first.stop()
    world.pass(5)
    let second = try world.host(Self.timer(of: 20), journal.restarted())
    #expect(try second.state()["rings"] == 0)
    #expect(try wait(second) == 10)
    world.pass(10)
    #expect(try second.state()["rings"] == 1)
  }

  @Test("after a reset and a restart, a repeating timer has fired as often as it was due")
  func ticksAfterReset() throws {
    let (world, journal) = (World(), MemoryJournal())
    let first = try world.host(Self.ticks, journal)
    world.pass(12)
    #expect(try first.state()["ticks"] == 12)
    try first.reload(.reset)
    world.pass(3)
    #expect(try first.state()["ticks"] == 3)
    try first.stop()
    let second = try world.host(Self.ticks, journal.restarted())
    #expect(try second.state()["ticks"] == 3)
    world.pass(2)
    #expect(try second.state()["ticks"] == 5)
  }

  @Test("after undo, a restarted case has the same timers as the live one", arguments: [1, 2])
  func undoAndRestart(back: Int) throws {
    let (world, journal) = (World(), MemoryJournal())
    let first = try world.host(Self.timer(of: 60), journal)
    world.pass(7)
    try first.dispatch("start")
    world.pass(9)
    try first.dispatch("count")
    world.pass(3)
    try first.dispatch("count")
    try first.undo(back)
    world.pass(1)
    let live = try (wait(first), first.elapsed)
    try first.stop()
    let second = try world.host(Self.timer(of: 60), journal.restarted())
    #expect(try wait(second) == live.0)
    #expect(try second.elapsed == live.1)
  }

  @Test(
    "a timer continues from where it was, however the wall clock was set meanwhile",
    arguments: [3_600, -3_600])
  func setWall(seconds: Int) throws {
    let (world, journal) = (World(), MemoryJournal())
    let first = try world.host(Self.timer(of: 60), journal)
    world.pass(5)
    world.setWall(by: seconds)
    try first.dispatch("start")
    world.pass(10)
    try first.stop()
    let second = try world.host(Self.timer(of: 60), journal.restarted())
    #expect(try wait(second) == 50)
  }

  @Test("commits of late timers have the times when they were due")
  func late() throws {
    let world = World()
    let host = try world.host(Self.ticks, MemoryJournal())
    let start = world.now
    world.pass(4.5)
    #expect(try host.state()["ticks"] == 4)
    let seconds = try host.commits.map { $0.wallTime.timeIntervalSince1970 }
    #expect(seconds == (1...4).map { EngineTime.seconds(start + $0 * 1_000_000) })
  }

  @Test("a process that ends while late timers fire leaves the same time to catch up")
  func lateAndKilled() throws {
    let (world, journal) = (World(), MemoryJournal())
    let killed = Mutex<MemoryJournal?>(nil)
    let source = Self.ticks + "\nfunction effect.tick(self) self:call() end"
    let flow = try LoadedFlow(source: source, name: "clock.lua")
    func host(_ journal: MemoryJournal, _ isFirst: Bool) throws -> FlowHost {
      try FlowHost(flow, journal: journal, options: world.options) {
        $0.root.provide("call") { () throws in
          if isFirst { killed.withLock { $0 = $0 ?? (try? journal.restarted()) } }
        }
      }
    }
    let first = try host(journal, true)
    world.pass(4.5)
    #expect(try first.state()["ticks"] == 4)
    let second = try host(try #require(killed.withLock { $0 }), false)
    #expect(try second.state()["ticks"] == 4)
  }

  @Test(
    "the first commit after the wall clock was set has its new time",
    arguments: [3_600, -3_600])
  func setWallBeforeCommit(seconds: Int) throws {
    let world = World()
    let host = try world.host(Self.timer(of: 60), MemoryJournal())
    try host.dispatch("count")
    world.pass(5)
    world.setWall(by: seconds)
    #expect(try host.dispatch("count").commit?.wallTime == world.date)
  }

  @Test("a commit has the wall clock's time, after every kind of reload and undo")
  func wallTimes() throws {
    let world = World()
    let host = try world.host(Self.timer(of: 60))
    func expectWall(_ after: String) throws {
      let commit = try #require(try host.dispatch("count").commit)
      #expect(commit.wallTime == world.date, "\(after)")
    }
    world.pass(100)
    try expectWall("the start")
    try host.reload(.keep)
    world.pass(3)
    try expectWall("keep")
    try host.reload(.reset)
    world.pass(4)
    try expectWall("reset")
    try host.undo()
    world.pass(5)
    try expectWall("undo")
  }

  @Test("a restored host has the clock of the host of its snapshot", arguments: [true, false])
  func restored(isCase: Bool) throws {
    let world = World()
    let source =
      Self.timer(of: 60)
      + "\\nfunction view.born(s) return born() end"
      .replacing("\\n", with: "\n")
    let first =
      isCase ? try world.host(source, MemoryJournal()) : try world.host(source)
    world.pass(100)
    try first.dispatch("start")
    world.pass(10)
    let snapshot = try first.snapshot()
    world.pass(5)
    let second = try FlowHost(
      LoadedFlow(source: source, name: "clock.lua"), restoring: snapshot, options: world.options)
    #expect(try second.view("born") == first.view("born"))
    #expect(try wait(second) == 45)
    try second.reload()
    #expect(try second.view("born") == first.view("born"))
    #expect(try wait(second) == 45)
    let commit = try #require(try second.dispatch("count").commit)
    #expect(commit.wallTime == world.date)
    let third = try FlowHost(
      LoadedFlow(source: source, name: "clock.lua"), restoring: second.snapshot(),
      options: world.options)
    #expect(try third.view("born") == first.view("born"))
    #expect(try wait(third) == 45)
  }

  @Test("times are limited to the maximum, however often the clock advances and goes back")
  func ends() {
    var clock = CaseClock(wall: 1_700_000_000_000_000, isCase: true)
    for _ in 0..<20 {
      clock.pass(to: EngineTime.last)
      clock.goBack(to: 0)
    }
    #expect(clock.wall == EngineTime.last && clock.now == 0)
    #expect(clock.time(atWall: -EngineTime.last) == 0)
    clock.beginAnew(after: clock)
    clock.give(birth: EngineTime.last)
    #expect(clock.wall(at: EngineTime.last) == EngineTime.last)
  }

  @Test(
    "a clock with invalid values is not read",
    arguments: [(Int.min, 0, 0), (0, -1, 0), (0, Int.max, 0), (0, 0, Int.min), (0, 0, Int.max)])
  func unreadable(born: Int, now: Int, wall: Int) {
    #expect(CaseClock(born: born, now: now, wall: wall) == nil)
  }

  // MARK: An engine without a host

  @Test(
    "an engine whose time is set manually ties its case to the wall clock with each turn",
    arguments: [true, false])
  func engines(beginsAnew: Bool) throws {
    let (world, journal) = (World(), MemoryJournal())
    let flow = try LoadedFlow(source: Self.timer(of: 500), name: "clock.lua")
    var (first, engine) = try EngineCase.open("c", of: flow, in: journal, options: world.options)
    try first.keep(engine)
    if beginsAnew {
      world.pass(8)
      let new = try Engine(flow, limits: Limits(), log: ScriptLog { _ in })
      new.record(insteadOf: engine)
      engine = new
    } else {
      engine.advance(100)
    }
    _ = engine.dispatch("count", [:])
    try first.keep(engine)
    world.pass(5)
    let now = engine.time + 5_000_000
    for _ in 0..<2 {
      // One that ends before time has passed leaves as much to pass to the next.
      (first, engine) = try EngineCase.open(
        "c", of: flow, in: journal.restarted(), options: world.options)
      #expect(first.goOn(engine) == now)
      try first.keep(engine)
    }
  }

  // MARK: Timers that were refused

  private static let refused = """
    state { n = 0 }
    action.start {} action.ring {} action.count {}
    machine.m {
      initial = "idle", idle = { start = "armed" }, armed = { after = { ring = 5 }, ring = "idle" },
    }
    function gate.ring(s) return s.n > 9, "too early" end
    function reduce.count(s) s.n = s.n + 1 end
    """

  @Test("a refused timer is reported as used up after a reload, a restart, undo and redo")
  func spent() throws {
    let (world, journal) = (World(), MemoryJournal())
    let first = try world.host(Self.refused, journal)
    func sentences(_ host: FlowHost) throws -> [String] {
      try host.use { $0.refusedTimerSentences }
    }
    try first.dispatch("start")
    world.pass(6)
    let said = try sentences(first)
    #expect(said.count == 1)
    try first.reload()
    #expect(try sentences(first) == said)
    try first.dispatch("count")
    try first.dispatch("count")
    try first.undo()
    #expect(try sentences(first) == said)
    try first.redo()
    #expect(try sentences(first) == said)
    try first.stop()
    let second = try world.host(Self.refused, journal.restarted())
    #expect(try sentences(second) == said)
  }

  @Test("undo to before a timer was refused makes it pending again")
  func pendingAgain() throws {
    let world = World()
    let host = try world.host(Self.refused)
    try host.dispatch("start")
    world.pass(6)
    try host.dispatch("count")
    #expect(try host.use { $0.refusedTimerSentences }.count == 1)
    try host.undo()
    #expect(try host.use { $0.refusedTimerSentences }.isEmpty)
    #expect(try wait(host) == 5)
    world.pass(6)
    #expect(try host.use { $0.refusedTimerSentences }.count == 1)
  }
}
