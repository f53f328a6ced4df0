import FlowHosting
import FlowKernel
import Testing

@Suite(.timeLimit(.minutes(5))) struct HostClockTests {
  private static let flow = """
    state { at = -1.0 }
    action.go {}
    action.ring {}
    function effect.go() after(3, "ring") end
    function reduce.ring(s) s.at = now() end
    function view.at(s) return s.at end
    """

  @Test("a host can be driven by the program's own clock, which wakes it for its timers")
  func driven() async throws {
    let clock = TestClock()
    let host = try FlowHost(source: Self.flow, options: HostOptions(clock: .driven(by: clock)))
    var values = host.values(of: "at", as: Double.self, buffering: .unbounded).makeAsyncIterator()
    #expect(try await values.next() == -1)
    clock.advance(by: .seconds(1))
    try await host.dispatch("go")
    await clock.sleepers { $0 > 0 }
    clock.advance(by: .seconds(3))
    #expect(try await values.next() == 4)
    #expect(throws: HostError.self) { try host.advance(1) }
  }

  @Test("the flow's time does not go back when the clock does")
  func backwards() throws {
    let clock = TestClock()
    let host = try FlowHost(source: Self.flow, options: HostOptions(clock: .driven(by: clock)))
    clock.advance(by: .seconds(2))
    try host.dispatch("ring")
    clock.advance(by: .seconds(-1))
    try host.dispatch("ring")
    #expect(try host.view("at") == 2.0)
  }

  private static let ticking = """
    state { ticks = 0, n = 0 }
    action.start {} action.tick {} action.idle {}
    function effect.start() after(1, "tick") end
    function effect.tick() after(1, "tick") end
    function reduce.tick(s) s.ticks = s.ticks + 1 end
    function reduce.idle(s) s.n = s.n + 1 end
    function view.ticks(s) return s.ticks end
    function view.n(s) return s.n end
    """

  private func host(_ source: String, _ clock: TestClock) throws -> FlowHost {
    try FlowHost(source: source, options: HostOptions(clock: .driven(by: clock)))
  }

  @Test("after a reset the host's time restarts, and a timer of a second fires a second later")
  func reset() async throws {
    let clock = TestClock()
    let host = try host(Self.flow, clock)
    var values = host.values(of: "at", as: Double.self, buffering: .unbounded).makeAsyncIterator()
    #expect(try await values.next() == -1)
    clock.advance(by: .seconds(86_400))
    try host.reload(.reset)
    try await host.dispatch("go")
    #expect(try await host.settle() == ["ring is due at 3 s"])
    await clock.sleepers { $0 == 1 }
    clock.advance(by: .seconds(2))
    #expect(try await host.view("at") == -1.0)
    clock.advance(by: .seconds(1))
    #expect(try await values.next() == 3)
  }

  @Test("a reset of a host that is a day old does not catch up with that day")
  func resetTicks() throws {
    let clock = TestClock()
    let host = try host(
      """
      state { ticks = 0 }
      action.stop {} action.tick {}
      machine.clock {
        initial = "on",
        on = { after = { tick = 1 }, tick = { to = "on", reenter = true }, stop = "off" },
        off = {},
      }
      function reduce.tick(s) s.ticks = s.ticks + 1 end
      function view.ticks(s) return s.ticks end
      """, clock)
    try host.dispatch("stop")
    clock.advance(by: .seconds(86_400))
    try host.reload(.reset)
    #expect(try host.view("ticks") == 0)
    clock.advance(by: .seconds(2))
    #expect(try host.view("ticks") == 2)
  }

  @Test("a timer fires on time after a reload")
  func reload() throws {
    let clock = TestClock()
    let host = try host(Self.flow, clock)
    clock.advance(by: .seconds(10))
    try host.dispatch("go")
    try host.reload()
    clock.advance(by: .seconds(3))
    #expect(try host.view("at") == 13.0)
  }

  @Test("undo restores the time, and pending timers are as far off as they were")
  func undo() throws {
    let clock = TestClock()
    let host = try host(Self.flow, clock)
    try host.dispatch("go")
    clock.advance(by: .seconds(2))
    try host.dispatch("go")
    clock.advance(by: .seconds(50))
    try host.undo(3)
    #expect(try host.revision == 1)
    #expect(try host.settle() == ["ring is due at 3 s"])
    clock.advance(by: .seconds(3))
    #expect(try host.view("at") == 3.0)
  }

  @Test("a clock whose sleep returns too early is not polled in a loop")
  func early() async throws {
    let clock = TestClock(wakesTooEarly: true)
    let host = try host(Self.ticking, clock)
    try await host.dispatch("start")
    while clock.sleeps == 0 { await Task.yield() }
    let reads = clock.reads
    for _ in 0..<1_000 {
      try await host.dispatch("idle")
      await Task.yield()
    }
    #expect(clock.sleeps == 1)
    // Each dispatch asks once; the alarm asks too, as often as the threads come to it meanwhile.
    #expect(clock.reads < reads + 1_500)
    clock.advance(by: .seconds(2))
    #expect(try await host.view("ticks") == 2)
  }

  @Test("one alarm is pending, for the earliest timer, however many were set")
  func oneAlarm() async throws {
    let clock = TestClock()
    let host = try host(
      """
      state { rung = list {} }
      action.set { s = integer } action.ring { s = integer }
      function effect.set(self, a) after(a.s, "ring", { s = a.s }) end
      function reduce.ring(s, a) table.insert(s.rung, a.s) end
      function view.rung(s) return s.rung end
      """, clock)
    for seconds in (1...20).reversed() { try await host.dispatch("set", ["s": .integer(seconds)]) }
    await clock.sleepers { $0 == 1 }
    var values = host.values(of: "rung", as: [Int].self, buffering: .unbounded).makeAsyncIterator()
    #expect(try await values.next() == [])
    clock.advance(by: .seconds(2))
    #expect(try await values.next() == [1])
    #expect(try await values.next() == [1, 2])
    await clock.sleepers { $0 == 1 }
    try await host.stop()
    await clock.sleepers { $0 == 0 }
  }

  @Test("a released host leaves no sleeping task")
  func dropped() async throws {
    let clock = TestClock()
    for _ in 0..<50 { try await host(Self.flow, clock).dispatch("go") }
    await clock.sleepers { $0 == 0 }
    while clock.sleeps < 50 { await Task.yield() }
    await clock.sleepers { $0 == 0 }
  }

  @Test("a host on the system's clock wakes for the nearer of two timers, and then the later one")
  func system() async throws {
    let host = try FlowHost(
      source: """
        state { rung = list {} }
        action.set { s = number } action.ring { s = number }
        function effect.set(self, a) after(a.s, "ring", { s = a.s }) end
        function reduce.ring(s, a) table.insert(s.rung, a.s) end
        function view.rung(s) return s.rung end
        """)
    var values = host.values(of: "rung", as: [Double].self, buffering: .unbounded)
      .makeAsyncIterator()
    #expect(try await values.next() == [])
    for seconds in [0.03, 0.01, 600] { try await host.dispatch("set", ["s": .number(seconds)]) }
    #expect(try await values.next() == [0.01])
    #expect(try await values.next() == [0.01, 0.03])
  }
}
