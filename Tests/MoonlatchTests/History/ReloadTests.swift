import Moonlatch
import Testing

/// A host whose flow can be written anew.
private final class Written {
  let folder: TestFolder
  let host: FlowHost
  let reports = Trial.Lines()

  init(_ text: String, keepsTranscript: Bool = true) throws {
    folder = try TestFolder()
    let file = try folder.write(text, to: "flow.lua")
    let reports = reports
    host = try FlowHost(
      flow: file,
      options: HostOptions(
        clock: .virtual, keepsTranscript: keepsTranscript, findsChangedLocals: true,
        report: { reports.add($0) }))
  }

  @discardableResult
  func reload(_ text: String, _ mode: FlowHost.Reload) throws -> Transcript.Difference? {
    try folder.write(text, to: "flow.lua")
    return try host.reload(mode)
  }
}

@Suite struct ReloadTests {
  private let counter = """
    state { n = 0 } action.add { by = integer { default = 1 } }
    function reduce.add(s, a) s.n = s.n + a.by end
    """

  private var doubled: String {
    counter.split(separator: "+ a.by").joined(separator: "+ 2 * a.by")
  }

  @Test("keep: the state stays, and the new rules hold from now on")
  func keep() throws {
    let written = try Written(counter)
    try written.host.dispatch("add", ["by": 5])
    #expect(try written.reload(doubled, .keep) == nil)
    #expect(try written.host.state() == ["n": 5])
    try written.host.dispatch("add")
    #expect(try written.host.state() == ["n": 7])
    #expect(try written.host.revision == 2)
  }

  @Test("replay: what came from outside is played again, and the first difference is told")
  func replay() throws {
    let written = try Written(counter)
    try written.host.dispatch("add", ["by": 0])
    try written.host.dispatch("add", ["by": 5])
    try written.host.advance(3)
    let difference = try #require(try written.reload(doubled, .replay))
    #expect(
      difference.description
        == "line 4: add came to \"add passed (#2): n: 0 -> 5\" then, and to \"add passed (#2): n: 0 "
        + "-> 10\" now")
    #expect(try written.host.state() == ["n": 10])
    #expect(try written.reload(doubled, .replay) == nil)
    #expect(try written.host.revision == 2)
  }

  @Test("replay without a transcript says what it needs")
  func replayOfNothing() throws {
    let written = try Written(counter, keepsTranscript: false)
    #expect {
      try written.reload(counter, .replay)
    } throws: {
      "\($0)" == "a replay needs HostOptions.keepsTranscript"
    }
  }

  @Test("reset: the flow starts anew")
  func reset() throws {
    let written = try Written(counter)
    try written.host.dispatch("add", ["by": 5])
    #expect(try written.reload(counter, .reset) == nil)
    #expect(try written.host.state() == ["n": 0])
    #expect(try written.host.revision == 0)
  }

  @Test("a reload tells which changed locals it loses")
  func locals() throws {
    let flow =
      "local n = 0\n" + counter + "\naction.count {}\nfunction reduce.count() n = n + 1 end"
    let written = try Written(flow)
    try written.reload(flow, .keep)
    #expect(written.reports.take() == [])
    try written.host.dispatch("count")
    #expect(written.reports.take().count == 1)
    try written.reload(flow, .keep)
    #expect(
      written.reports.take() == [
        "flow.lua:5: the reload loses the local n, which reduce.count changed; data belongs in the "
          + "state"
      ])
  }

  @Test("timers, gatekeepers and causes keep their meaning where declarations have moved")
  func moved() throws {
    let keeper =
      "gatekeeper.k { load = { attempt = \"x\" }, loaded = { reset = \"x\" }, stop = { reset = \"x\" } }"
    let machine =
      "machine.m { initial = \"a\", a = { load = \"b\", stop = \"a\" }, b = { stop = \"a\", load = \"b\", late = \"a\", after = { late = 9 } } }"
    let scope =
      "scope.s { key = function(s) return s.open end, actions = { \"load\", \"loaded\" } }"
    let actions =
      "state { open = true } action.load {} action.loaded {} action.stop {} action.late {} action.shut {}\n"
      + "function reduce.shut(s) s.open = false end\nfunction effect.load() after(5, \"loaded\") end\n"
    let written = try Written([actions, keeper, machine, scope].joined(separator: "\n"))
    try written.host.dispatch("load")
    let more = """
      action.other {} gatekeeper.a { other = "attempt" }
      machine.b { initial = "x", x = { other = "x" } }
      scope.a { key = function() return true end, actions = { "other" } }
      """
    try written.reload([actions, more, scope, machine, keeper].joined(separator: "\n"), .keep)
    #expect(try written.host.settle() == ["loaded is due at 5.0", "late is due at 9.0"])
    try written.host.dispatch("stop")
    #expect(try written.host.settle() == ["loaded is due at 5.0"])
    try written.host.dispatch("load")
    try written.host.advance(5)
    #expect(
      written.reports.take() == [
        "loaded from the queue was refused by gatekeeper k: stale: \"x\" that this chain took is now "
          + "held since load (#3)"
      ])
    try written.host.dispatch("shut")
    #expect(try written.host.settle() == ["late is due at 9.0"])
  }

  @Test("a transcript that was read back is played on a new host, up to the first difference")
  func transcript() throws {
    let written = try Written(counter)
    try written.host.dispatch("add", ["by": 2])
    try written.host.dispatch("add", ["by": "x"])
    try written.host.advance(1.5)
    let text = try #require(try written.host.transcript).text
    #expect(text.split(separator: "\n").count == 6)
    let read = try Transcript(text: text)
    func host(_ text: String, seed: UInt64 = 0) throws -> FlowHost {
      try FlowHost(source: text, options: HostOptions(clock: .virtual, seed: seed))
    }
    #expect(try host(counter).replay(read) == nil)
    let difference = try #require(try host(doubled).replay(read))
    #expect(difference.line == 2)
    #expect(difference.action == "add")
    #expect(throws: HostError.self) { try host(counter, seed: 1).replay(read) }
    #expect(throws: HostError.self) { try FlowHost(source: counter).replay(read) }
    let begun = try host(counter)
    try begun.dispatch("add")
    #expect(throws: HostError.self) { try begun.replay(read) }
  }

  @Test("settle and stop say what was pending: queued, due and waiting")
  func pending() throws {
    let trial = try Trial(
      """
      state {} action.go {} action.late {}
      function effect.go() after(3, "late") sleep(5) end
      """)
    try trial.play("go")
    #expect(try trial.host.settle() == ["late is due at 3.0", "effect.go waits (#1)"])
    #expect(try trial.host.stop() == ["late is due at 3.0", "effect.go waits (#1)"])
    #expect(throws: (any Error).self) { try trial.host.settle() }
  }
}
