import FlowHosting
import FlowKernel
import Foundation
import LuaRuntime
import Testing

/// Replay of recorded input, by a reload or on a new host.
@Suite struct ReplayTests {
  @Test("a replay repeats the inputs from outside, and reports the first difference")
  func replay() throws {
    let written = try Written(Written.counter)
    try written.host.dispatch("add", ["by": 0])
    try written.host.dispatch("add", ["by": 5])
    try written.host.advance(3)
    let difference = try #require(try written.reload(Written.doubled, .replay))
    #expect(
      difference.description
        == "line 4: the outcome of add was \"add passed (#2): n: 0 -> 5\", and is now \"add passed (#2): "
        + "n: 0 -> 10\"")
    #expect(try written.host.state() == ["n": 10])
    #expect(try written.reload(Written.doubled, .replay) == nil)
    #expect(try written.host.revision == 2)
  }

  @Test("a replay without a transcript is an error that says what it needs")
  func replayOfNothing() throws {
    let written = try Written(Written.counter, keepsTranscript: false)
    #expect {
      try written.reload(Written.counter, .replay)
    } throws: {
      "\($0)" == "a replay needs HostOptions.keepsTranscript"
    }
  }

  @Test("a case that was restored or given a state has a partial transcript and cannot be replayed")
  func replayOfRestored() throws {
    let flow = try LoadedFlow(source: Written.counter, name: "counter.lua")
    let journal = MemoryJournal()
    let options = HostOptions(clock: .virtual, keepsTranscript: true)
    func expectRefusal(_ host: FlowHost, _ state: Value) throws {
      #expect(throws: HostError.self) { try host.reload(to: flow, .replay) }
      #expect(try host.transcript?.beginsMidway == true)
      #expect(try host.state() == state)
    }
    let first = try FlowHost(flow, journal: journal, options: options)
    try first.dispatch("add", ["by": 5])
    #expect(try first.reload(to: flow, .replay) == nil)
    let second = try FlowHost(flow, journal: journal.restarted(), options: options)
    try second.dispatch("add", ["by": 2])
    try expectRefusal(second, ["n": 7])
    try second.reload()
    try expectRefusal(second, ["n": 7])
    try second.reload(.reset)
    try second.dispatch("add", ["by": 3])
    #expect(try second.reload(to: flow, .replay) == nil)
    #expect(try second.state() == ["n": 3])
    try expectRefusal(
      FlowHost(flow, restoring: second.snapshot(), options: options), ["n": 3])
    try expectRefusal(
      FlowHost(
        flow, journal: MemoryJournal(), case: "c", given: ["n": 4], options: options,
        scopes: { _ in }
      ), ["n": 4])
  }

  @Test("a transcript that was read back is replayed on a new host, up to the first difference")
  func transcript() throws {
    let written = try Written(Written.counter)
    try written.host.dispatch("add", ["by": 2])
    try written.host.dispatch("add", ["by": "x"])
    try written.host.advance(1.5)
    let text = try #require(try written.host.transcript).text
    #expect(text.split(separator: "\n").count == 6)
    let read = try Transcript(text: text)
    func host(_ text: String, seed: UInt64 = 0) throws -> FlowHost {
      try FlowHost(source: text, options: HostOptions(clock: .virtual, seed: seed))
    }
    #expect(try host(Written.counter).replay(read) == nil)
    let difference = try #require(try host(Written.doubled).replay(read))
    #expect(difference.line == 2)
    #expect(difference.action == "add")
    #expect(throws: HostError.self) { try host(Written.counter, seed: 1).replay(read) }
    #expect(throws: HostError.self) { try FlowHost(source: Written.counter).replay(read) }
    let begun = try host(Written.counter)
    try begun.dispatch("add")
    #expect(throws: HostError.self) { try begun.replay(read) }
  }

  // MARK: What belongs to a replay

  @Test("a replay takes the answers of capabilities from the record, and calls none")
  func paidOnce() async throws {
    let provider = Provider()
    let written = try Written.shop(charging: provider)
    async let outcome = written.host.dispatchAndWait("pay")
    await provider.isAsked()
    provider.answer("r-1")
    #expect(try await outcome.isPassed)
    let before = try await written.host.state()
    #expect(try written.reload(Written.paying, .replay) == nil)
    #expect(try await written.host.state() == before)
    let text = try #require(try written.host.transcript).text
    #expect(text.contains("{\"answered\":1,\"value\":\"r-1\"}"))
    let other = try FlowHost(
      source: Written.paying, options: HostOptions(clock: .virtual, report: { _ in })
    ) { scopes in
      scopes.root.provide("charge") { (cents: Int) async throws -> String in
        try await provider.ask("\(cents)")
      }
    }
    #expect(try other.replay(Transcript(text: text)) == nil)
    #expect(try await other.state() == before)
    #expect(provider.asked == ["100"])
  }

  @Test("a call that is pending during a replay answers the effect that waits for it again")
  func replayOfCurrentWork() async throws {
    let provider = Provider()
    let written = try Written.shop(charging: provider)
    try await written.host.dispatch("pay")
    await provider.isAsked()
    #expect(try written.reload(Written.paying, .replay) == nil)
    #expect(try await written.host.state()["status"] == "paying")
    let (paid, continuation) = AsyncStream.makeStream(of: Void.self)
    let subscription = try written.host.observe { _ in continuation.yield() }
    provider.answer("r-1")
    var heard = paid.makeAsyncIterator()
    await heard.next()
    #expect(try await written.host.state()["status"] == "paid")
    #expect(provider.asked == ["100"])
    subscription.cancel()
  }

  @Test("a replay reports calls that differ from the record, and does not make them")
  func otherCall() throws {
    let flow = """
      state { got = list {} } action.go {} action.got { x = any }
      function reduce.got(s, a) s.got[#s.got + 1] = a.x end
      function effect.go(self) dispatch.got { x = self:price("Rome") } end
      """
    let asked = Trial.Lines()
    let written = try Written(flow) { scopes in
      scopes.root.provide("price") { (place: String) -> Int in
        asked.add(place)
        return 7
      }
    }
    try written.host.dispatch("go")
    #expect(try written.reload(flow, .replay) == nil)
    let changed = flow.replacingOccurrences(of: "Rome", with: "Oslo")
    let difference = try #require(try written.reload(changed, .replay))
    #expect(difference.kind == .call)
    #expect(
      difference.description
        == "line 2: the transcript has a call of root.price(\"Rome\"), and the flow now calls root.price(\"Oslo\")"
    )
    #expect(asked.all == ["Rome"])
  }

  @Test("a replay includes scopes opened by the host, and undo and redo")
  func scopesAndHistory() throws {
    let flow = """
      state { n = 0 } action.add {}
      function reduce.add(s) s.n = s.n + 1 end
      """
    let scope = KeyedScope("till", key: Int.self, actions: ["add"])
    let written = try Written(flow) { $0.declare(scope) }
    try written.host.dispatch("add")
    let opening = try written.host.open(scope, with: 1)
    for _ in 1...3 { try written.host.dispatch("add") }
    try written.host.undo(2)
    try opening.close()
    try written.host.dispatch("add")
    #expect(try written.host.state() == ["n": 1])
    let transcript = try #require(try written.host.transcript)
    #expect(try written.reload(flow, .replay) == nil)
    #expect(try written.host.state() == ["n": 1])
    #expect(try written.host.transcript?.entries == transcript.entries)
  }

  @Test("times of a transcript are whole microseconds, and many small steps add up exactly")
  func wholeTime() throws {
    let flow = """
      state { at = list {} } action.go {}
      function reduce.go(s) s.at[#s.at + 1] = now() end
      """
    let written = try Written(flow)
    for _ in 1...1_000 { try written.host.advance(0.1) }
    try written.host.dispatch("go")
    #expect(try written.host.state()["at"] == [100.0])
    #expect(try written.reload(flow, .replay) == nil)
  }
}
