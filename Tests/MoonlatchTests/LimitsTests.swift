import FlowHosting
import FlowKernel
import LuaRuntime
import Platform
import Testing

/// Each limit takes effect at its number, and its message has the number.
@Suite struct LimitsTests {
  /// A host under those limits; what is reported is kept.
  private final class Limited: Sendable {
    let host: FlowHost
    private let kept = Kept()

    init(_ source: String, _ limits: Limits) throws {
      let kept = kept
      host = try FlowHost(
        source: source,
        options: HostOptions(
          limits: limits, clock: .virtual, print: { _ in }, report: { kept.add("\($0)") }))
    }

    var told: [String] { kept.all }
  }

  private final class Kept: Sendable {
    private let texts = Mutex<[String]>([])
    func add(_ text: String) { texts.withLock { $0.append(text) } }
    var all: [String] { texts.withLock { $0 } }
  }

  @Test("a dispatch ends at the instruction limit")
  func instructions() throws {
    let limited = try Limited(
      going("while s.flag do end"), Limits(instructionsPerDispatch: 123_456))
    let failure = try limited.host.failure()
    #expect(failure?.kind == .limit)
    #expect(failure?.message == "the instruction limit is reached (123456)")
  }

  @Test("the instruction limit also ends a function with few instructions")
  func fewInstructions() throws {
    let limited = try Limited(
      going(String(repeating: "s.flag = not s.flag ", count: 40)),
      Limits(instructionsPerDispatch: 100))
    #expect(try limited.host.failure()?.message == "the instruction limit is reached (100)")
    let roomy = try Limited(
      going(String(repeating: "s.flag = not s.flag ", count: 40)),
      Limits(instructionsPerDispatch: 1_000))
    #expect(try roomy.host.dispatch("go").isPassed)
  }

  @Test("a dispatch and an effect end at the limit of processor time, and change nothing")
  func seconds() throws {
    let limits = Limits(instructionsPerDispatch: .max, processorTime: .milliseconds(50))
    let message = "the time limit is reached (0.05 seconds of processor time)"
    let limited = try Limited(
      going("s.flag = not s.flag while true do end") + "\naction.run {}\n"
        + "effect.run = function() while true do end end", limits)
    let before = try limited.host.state()
    for _ in 0..<2 {
      let failure = try limited.host.failure()
      #expect(failure?.kind == .limit && failure?.message == message)
      #expect(try limited.host.state() == before)
      #expect(try limited.host.revision == 0)
    }
    #expect(try limited.host.dispatch("run").isPassed)
    try limited.host.settle()
    #expect(limited.told.contains { $0.contains(message) }, "\(limited.told)")
  }

  @Test("undo, redo and a replay have no time limit")
  func untimed() throws {
    let slow = "state { n = 0 }\naction.go {}\nfunction reduce.go(s) s.n = s.n + 1 end\n"
    let view = "function invariant.slow(s) for i = 1, s.n * 5000000 do end return true end"
    let generous = Limits(instructionsPerDispatch: 1 << 40, processorTime: .zero)
    func host(_ limits: Limits) throws -> FlowHost {
      try FlowHost(
        source: slow + view,
        options: HostOptions(limits: limits, clock: .virtual, keepsTranscript: true))
    }
    let first = try host(generous)
    for _ in 0..<3 { try first.dispatch("go").get() }
    let short = Limits(instructionsPerDispatch: 1 << 40, processorTime: .milliseconds(10))
    let second = try host(short)
    let transcript = try #require(try first.transcript)
    #expect(try second.replay(transcript) == nil)
    #expect(try second.revision == 3)
    #expect(try second.failure()?.kind == .limit)
    try second.go(to: 1)
    try second.go(to: 3)
    #expect(try second.state()["n"] == 3)
  }

  /// A table that a reducer puts into the state is there until the transition ends.
  private static let trap = """
    state { x = map {}, n = 0 }
    action.go {}
    function reduce.go(s)
      s.x.trap = setmetatable({}, { __index = function() while true do end end })
    end
    machine.side {
      initial = "left",
      left = { go = "right" },
      right = { on_enter = function(s) s.n = s.x.trap.any end },
    }
    """

  @Test(
    "the instruction limit ends a metamethod of a function without calls",
    arguments: [false, true])
  func metamethod(withNative: Bool) throws {
    var options = HostOptions(clock: .virtual)
    if withNative { options.addReducer(for: "go") { _, _ in } }
    let host = try FlowHost(source: Self.trap, options: options)
    let before = try host.state()
    #expect(try host.failure()?.message == "the instruction limit is reached (10000000)")
    #expect(try host.state() == before)
  }

  @Test("a dispatch ends at the memory limit")
  func memory() throws {
    let limited = try Limited(
      going("local t = {} while true do t[#t + 1] = ('x'):rep(10000) .. #t end"),
      Limits(memory: 5_000_000))
    let failure = try limited.host.failure()
    #expect(failure?.kind == .limit)
    #expect(failure?.message == "not enough memory (the memory limit is 5000000 bytes)")
  }

  @Test("a stack that fills the memory is distinguished from a table that does")
  func stack() throws {
    let limited = try Limited(
      going("local function f() return 1 + f() end f()"), Limits(memory: 5_000_000))
    let failure = try limited.host.failure()
    #expect(failure?.kind == .limit)
    #expect(failure?.message == "stack overflow (the memory limit is 5000000 bytes)")
    let roomy = try Limited(
      going("local function f() return 1 + f() end f()"), Limits(memory: 256 << 20))
    #expect(try roomy.host.failure()?.message == "stack overflow")
  }

  @Test("a payload beyond its size limit fails the dispatch")
  func payload() throws {
    let flow = "state {}\naction.go { text = string }\nfunction reduce.go(s) end"
    let limited = try Limited(flow, Limits(payload: 100))
    try limited.host.passing("go", ["text": .string(String(repeating: "x", count: 80))])
    let failure = try limited.host.failure(
      of: "go", ["text": .string(String(repeating: "x", count: 100))])
    #expect(failure?.kind == .limit)
    #expect(failure?.message == "the payload takes 109 bytes, and the limit is 100")
  }

  @Test("a state that would exceed its size limit is rolled back, and a smaller one is accepted")
  func state() throws {
    let flow = """
      state { text = "", rows = list {} }
      action.put { size = integer }
      function reduce.put(s, a) s.text = ("x"):rep(a.size) end
      action.add {}
      function reduce.add(s) s.rows[#s.rows + 1] = { name = "0123456789" } end
      """
    let limited = try Limited(flow, Limits(state: 1_000))
    try limited.host.passing("put", ["size": 900])
    let failure = try limited.host.failure(of: "put", ["size": 1_000])
    #expect(failure?.kind == .limit)
    #expect(failure?.message == "the state takes 1017 bytes, and the limit is 1000")
    #expect(try limited.host.state()["text"]?.stringValue?.count == 900)
    for _ in 0..<4 { try limited.host.passing("add") }
    #expect(try limited.host.failure(of: "add")?.message.hasSuffix("the limit is 1000") == true)
    for _ in 0..<200 { try limited.host.passing("put", ["size": 10]) }
    for _ in 0..<20 { try limited.host.passing("add") }
    #expect(try limited.host.state()["rows"]?.listValue?.count == 24)
  }

  @Test("a flow whose initial state is too large does not start")
  func firstState() {
    #expect {
      try Limited("state { text = ('x'):rep(1000) }", Limits(state: 1_000))
    } throws: { "\($0)".hasSuffix("bytes, and the limit is 1000") }
  }

  @Test("nesting beyond the limit fails, in the state and in a payload", arguments: [20, 120])
  func nesting(depth: Int) throws {
    let flow = """
      state { value = none }
      action.put { depth = integer }
      action.take { value = any }
      function reduce.put(s, a)
        local value = { n = 1 }
        for _ = 2, a.depth do value = { value = value } end
        s.value = value
      end
      """
    let limited = try Limited(flow, Limits(nesting: depth))
    try limited.host.passing("put", ["depth": .integer(depth - 1)])
    let failure = try limited.host.failure(of: "put", ["depth": .integer(depth + 1)])
    #expect(failure?.message.hasSuffix("values are nested more than \(depth) deep") == true)
    var value: Value = 1
    for _ in 0...depth { value = ["value": value] }
    let payload = try limited.host.failure(of: "take", ["value": value])
    #expect(payload?.message.hasSuffix("values nested more than \(depth) deep") == true)
  }

  @Test("living coroutines count against their limit, and ended or collected ones do not")
  func coroutines() throws {
    let limits = Limits(coroutines: 50)
    let kept = try Limited(
      going("local all = {} for i = 1, 51 do all[i] = coroutine.create(print) end"), limits)
    let failure = try kept.host.failure()
    #expect(failure?.kind == .limit)
    #expect(failure?.message == "the limit of coroutines is reached (50)")
    let caught = try Limited(
      going(
        "local all = {} while true do pcall(function() all[#all + 1] = coroutine.wrap(print) end) end"
      ),
      limits)
    #expect(try caught.host.failure()?.message == "the limit of coroutines is reached (50)")
    let forgotten = try Limited(
      going(
        """
        for i = 1, 120 do
          local co = coroutine.wrap(function() coroutine.yield() end)
          co()
        end
        local ended = {}
        for i = 1, 120 do
          ended[i] = coroutine.create(function(fails) if fails then error("x") end end)
          coroutine.resume(ended[i], i % 2 == 0)
        end
        """), limits)
    try forgotten.host.passing()
  }

  @Test("waiting effects are limited in number")
  func effects() throws {
    let flow = "state {}\naction.go {}\nfunction effect.go() sleep(100) end"
    let limited = try Limited(flow, Limits(effects: 3))
    for _ in 0..<3 { try limited.host.passing() }
    #expect(limited.told.isEmpty)
    try limited.host.passing()
    #expect(limited.told.count == 1)
    #expect(limited.told.first?.contains("3 effects are waiting already") == true)
  }

  @Test("timers of effects are limited in number")
  func timers() throws {
    let flow = """
      state {}
      action.go { count = integer }
      action.later {}
      function effect.go(self, a) for i = 1, a.count do after(i, "later") end end
      """
    let limited = try Limited(flow, Limits(timers: 3))
    try limited.host.passing("go", ["count": 3])
    #expect(limited.told.isEmpty)
    try limited.host.passing("go", ["count": 1])
    #expect(limited.told.first?.contains("3 timers are pending already") == true)
    try limited.host.advance(3)
    #expect(try limited.host.revision == 5)
  }

  @Test("the length of the queue is limited")
  func queue() throws {
    let flow = """
      state {}
      action.go { count = integer }
      action.later {}
      function effect.go(self, a) for i = 1, a.count do dispatch.later() end end
      """
    let limited = try Limited(flow, Limits(queue: 3))
    try limited.host.passing("go", ["count": 3])
    #expect(limited.told.isEmpty)
    try limited.host.passing("go", ["count": 4])
    #expect(limited.told.first?.contains("the queue is full (3 actions)") == true)
  }

  @Test("a chain of actions that cause each other ends at its limit")
  func chain() throws {
    let flow = "state {}\naction.go {}\nfunction effect.go() dispatch.go() end"
    let limited = try Limited(flow, Limits(chain: 7))
    try limited.host.passing()
    #expect(try limited.host.revision == 8)
    #expect(limited.told.count == 1)
    #expect(limited.told.first?.contains("7 actions ran from the queue") == true)
    #expect(limited.told.first?.contains("most often go") == true)
  }

  @Test("time that passes ends a chain, however far a host is advanced at once")
  func chainOverTime() throws {
    let flow = """
      state { n = 0 }
      action.go {} action.tick {}
      function reduce.tick(s) for i = 1, 100000 do end s.n = s.n + 1 end
      function effect.go() while true do sleep(1) dispatch.tick() end end
      """
    let limited = try Limited(
      flow, Limits(instructionsPerDispatch: 150_000, chain: 7, instructionsPerChain: 500_000))
    try limited.host.passing()
    try limited.host.advance(100)
    #expect(limited.told.isEmpty)
    #expect(try limited.host.state()["n"] == 100)
  }

  @Test("a chain regains length as time passes")
  func chainAsTimePasses() throws {
    let flow = """
      state { n = 0 }
      action.go { delays = list_of(number) }
      action.tick {}
      function reduce.tick(s) s.n = s.n + 1 end
      function effect.go(_, a) for _, delay in ipairs(a.delays) do after(delay, "tick") end end
      """
    func count(_ delays: [Double]) throws -> (ran: Value?, told: [String]) {
      let limited = try Limited(flow, Limits(chain: 10))
      try limited.host.passing("go", ["delays": .list(delays.map { .number($0) })])
      try limited.host.advance(100)
      return (try limited.host.state()["n"], limited.told)
    }
    func times(_ delay: Double, _ count: Int) -> [Double] { Array(repeating: delay, count: count) }
    // Half of ten may run again after half a second, and all of them after one.
    #expect(try count(times(1, 10) + times(1.5, 5)) == (15, []))
    #expect(try count(times(1, 10) + times(2, 10)) == (20, []))
    let (ran, told) = try count(times(1, 10) + times(1.5, 6))
    #expect(ran == 15 && told.count == 1)
    #expect(told.first?.contains("10 actions ran from the queue") == true)
    // Of what is due just when it ends the rest is dropped, and told with it.
    #expect(try count(times(1, 14)).told.first?.contains("3 more were dropped") == true)
  }

  @Test("passing time restores no more of a chain than was used")
  func nothingSavedUp() throws {
    let flow = """
      state { n = 0 }
      action.go {}
      action.tick { work = integer }
      function reduce.tick(s, a) for i = 1, a.work do end s.n = s.n + 1 end
      function effect.go()
        after(1, "tick", { work = 60000 })
        after(1.3, "tick", { work = 0 })
        for i = 1, 10 do after(1.5, "tick", { work = 0 }) end
        after(1.51, "tick", { work = 0 })
      end
      """
    let limited = try Limited(
      flow, Limits(instructionsPerDispatch: 100_000, chain: 10, instructionsPerChain: 100_000))
    try limited.host.passing()
    try limited.host.advance(100)
    #expect(try limited.host.state()["n"] == 12)
    #expect(limited.told.first?.contains("10 actions ran from the queue") == true)
  }

  @Test("the instructions of a chain of queued actions are limited together")
  func instructionsPerChain() throws {
    let flow = """
      state { n = 0 }
      action.go {}
      function reduce.go(s) for i = 1, 100000 do end s.n = s.n + 1 end
      function effect.go() dispatch.go() end
      """
    let limited = try Limited(
      flow, Limits(instructionsPerDispatch: 150_000, instructionsPerChain: 1_000_000))
    try limited.host.passing()
    #expect(limited.told.count == 1)
    #expect(limited.told.first?.contains("used more than 1000000 instructions") == true)
    #expect(try limited.host.revision == 12)
    try limited.host.passing()
    #expect(try limited.host.revision == 24, "a dispatch from outside begins anew")
  }

  @Test("an endless loop of sleep(0) in an effect ends at the chain limit")
  func sleepingForNothing() throws {
    let flow = """
      state {}
      action.go {}
      function effect.go() while true do sleep(0) end end
      """
    let limited = try Limited(flow, Limits(chain: 7))
    try limited.host.passing()
    #expect(limited.told.first?.contains("most often effect.go") == true)
  }

  @Test("a table that is raised as an error keeps its fields")
  func fields() throws {
    let limited = try Limited(
      going("error({ message = 'no money', code = 402, items = { 'a', 'b' } })"), Limits())
    let failure = try limited.host.failure()
    #expect(failure?.message == "no money")
    #expect(
      failure?.script?.value == ["message": "no money", "code": 402, "items": ["a", "b"]])
  }

  @Test("a file name is given in full in messages and tracebacks, however long it is")
  func longNames() throws {
    let name = "flows/" + String(repeating: "long-", count: 20) + "name.lua"
    let host = try FlowHost(
      source: going("local function fail() error('x') end fail() s.n = 1"), name: name)
    let failure = try host.failure()
    #expect(failure?.message == "x")
    #expect(failure?.script?.chunk == name)
    #expect(failure?.script?.traceback.count == 2)
    #expect(failure?.script?.traceback.allSatisfy { $0.hasPrefix(name + ":") } == true)
  }

  @Test("the stack limit is measured from where each thread calls, for short functions too")
  func threads() throws {
    let host = try FlowHost(
      source: "state { text = \"\" } action.keep { text = string }\n"
        + "function reduce.keep(s, a) s.text = a.text end")
    let text = Value.string(String(repeating: "long ", count: 100))
    for _ in 1...3 {
      let outcome = try LeastStack.run { try host.dispatch("keep", ["text": text]) }
      #expect(outcome.isPassed, "\(outcome)")
      #expect(try host.dispatch("keep", ["text": text]).isPassed)
    }
  }

  @Test("the reason of a refusal is truncated like an error's message")
  func longReason() throws {
    let host = try FlowHost(
      source: "state {} action.go {}\n"
        + "function gate.go() return false, (\"x\"):rep(20 * 1024 * 1024) end")
    guard case .refused(let refusal) = try host.dispatch("go") else {
      Issue.record("it was not refused")
      return
    }
    #expect(refusal.reason?.utf8.count == 16_384 + 3)
    #expect(refusal.reason?.hasSuffix("...") == true)
  }

  @Test("a raised table keeps its fields as long as they are no larger than a message")
  func longFields() throws {
    func failure(_ size: Int) throws -> DispatchFailure? {
      try Limited(
        going("error({ message = 'no money', more = ('x'):rep(\(size)) })"), Limits()
      ).host.failure()
    }
    #expect(try failure(16_000)?.script?.value?["more"]?.stringValue?.count == 16_000)
    #expect(try failure(17_000)?.script?.value == nil)
    #expect(try failure(17_000)?.message == "no money")
  }
}
