import FlowHosting
import FlowKernel
import Testing

/// The mapping of SCXML documents, line by line: each document ends in pass if its line holds.
@Suite struct MappingTests {
  /// A line of the table, and a document that asks it.
  struct Line: Sendable {
    let says: String
    var events: [String] = []
    let body: String
  }

  static let states = [
    Line(
      says: "the content of <initial> runs after onentry, and before what is inside is entered",
      body: """
        <datamodel><data id="log" expr="''"/></datamodel>
        <state id="s"><onentry><assign location="log" expr="log .. 'e'"/></onentry>
        <initial><transition target="b"><assign location="log" expr="log .. 'i'"/></transition></initial>
        <state id="a"/><state id="b"><onentry><assign location="log" expr="log .. 'b'"/></onentry>
        <transition cond="log == 'eib'" target="pass"/><transition target="fail"/></state></state>
        """),
    Line(
      says: "states of <parallel> are entered in document order, and left against it",
      body: """
        <datamodel><data id="log" expr="''"/></datamodel>
        <state id="s"><transition target="t"/><parallel id="p">
        <state id="a"><onentry><assign location="log" expr="log .. 'a'"/></onentry><onexit><assign location="log" expr="log .. 'A'"/></onexit></state>
        <state id="b"><onentry><assign location="log" expr="log .. 'b'"/></onentry><onexit><assign location="log" expr="log .. 'B'"/></onexit></state></parallel></state>
        <state id="t"><transition cond="log == 'abBA'" target="pass"/><transition target="fail"/></state>
        """),
    Line(
      says: "donedata of a <final> is _event.data of done.state.ID, an internal event",
      body: """
        <state id="s" initial="f"><final id="f"><donedata><param name="n" expr="40 + 2"/></donedata></final>
        <transition event="done.state.s" cond="_event.data.n == 42 and _event.type == 'internal'" target="pass"/><transition event="*" target="fail"/></state>
        """),
    Line(
      says: "done.state.ID of a <parallel> comes when all its states are done, behind theirs",
      body: """
        <datamodel><data id="n" expr="0"/></datamodel>
        <parallel id="s"><state id="a" initial="a2"><final id="a2"/></state><state id="b" initial="b1"><state id="b1"><transition target="b2"/></state><final id="b2"/></state>
        <transition event="done.state.a done.state.b"><assign location="n" expr="n + 1"/></transition>
        <transition event="done.state.s" cond="n == 2" target="pass"/><transition event="done.state.s" target="fail"/></parallel>
        """),
    Line(
      says: "a shallow <history> leads to the child that was active, which begins anew",
      events: ["next", "out", "back"],
      body: """
        <state id="s"><transition target="a"/></state>
        <state id="t"><history id="h" type="shallow"><transition target="a"/></history><transition event="out" target="o"/>
        <state id="a"><transition event="next" target="b2"/></state>
        <state id="b"><state id="b1"><transition event="where" target="pass"/></state><state id="b2"/></state></state>
        <state id="o"><transition event="back" target="h"><raise event="where"/></transition></state>
        """),
    Line(
      says: "the default content of a <history> runs where nothing is remembered, and only there",
      body: """
        <datamodel><data id="n" expr="0"/></datamodel>
        <state id="s"><transition target="h"/></state>
        <state id="t"><history id="h"><transition target="a"><assign location="n" expr="n + 1"/></transition></history>
        <state id="a"><transition cond="n == 1" target="o"/><transition target="fail"/></state></state>
        <state id="o"><onentry><raise event="again"/></onentry><transition event="again" target="h2"/></state>
        <state id="u"><history id="h2"><transition target="c"><assign location="n" expr="n + 10"/></transition></history><transition event="x" target="fail"><assign location="n" expr="n + 100"/></transition>
        <state id="c"><transition cond="n == 11" target="pass"/><transition target="fail"/></state></state>
        """),
    Line(
      says: "content of a transition runs when it is taken, and not as its state begins",
      body: """
        <datamodel><data id="n" expr="0"/></datamodel>
        <state id="s"><onentry><raise event="up"/></onentry><transition event="up"><assign location="n" expr="n + 1"/><raise event="ask"/></transition>
        <transition event="ask" cond="n == 1" target="pass"/><transition event="ask" target="fail"/><state id="inside"/></state>
        """),
  ]

  static let transitions = [
    Line(
      says: "of the transitions of a state the first in document order is taken that agrees",
      body: """
        <state id="s"><onentry><raise event="e"/></onentry><transition event="e" cond="false" target="fail"/><transition event="e" target="pass"/><transition event="e" target="fail"/></state>
        """),
    Line(
      says: "type external leaves its source, internal does not, without target nothing is left",
      body: """
        <datamodel><data id="log" expr="''"/></datamodel>
        <state id="s"><onentry><raise event="stay"/><raise event="in"/><raise event="out"/><raise event="end"/></onentry><transition target="t"/></state>
        <state id="t"><onexit><assign location="log" expr="log .. 't'"/></onexit>
        <transition event="stay"><assign location="log" expr="log .. '-'"/></transition>
        <transition event="in" type="internal" target="a"><assign location="log" expr="log .. 'i'"/></transition>
        <transition event="out" type="external" target="a"><assign location="log" expr="log .. 'e'"/></transition>
        <transition event="end" cond="log == '-aiate'" target="pass"/><transition event="end" target="fail"/>
        <state id="a"><onexit><assign location="log" expr="log .. 'a'"/></onexit></state></state>
        """),
    Line(
      says: "event descriptors are prefixes by words: a, b.*, * and .*",
      body: """
        <state id="s"><onentry><raise event="ab"/><raise event="a.b"/><raise event="b"/><raise event="c"/><raise event="d"/></onentry>
        <transition event="a" target="s2"/><transition event="ab" target="s1"/><transition event="*" target="fail"/></state>
        <state id="s1"><transition event="x a" target="s2"/><transition event="*" target="fail"/></state>
        <state id="s2"><transition event="b.*" target="s3"/><transition event="*" target="fail"/></state>
        <state id="s3"><transition event="*" target="s4"/></state><state id="s4"><transition event=".*" target="pass"/></state>
        """),
    Line(
      says: "a transition without event is asked in each round, and _event is the last one",
      body: """
        <state id="s"><onentry><raise event="e"/></onentry><transition event="e" target="t"/></state>
        <state id="t"><transition cond="_event.name == 'e'" target="u"/><transition target="fail"/></state>
        <state id="u"><transition cond="_event.name == 'e'" target="pass"/></state>
        """),
    Line(
      says: "content of a transition runs between exits and entries",
      body: """
        <datamodel><data id="log" expr="''"/></datamodel>
        <state id="s"><onexit><assign location="log" expr="log .. 'x'"/></onexit><transition target="t"><assign location="log" expr="log .. 'c'"/></transition></state>
        <state id="t"><onentry><assign location="log" expr="log .. 'n'"/></onentry><transition cond="log == 'xcn'" target="pass"/><transition target="fail"/></state>
        """),
    Line(
      says: "of several onentry and onexit each runs, though one before it has an error",
      body: """
        <datamodel><data id="n" expr="0"/></datamodel>
        <state id="s"><onentry><assign location="n" expr="nothing.x"/><assign location="n" expr="100"/></onentry><onentry><assign location="n" expr="n + 1"/></onentry>
        <onexit><assign location="n" expr="nothing.x"/></onexit><onexit><assign location="n" expr="n + 10"/></onexit><transition target="t"/></state>
        <state id="t"><transition cond="n == 11" target="pass"/><transition target="fail"/></state>
        """),
    Line(
      says: "In follows each single exit and entry",
      body: """
        <datamodel><data id="n" expr="0"/></datamodel>
        <state id="s"><state id="a"><onexit><if cond="In('a') and In('s')"><assign location="n" expr="n + 1"/></if></onexit><transition target="t"><if cond="not In('a') and not In('s')"><assign location="n" expr="n + 10"/></if></transition></state>
        <onexit><if cond="In('s') and not In('a')"><assign location="n" expr="n + 100"/></if></onexit></state>
        <state id="t"><onentry><if cond="In('t') and not In('u')"><assign location="n" expr="n + 1000"/></if></onentry><state id="u"><transition cond="n == 1111" target="pass"/><transition target="fail"/></state></state>
        """),
  ]

  static let content = [
    Line(
      says: "data of a state is there from the beginning, and none where it is not bound",
      body: """
        <state id="s"><transition cond="later == 5 and unbound == nil" target="pass"/><transition target="fail"/></state>
        <state id="t"><datamodel><data id="later" expr="5"/><data id="unbound"/></datamodel></state>
        """),
    Line(
      says: "if, elseif and else: the first condition that holds, and one with an error does not",
      body: """
        <datamodel><data id="n" expr="0"/></datamodel>
        <state id="s"><onentry><if cond="nothing.x"><assign location="n" expr="1"/><elseif cond="n == 0"/><assign location="n" expr="2"/><else/><assign location="n" expr="3"/></if>
        <if cond="n == 3"><assign location="n" expr="4"/><else/><assign location="n" expr="n + 5"/></if></onentry>
        <transition event="error.execution" cond="n == 7" target="pass"/><transition event="*" target="fail"/></state>
        """),
    Line(
      says: "foreach goes over a copy, and an error in it ends the block",
      body: """
        <datamodel><data id="all" expr="{ 1, 2, 3 }"/><data id="n" expr="0"/></datamodel>
        <state id="s"><onentry><foreach array="all" item="one"><assign location="all" expr="{ 1 }"/><assign location="n" expr="n + one"/></foreach></onentry>
        <onentry><foreach array="{ 1, 2 }" item="one"><assign location="n" expr="n + 10"/><assign location="nowhere" expr="1"/></foreach><assign location="n" expr="0"/></onentry>
        <transition event="error.execution" cond="n == 16" target="pass"/><transition event="*" target="fail"/></state>
        """),
    Line(
      says: "raise and a send to #_internal come before what is sent",
      body: """
        <state id="s"><onentry><send event="three"/><raise event="one"/><send event="two" target="#_internal"><param name="n" expr="7"/></send></onentry><transition event="one" target="t"/><transition event="*" target="fail"/></state>
        <state id="t"><transition event="two" cond="_event.type == 'internal' and _event.data.n == 7" target="u"/><transition event="*" target="fail"/></state>
        <state id="u"><transition event="three" cond="_event.type == 'external'" target="pass"/><transition event="*" target="fail"/></state>
        """),
    Line(
      says: "delayexpr is a text with a unit, or a number of milliseconds",
      body: """
        <state id="s"><onentry><send event="third" delayexpr="2000"/><send event="second" delayexpr="'1' .. 's'"/><send event="first" delay="300ms"/></onentry>
        <transition event="first" target="t"/><transition event="*" target="fail"/></state>
        <state id="t"><transition event="second" target="u"/><transition event="*" target="fail"/></state><state id="u"><transition event="third" target="pass"/></state>
        """),
    Line(
      says: "an error of send ends its block, and tells the id of what was not sent",
      body: """
        <datamodel><data id="n" expr="0"/></datamodel>
        <state id="s"><onentry><send event="x" target="nowhere" id="one"/><assign location="n" expr="1"/></onentry><onentry><send event="x" target="#_scxml_none" id="two"/><assign location="n" expr="1"/></onentry>
        <transition event="error.execution" cond="_event.sendid == 'one' and n == 0" target="t"/><transition event="*" target="fail"/></state>
        <state id="t"><transition event="error.communication" cond="_event.sendid == 'two' and n == 0" target="u"/><transition event="*" target="fail"/></state>
        <state id="u"><onentry><send event="x" type="http://www.w3.org/TR/scxml/#BasicHTTPEventProcessor" target="http://localhost"/></onentry><transition event="error.communication" target="v"/><transition event="*" target="fail"/></state>
        <state id="v"><onentry><send event="x" type="pigeon"/></onentry><transition event="error.execution" target="pass"/><transition event="*" target="fail"/></state>
        """),
    Line(
      says: "param, namelist and content are _event.data",
      body: """
        <datamodel><data id="v" expr="3"/></datamodel>
        <state id="s"><onentry><send event="e" namelist="v"><param name="w" location="v"/><param name="x" expr="v + 1"/></send></onentry>
        <transition event="e" cond="_event.data.v == 3 and _event.data.w == 3 and _event.data.x == 4" target="t"/><transition event="*" target="fail"/></state>
        <state id="t"><onentry><send event="e"><content expr="{ v, 5 }"/></send></onentry><transition event="e" cond="_event.data[2] == 5" target="u"/><transition event="*" target="fail"/></state>
        <state id="u"><onentry><send event="e"><content>123</content></send></onentry><transition event="e" cond="_event.data == 123" target="pass"/><transition event="*" target="fail"/></state>
        """),
    Line(
      says: "of several values by one name all go along, as a list",
      body: """
        <datamodel><data id="v" expr="1"/></datamodel>
        <state id="s"><onentry><send event="e" namelist="v"><param name="v" expr="2"/><param name="w" expr="{ 4, 5 }"/><param name="v" expr="3"/></send></onentry>
        <transition event="e" cond="#_event.data.v == 3 and _event.data.v[1] == 1 and _event.data.v[3] == 3 and _event.data.w[2] == 5" target="t"/><transition event="*" target="fail"/></state>
        <state id="t" initial="f"><final id="f"><donedata><param name="n" expr="{ 1 }"/><param name="n" expr="{ 2 }"/></donedata></final>
        <transition event="done.state.t" cond="#_event.data.n == 2 and _event.data.n[2][1] == 2" target="pass"/><transition event="*" target="fail"/></state>
        """),
    Line(
      says: "tables that variables hold are equal where they hold the same",
      body: """
        <datamodel><data id="a" expr="{ x = { 1, 2 }, y = 'z' }"/><data id="b" expr="{ x = { 1, 2 }, y = 'z' }"/><data id="p" expr="_ioprocessors"/><data id="q"/></datamodel>
        <state id="s"><onentry><assign location="q" expr="_ioprocessors"/></onentry>
        <transition cond="a == b and a.x == b.x and p == q and p == _ioprocessors and a ~= p and b == { x = { 1, 2 }, y = 'z' }" target="t"/><transition target="fail"/></state>
        <state id="t"><onentry><assign location="b.x[2]" expr="3"/></onentry>
        <transition cond="a ~= b and a.x ~= b.x and a.y == b.y and a ~= nil and a ~= 'z'" target="u"/><transition target="fail"/></state>
        <state id="u"><onentry><send event="e" namelist="a b"/></onentry>
        <transition event="e" cond="_event.data.a == a and _event.data.b == b and b.x[2] == 3" target="v"/><transition event="*" target="fail"/></state>
        <state id="v"><onentry><assign location="b" expr="a"/></onentry><onentry><assign location="b.x[1]" expr="7"/></onentry>
        <transition cond="a.x[1] == 1 and b.x[1] == 7 and a ~= b" target="pass"/><transition target="fail"/></state>
        """),
    Line(
      says: "what was invoked is heard no more once it was cancelled, whatever it has sent",
      body: """
        <state id="s"><onentry><send event="go"/></onentry><invoke id="kid"><content><scxml version="1.0" datamodel="lua" initial="k"><state id="k"><onentry><send target="#_parent" event="early"/></onentry><onexit><send target="#_parent" event="bye"/></onexit></state></scxml></content></invoke><transition event="go" target="t"/></state>
        <state id="t"><onentry><send event="late" delay="1s"/></onentry><transition event="early bye" target="fail"/><transition event="late" target="pass"/></state>
        """),
    Line(
      says: "a variable may have any name, that of a parameter too",
      body: """
        <datamodel><data id="s" expr="1"/><data id="a"/></datamodel>
        <state id="s"><onentry><assign location="a" expr="{ n = 2 }"/><script>a.n = a.n + s</script></onentry><transition cond="s == 1 and a.n == 3" target="pass"/><transition target="fail"/></state>
        """),
    Line(
      says: "what is kept of _event and _ioprocessors is a value, and equal to them",
      body: """
        <datamodel><data id="e"/><data id="p" expr="_ioprocessors"/></datamodel>
        <state id="s"><onentry><raise event="x"/></onentry><transition event="x" target="t"/></state>
        <state id="t"><onentry><assign location="e" expr="_event"/><script>also = _event</script></onentry>
        <transition cond="e.name == 'x' and e == _event and also.name == 'x' and p == _ioprocessors and p.scxml.location == _ioprocessors.scxml.location" target="pass"/><transition target="fail"/></state>
        """),
    Line(
      says: "_event has no value before the first event, and the first may be one that was raised",
      body: """
        <state id="s"><onentry><if cond="_event == nil"><raise event="e"/></if></onentry><transition event="e" cond="_event.name == 'e' and _event.type == 'internal'" target="pass"/><transition event="*" target="fail"/></state>
        """),
  ]

  @Test(
    "a document for each line of the mapping table ends in pass",
    arguments: [states, transitions, content])
  func lines(of part: [Line]) throws {
    for line in part {
      #expect(try DocumentTests.end(of: line.body, events: line.events) == "pass", "\(line.says)")
    }
  }

  @Test("log prints its label and value")
  func log() throws {
    let trial = try Trial(
      DocumentTests.text(
        """
        <state id="s"><transition event="go"><log label="n" expr="1 + 1"/><log expr="'plain'"/><log label="alone"/></transition></state>
        """), name: "x.scxml")
    try trial.play("go")
    #expect(trial.printed.all == ["n: 2", "plain", "alone"])
  }

  @Test("the document that srcexpr names is invoked if it belongs to the flow's texts")
  func choice() throws {
    let folder = try TestFolder()
    try folder.write(
      "<scxml datamodel=\"lua\"><datamodel><data id=\"n\"/></datamodel><final id=\"e\"><donedata><param name=\"n\" expr=\"n * 2\"/></donedata></final></scxml>",
      to: "double.scxml")
    try folder.write("<scxml><final id=\"e\"/></scxml>", to: "other.scxml")
    let text = DocumentTests.text(
      """
      <datamodel><data id="source" expr="'other.scxml'"/></datamodel>
      <state id="s"><onentry><assign location="source" expr="'file:double.scxml'"/></onentry><invoke id="kid" srcexpr="source"><param name="n" expr="21"/></invoke>
      <transition event="done.invoke.kid" cond="_event.data.n == 42" target="t"/><transition event="*" target="fail"/></state>
      <state id="t"><onentry><assign location="source" expr="'unknown'"/></onentry><invoke id="kid" srcexpr="source"/>
      <transition event="error.communication" target="pass"/><transition event="*" target="fail"/></state>
      """)
    let host = try FlowHost(
      flow: folder.write(text, to: "x.scxml"), options: HostOptions(clock: .virtual))
    try host.advance(1)
    #expect(try host.state()["#x"] == "pass")
  }

  @Test("a delayed event has the transition that sent it as its cause")
  func cause() throws {
    let trial = try Trial(
      DocumentTests.text(
        """
        <state id="s"><transition event="go" target="t"><send event="late" delay="1s"/></transition></state><state id="t"><transition event="late" target="pass"/></state>
        """), name: "x.scxml")
    try trial.play("go")
    try trial.advance(1)
    let transitions = try trial.host.commits
    #expect(transitions.map(\.action) == ["go", "late"])
    #expect(transitions.last?.cause == 1)
  }

  @Test("a top-level final state runs all exits, and delayed events are dropped")
  func ended() throws {
    let trial = try Trial(
      """
      <scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0" datamodel="lua" initial="s">
      <datamodel><data id="n" expr="0"/></datamodel>
      <state id="s"><onentry><send event="late" delay="1s"/></onentry><transition event="go" target="end"/></state>
      <final id="end"><onexit><assign location="n" expr="n + 1"/></onexit></final></scxml>
      """, name: "x.scxml")
    try trial.play("go")
    #expect(try trial.host.state()["n"] == 1)
    try trial.advance(5)
    #expect(trial.reports.all == [])
  }
}
