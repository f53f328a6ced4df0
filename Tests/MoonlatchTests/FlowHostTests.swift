import FlowHosting
import FlowKernel
import LuaRuntime
import StateBlocks
import Platform
import Testing

let turnstile = """
  state { locked = true, coins = 0 }
  action.coin { amount = integer { min = 1 } }
  action.push {}
  function gate.push(s)
    return not s.locked, "insert a coin first"
  end
  function reduce.coin(s, a)
    s.coins  = s.coins + a.amount
    s.locked = false
  end
  function reduce.push(s)
    s.locked = true
  end
  function view.takings(s)
    return s.coins
  end
  function invariant.never_in_debt(s)
    return s.coins >= 0
  end
  """

@Suite struct HostTests {
  @Test("an accepted action changes the state and reports its changes")
  func passes() throws {
    let host = try FlowHost(source: turnstile)
    guard case .passed(let commit) = try host.dispatch("coin", ["amount": 2]) else {
      Issue.record("coin did not pass")
      return
    }
    #expect(commit.revision == 1)
    #expect(commit.writes.description == "coins: 0 -> 2\nlocked: true -> false")
    #expect(try host.state() == ["locked": false, "coins": 2])
    #expect(try host.view("takings") == 2)
  }

  @Test("a host used from eight threads at once loses no dispatch")
  func threads() async throws {
    let host = try FlowHost(source: turnstile)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<8 {
        group.addTask {
          for _ in 0..<50 {
            _ = try host.dispatch("coin", ["amount": 1])
            _ = try host.dispatch("push")
            _ = try host.view("takings")
            _ = try host.may("push")
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try await host.view("takings") == 400)
    let commits = try host.commits
    #expect(commits.filter { $0.action == "coin" }.count == 400)
    #expect(commits.map(\.revision) == Array(1...commits.count))
  }

  @Test("subscribers of a host used from eight threads get every value, in order")
  func threadsAndSubscribers() async throws {
    let host = try FlowHost(source: turnstile)
    let seen = Mutex<[Value]>([])
    try host.watch("takings") { result in
      if let value = try? result.get() { seen.withLock { $0.append(value) } }
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<8 {
        group.addTask {
          for _ in 0..<25 { _ = try host.dispatch("coin", ["amount": 1]) }
        }
      }
      try await group.waitForAll()
    }
    #expect(seen.withLock { $0 } == (0...200).map { .integer($0) })
  }

  @Test("print is passed to the host, with tabs between its arguments")
  func prints() throws {
    let lines = Mutex<[String]>([])
    let host = try FlowHost(
      source:
        "print('loading')\nstate {}\naction.go {}\nfunction reduce.go(s) print('a', 1, nil, true, {}) end",
      options: HostOptions(print: { line in lines.withLock { $0.append(line) } }))
    try host.passing()
    #expect(lines.withLock { $0 } == ["loading", "a\t1\tnil\ttrue\ttable"])
  }

  @Test("calling a host from its own print handler throws instead of deadlocking")
  func reentry() throws {
    let host = Mutex<FlowHost?>(nil)
    let errors = Mutex<[String]>([])
    let made = try FlowHost(
      source:
        "state { n = 0 }\naction.go {}\nfunction reduce.go(s) print('x') s.n = s.n + 1 end\nfunction view.n(s) return s.n end",
      options: HostOptions(print: { _ in
        guard let host = host.withLock({ $0 }) else { return }
        do {
          _ = try host.dispatch("go")
          errors.withLock { $0.append("none") }
        } catch {
          errors.withLock { $0.append(error is AgentError ? "AgentError" : "\(error)") }
        }
      }))
    host.withLock { $0 = made }
    try made.passing()
    #expect(errors.withLock { $0 } == ["AgentError"])
    #expect(try made.view("n") == 1)
    host.withLock { $0 = nil }
  }

  @Test("two hosts of one flow are independent")
  func separate() throws {
    let (one, other) = (try FlowHost(source: turnstile), try FlowHost(source: turnstile))
    try one.passing("coin", ["amount": 1])
    #expect(try other.view("takings") == 0)
  }

  @Test("a host whose memory limit is too small is a memory error")
  func tooLittleMemory() {
    #expect {
      try FlowHost(source: turnstile, options: HostOptions(limits: Limits(memory: 10_000)))
    } throws: { ($0 as? ScriptError)?.kind == .memory }
    #expect {
      try FlowHost(source: turnstile, options: HostOptions(limits: Limits(memory: 60_000)))
    } throws: { ($0 as? ScriptError)?.kind == .memory }
  }

  @Test("a refused action says why and changes nothing")
  func refuses() throws {
    let host = try FlowHost(source: turnstile)
    let outcome = try host.dispatch("push")
    #expect(outcome.description == "refused by gate push: insert a coin first")
    #expect(try host.revision == 0)
  }

  @Test("an invalid payload fails with its errors")
  func payload() throws {
    let host = try FlowHost(source: turnstile)
    #expect(
      try host.dispatch("coin", ["amount": "five"]).description
        == "action coin: amount must be an integer of at least 1, got \"five\"")
    #expect(
      try host.dispatch("conin").description == "there is no action conin; did you mean coin?")
  }

  @Test("a batch runs its actions in order in one turn, each with its outcome")
  func batch() throws {
    let host = try FlowHost(
      source: """
        state { n = 0, seen = list {} }
        action.add { by = integer }
        action.note {}
        function gate.add(s, a) return a.by > 0, "only upwards" end
        function reduce.add(s, a) s.n = s.n + a.by end
        function reduce.note(s) table.insert(s.seen, s.n) end
        function effect.add(self, a) dispatch.note() end
        function view.n(s) return s.n end
        """)
    let told = Mutex<[Value]>([])
    let subscription = try host.subscribe("n") { value in
      if case .success(let value) = value { told.withLock { $0.append(value) } }
    }
    let outcomes = try host.dispatch(batch: [
      ("add", ["by": 1]), ("add", ["by": -1]), ("nonsense", [:]), ("add", ["by": 2]),
    ])
    #expect(outcomes.map(\.isPassed) == [true, false, false, true])
    #expect(try host.state() == ["n": 3, "seen": [1, 3]])
    #expect(told.withLock { $0 } == [0, 1, 3])
    #expect(try host.dispatch(batch: []).isEmpty)
    subscription.cancel()
  }
}
