import StateBlocks
import Testing

@Suite("casting to an agent")
struct AgentCastTests {
  @Test("casts run once each, first in, first out, before the caller's next synchronous call")
  func order() throws {
    let list = Agent([Int]())
    for index in 0..<1000 { try list.cast { $0.append(index) } }
    #expect(try list.value == Array(0..<1000))
    for index in 1000..<1010 { try list.cast { $0.append(index) } }
    #expect(try list.revision == 1010)
  }

  @Test("a cast runs without any later call")
  func background() throws {
    let list = Agent([Int]())
    let done = Signal()
    try list.cast { list in
      list.append(1)
      done.send()
    }
    done.wait()
    #expect(try list.value == [1])
  }

  @Test("a cast runs even if nothing references the agent any more")
  func orphan() throws {
    let done = Signal()
    try Agent(0).cast { _ in done.send() }
    done.wait()
  }

  @Test(
    "a cast to a full mailbox throws its depth and changes nothing, and flush empties the mailbox")
  func full() throws {
    let counter = Agent(0, name: "counter", mailboxLimit: 3)
    let full = AgentError.mailboxFull(agent: "counter", depth: 3)
    try onHold(counter) {
      for _ in 0..<3 { try counter.cast { $0 += 1 } }
      #expect(counter.depth == 3)
      #expect(throws: full) { try counter.cast { $0 += 100 } }
    }
    try counter.flush()
    #expect(counter.depth == 0)
    #expect(try counter.value == 3)
    try counter.cast { $0 += 1 }
    #expect(try counter.value == 4)
  }

  @Test("a cast that throws changes nothing and is reported, and the next one runs")
  func failing() throws {
    let failures = Log<String>()
    let counter = Agent(0, name: "counter", report: { failures.append($0.description) })
    try counter.cast { count in
      count = 9
      throw Oops("disk full")
    }
    try counter.cast { $0 += 1 }
    try counter.flush()
    #expect(try counter.snapshot == AgentSnapshot(value: 1, revision: 1))
    #expect(
      failures.all == ["a cast on agent \"counter\" failed and left it at revision 0: disk full"])
  }

  @Test("a cast that the validator rejects is reported")
  func rejected() throws {
    let failures = Log<AgentFailure.Activity>()
    let seats = try Agent(
      1, report: { failures.append($0.activity) }, validate: { $0 < 0 ? "none left" : nil })
    try seats.cast { $0 -= 2 }
    try seats.flush()
    #expect(try seats.value == 1)
    #expect(failures.all == [.cast])
  }

  @Test("a cast inside a closure runs if the closure succeeds, and is dropped otherwise")
  func nested() throws {
    let list = Agent(["begin"])
    try list.update { state in
      try list.cast { $0.append("cast") }
      state.append("update")
    }
    #expect(throws: Oops()) {
      try list.update { _ in
        try list.cast { $0.append("never") }
        throw Oops()
      }
    }
    #expect(throws: Oops()) {
      try list.fetch { _ in
        try list.cast { $0.append("never") }
        throw Oops()
      }
    }
    try list.cast { state in
      state.append("outer")
      try list.cast { $0.append("inner") }
    }
    try list.flush()
    try list.flush()
    #expect(try list.value == ["begin", "update", "cast", "outer", "inner"])
    #expect(list.depth == 0)
  }

  @Test("stop runs earlier casts, returns the last state, and every later call throws")
  func stop() throws {
    let counter = Agent(0, name: "counter")
    try counter.cast { $0 += 1 }
    try counter.cast { $0 += 1 }
    #expect(try counter.stop() == 2)
    let stopped = AgentError.stopped(agent: "counter", revision: 2)
    #expect(throws: stopped) { try counter.fetch { $0 } }
    #expect(throws: stopped) { try counter.value }
    #expect(throws: stopped) { try counter.revision }
    #expect(throws: stopped) { try counter.update { $0 += 1 } }
    #expect(throws: stopped) {
      try counter.fetchAndUpdate {
        $0 += 1; throw Oops()
      }
    }
    #expect(throws: stopped) { try counter.compareAndSet(expecting: 2, to: 3) }
    #expect(throws: stopped) { try counter.cast { $0 += 1 } }
    #expect(throws: stopped) { try counter.flush() }
    #expect(throws: stopped) { try counter.stop() }
    #expect(throws: stopped) { try counter.subscribe { _ in } }
    #expect(counter.isStopped)
  }

  @Test("flush waits until another thread has notified the observers")
  func flushWaits() throws {
    let counter = Agent(0)
    let told = Log<Int>()
    let (began, go) = (Signal(), Signal())
    try counter.subscribe { change in
      began.send()
      go.wait()
      told.append(change.new)
    }
    try counter.cast { $0 += 1 }
    began.wait()
    go.send()
    try counter.flush()
    #expect(told.all == [1])
  }

  @Test("flush from an observer, or from inside another agent, runs the casts without a deadlock")
  func flushInside() throws {
    let counter = Agent(0)
    let other = Agent(0)
    let seen = Log<Int>()
    try counter.subscribe { change in
      if change.new == 1 {
        try counter.cast { $0 = 5 }
        try counter.flush()
        seen.append(try counter.value)
      }
    }
    try counter.update { $0 = 1 }
    try other.update { _ in
      try counter.cast { $0 = 8 }
      try counter.flush()
      seen.append(try counter.value)
    }
    #expect(seen.all == [5, 8])
  }

  /// Runs a closure while another thread is inside the agent.
  private func onHold<State>(_ agent: Agent<State>, _ body: () throws -> Void) throws {
    let (began, go) = (Signal(), Signal())
    try agent.cast { _ in
      began.send()
      go.wait()
    }
    began.wait()
    defer {
      go.send()
    }
    try body()
  }
}
