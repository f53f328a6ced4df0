import FlowCases
import FlowHosting
import FlowKernel
import LuaRuntime
import Testing

/// SCXML documents whose sessions are stored in a journal.
@Suite struct DocumentJournalTests {
  private let text = DocumentTests.text(
    """
    <datamodel><data id="heard" expr="0"/></datamodel>
    <state id="s"><transition event="go" target="h"/></state>
    <state id="t"><history id="h" type="deep"><transition target="t1"/></history>
    <onentry><send event="late" delay="10s" id="later"/></onentry>
    <invoke id="kid"><content><scxml version="1.0" datamodel="lua" initial="k"><datamodel><data id="n" expr="1"/></datamodel>
    <state id="k"><onentry><send event="tick" delay="2s"/></onentry>
    <transition event="tick" target="m"><assign location="n" expr="n + 1"/><send target="#_parent" event="ticked"><param name="n" expr="n"/></send></transition></state>
    <state id="m"><transition event="end" target="e"/></state><final id="e"/></scxml></content></invoke>
    <state id="t1"><transition event="deeper" target="t2"/></state><state id="t2"/>
    <transition event="ticked" cond="_event.invokeid == 'kid'"><assign location="heard" expr="_event.data.n"/><send target="#_kid" event="end"/></transition>
    <transition event="done.invoke.kid" target="u"/><transition event="late" target="fail"/></state>
    <state id="u"><onentry><cancel sendid="later"/></onentry><transition event="late" target="fail"/><transition event="back" target="h"/></state>
    """)

  private func host(_ journal: MemoryJournal) throws -> FlowHost {
    try FlowHost(
      LoadedFlow(source: text, name: "x.scxml"), journal: journal, case: "main",
      options: HostOptions(clock: .virtual, report: { _ in }))
  }

  @Test("sessions, their delayed events and their histories are restored in another process")
  func again() throws {
    let journal = MemoryJournal()
    let first = try host(journal)
    try first.dispatch("go")
    try first.dispatch("deeper")
    try first.advance(1)
    #expect(try first.state()["#kid"] == "k")
    let restarted = journal.restarted()
    let second = try host(restarted)
    #expect(try second.state()["#x"] == "t.t2")
    #expect(try second.state()["#kid"] == "k")
    #expect(try second.state()["#data.kid"] == ["n": 1])
    try second.advance(1)
    #expect(try second.state()["#x"] == "u")
    #expect(try second.state()["heard"] == 2)
    #expect(try second.state()["#kid"] == nil)
    let third = try host(restarted.restarted())
    // An event that was cancelled in one process fires in no other.
    try third.advance(20)
    #expect(try third.state()["#x"] == "u")
    try third.dispatch("back")
    #expect(try third.state()["#x"] == "t.t2")
    #expect(try third.state()["#kid"] == "k")
  }

  @Test("the variables of an ended session do not exist in another process either")
  func ended() throws {
    let text = DocumentTests.text(
      """
      <state id="s"><invoke id="kid" autoforward="true"><content><scxml version="1.0" datamodel="lua" initial="k"><datamodel><data id="n" expr="1"/></datamodel>
      <state id="k"><transition event="end" target="e"/></state><final id="e"/></scxml></content></invoke>
      <transition event="done.invoke.kid" target="t"/></state>
      <state id="t"><transition event="back" target="s"/></state>
      """)
    let loaded = try LoadedFlow(source: text, name: "x.scxml")
    let options = HostOptions(clock: .virtual, report: { _ in })
    let journal = MemoryJournal()
    let first = try FlowHost(loaded, journal: journal, case: "main", options: options)
    #expect(try first.state()["#data.kid"] == ["n": 1])
    try first.dispatch("end")
    #expect(try first.state()["#data.kid"] == nil)
    let second = try FlowHost(
      loaded, journal: journal.restarted(), case: "main", options: options)
    #expect(try second.state() == first.state())
    try second.dispatch("back")
    #expect(try second.state()["#data.kid"] == ["n": 1])
  }

  @Test("cases of a document have separate configurations")
  func cases() async throws {
    let cases = try await Cases(
      of: LoadedFlow(source: text, name: "x.scxml"), in: MemoryJournal(),
      options: HostOptions(clock: .virtual, report: { _ in }), maximumActive: 1)
    try await cases.create("a")
    try await cases.create("b")
    try await cases["a"].dispatch("go")
    #expect(try await cases["a"].state()["#x"] == "t.t1")
    #expect(try await cases["b"].state()["#x"] == "s")
    #expect(
      try await cases["a"].summary()?.machines == ["kid": ["k", "kid"], "x": ["t", "t.t1", "x"]])
  }

  @Test("internal fields of an event are not shown")
  func shown() throws {
    let loaded = try LoadedFlow(source: text, name: "x.scxml")
    let sent: Value = ["#data": ["n": 2], "#origin": "#_scxml_kid", "#invokeid": "kid"]
    #expect(loaded.flow.shown(sent, of: "ticked") == ["n": 2])
    #expect(loaded.flow.shown(["#origin": "#_scxml_x", "#to": 1], of: "end") == [:])
    #expect(loaded.flow.shown(["#data": "words"], of: "end") == "words")
    #expect(loaded.flow.shown(["#mine": 1], of: "end") == ["#mine": 1])
  }
}
