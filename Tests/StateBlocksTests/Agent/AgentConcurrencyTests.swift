import StateBlocks
import Synchronization
import Testing

@Suite("an agent under load", .serialized)
struct AgentConcurrencyTests {
  @Test("8 threads times 100,000 mixed operations lose nothing and count nothing twice")
  func mixed() throws {
    let counter = Agent(0, name: "counter")
    let casts = Atomic<Int>(0)
    try onThreads(8) { index in
      for step in 0..<100_000 {
        switch (step &+ index) & 7 {
        case 0: _ = try counter.fetch { $0 }
        case 1, 2: try counter.update { $0 += 1 }
        case 3:
          _ = try counter.fetchAndUpdate {
            $0 += 1; return $0
          }
        case 4:
          try? counter.update {
            $0 += 1_000_000; throw Oops()
          }
        case 5:
          do {
            try counter.cast { $0 += 1 }
            casts.add(1, ordering: .relaxed)
          } catch AgentError.mailboxFull {
            try counter.flush()
          }
        case 6: _ = try counter.value
        default: _ = try counter.snapshot
        }
      }
    }
    try counter.flush()
    let expected = 300_000 + casts.load(ordering: .relaxed)
    #expect(try counter.snapshot == AgentSnapshot(value: expected, revision: expected))
    #expect(counter.depth == 0)
  }

  @Test("casts of each thread keep their order, whatever other threads do")
  func order() throws {
    let lists = Agent([[Int]](repeating: [], count: 4), mailboxLimit: 100_000)
    try onThreads(4) { index in
      for step in 0..<2000 {
        try lists.cast { $0[index].append(step) }
        if step.isMultiple(of: 100) {
          let seen = try lists.fetch { $0[index].count }
          try check(seen == step + 1, "after \(step + 1) casts, \(seen) were seen")
        }
      }
    }
    #expect(try lists.value == [[Int]](repeating: Array(0..<2000), count: 4))
  }

  @Test(
    "observers that throw, subscribe and cancel on many threads are notified in order, and once")
  func observers() throws {
    let failures = Atomic<Int>(0)
    let counter = Agent(0, report: { _ in failures.add(1, ordering: .relaxed) })
    let revisions = Log<Int>()
    let disorder = Log<Int>()
    try counter.subscribe { _ in throw Oops() }
    try counter.subscribe { revisions.append($0.revision) }
    try onThreads(8) { index in
      for step in 0..<500 {
        let last = Guarded(0)
        let subscription = try counter.subscribe { change in
          last.withLock { last in
            if change.revision <= last { disorder.append(change.revision) }
            last = change.revision
          }
        }
        try counter.update { $0 += 1 }
        if (step + index).isMultiple(of: 3) { try counter.cast { $0 += 1 } }
        try check(subscription.cancel(), "the subscription was over already")
      }
    }
    try counter.flush()
    let revision = try counter.revision
    #expect(revisions.all == Array(1...revision))
    #expect(failures.load(ordering: .relaxed) == revision)
    #expect(disorder.all == [])
  }

  @Test("a concurrent stop returns the state with all accepted operations, and all others throw")
  func stop() throws {
    for _ in 0..<50 {
      let counter = Agent(0, name: "counter", mailboxLimit: 1_000_000)
      let accepted = Atomic<Int>(0)
      let last = Log<Int>()
      try onThreads(4) { index in
        do {
          for step in 0..<200 {
            if index == 0 && step == 100 {
              last.append(try counter.stop())
              return
            }
            if step.isMultiple(of: 2) {
              try counter.update { $0 += 1 }
            } else {
              try counter.cast { $0 += 1 }
            }
            accepted.add(1, ordering: .relaxed)
          }
        } catch AgentError.stopped {
          return
        }
      }
      #expect(last.all == [accepted.load(ordering: .relaxed)])
    }
  }

  @Test("only one of several threads that stop an agent gets its state")
  func stopOnce() throws {
    let agent = Agent(7)
    let states = Log<Int>()
    let errors = Log<AgentError>()
    try onThreads(4) { _ in
      do throws(AgentError) { states.append(try agent.stop()) } catch { errors.append(error) }
    }
    #expect(states.all == [7])
    #expect(errors.all.count == 3)
  }

  @Test("a mailbox that is always full loses no accepted cast")
  func full() throws {
    let counter = Agent(0, mailboxLimit: 2)
    let accepted = Atomic<Int>(0)
    try onThreads(4) { _ in
      for _ in 0..<5000 {
        do {
          try counter.cast { $0 += 1 }
          accepted.add(1, ordering: .relaxed)
        } catch AgentError.mailboxFull(_, let depth) {
          try check(depth == 2, "a full mailbox holds two, not \(depth)")
        }
      }
    }
    #expect(try counter.value == accepted.load(ordering: .relaxed))
  }

  @Test(
    "two agents used in opposite orders ten thousand times never deadlock, and change atomically")
  func oppositeOrders() throws {
    let left = Agent(0, name: "left")
    let right = Agent(0, name: "right")
    let done = Atomic<Int>(0)
    try onThreads(2) { index in
      let (first, second) = index == 0 ? (left, right) : (right, left)
      for _ in 0..<10_000 {
        do {
          try first.update { one in
            try second.update { $0 += 1 }
            one += 1
          }
          done.add(1, ordering: .relaxed)
        } catch AgentError.deadlock {
          continue
        }
      }
    }
    let expected = done.load(ordering: .relaxed)
    #expect(try [left.value, right.value] == [expected, expected])
  }

  @Test("slow observers slow down the updates, so that their backlog is bounded")
  func lag() throws {
    let counter = Agent(0, mailboxLimit: 10)
    let told = Atomic<Int>(0)
    try counter.subscribe { told.store($0.revision, ordering: .relaxed) }
    let most = Guarded(0)
    try onThreads(4) { _ in
      for _ in 0..<2000 {
        let revision = try counter.fetchAndUpdate {
          $0 += 1; return $0
        }
        let behind = revision - told.load(ordering: .relaxed)
        most.withLock { $0 = max($0, behind) }
      }
    }
    try counter.flush()
    #expect(told.load(ordering: .relaxed) == 8000)
    // The limit, one change for each thread that has made it and not looked yet, and one being
    // told.
    #expect(most.withLock { $0 } <= 10 + 4 + 1)
  }
}
