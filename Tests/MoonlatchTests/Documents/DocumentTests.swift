import FlowHosting
import FlowKernel
import FlowLanguage
import Testing

/// Sessions of SCXML documents, which run according to the recommendation.
@Suite struct DocumentTests {
  /// Plays a document until nothing is left to come, and gives the final state in which it stands.
  static func end(
    of body: String, _ attributes: String = "initial=\"s\"", model: String = "lua",
    events: [String] = []
  ) throws -> String? {
    let trial = try Trial(text(body, attributes, model: model), name: "x.scxml")
    for event in events { try trial.play(event) }
    try trial.advance(10)
    return try trial.host.state()["#x"]?.stringValue
  }

  static func text(
    _ body: String, _ attributes: String = "initial=\"s\"", model: String = "lua"
  ) -> String {
    """
    <scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0" datamodel="\(model)" \(attributes)>
    \(body)
    <final id="pass"/><final id="fail"/></scxml>
    """
  }

  @Test(
    "values are passed to an invoked session, and finalize runs before transitions are selected"
  )
  func invokeparam() throws {
    let document = """
      <datamodel><data id="v" expr="7"/></datamodel>
      <state id="s"><onentry><send event="late" delay="2s"/></onentry>
      <invoke id="kid" namelist="v"><param name="w" expr="v + 1"/><content><scxml version="1.0" datamodel="lua" initial="k"><datamodel><data id="v" expr="0"/><data id="w"/></datamodel>
      <state id="k"><transition cond="v == 7 and w == 8" target="ok"><send target="#_parent" event="good"><param name="sum" expr="v + w"/></send></transition><transition target="ok"/></state><final id="ok"><donedata><param name="x" expr="w"/></donedata></final></scxml></content>
      <finalize><assign location="v" expr="_event.data.sum"/></finalize></invoke>
      <transition event="good" cond="v == 15 and _event.invokeid == 'kid'" target="t"/><transition event="*" target="fail"/></state>
      <state id="t"><transition event="done.invoke.kid" cond="_event.data.x == 8" target="pass"/><transition event="*" target="fail"/></state>
      """
    #expect(try Self.end(of: document) == "pass")
  }

  @Test("the end of an invoked session is an event with its data")
  func doneinvoke() throws {
    let document = """
      <state id="s"><invoke id="kid"><content><scxml version="1.0" datamodel="lua" initial="k"><state id="k"><transition target="ok"/></state><final id="ok"><donedata><content expr="41 + 1"/></donedata></final></scxml></content></invoke>
      <transition event="done.invoke.kid" cond="_event.data == 42" target="pass"/><transition event="*" target="fail"/></state>
      """
    #expect(try Self.end(of: document) == "pass")
  }

  @Test("an invoked session ends with its state, and its delayed events are cancelled")
  func cancelinvoke() throws {
    let document = """
      <state id="s"><onentry><send event="go" delay="1s"/></onentry><invoke id="kid"><content><scxml version="1.0" datamodel="lua" initial="k"><state id="k"><onentry><send target="#_parent" event="bad" delay="2s"/></onentry><onexit><send target="#_parent" event="bye"/></onexit></state></scxml></content></invoke>
      <transition event="go" target="t"/></state>
      <state id="t"><onentry><send event="late" delay="3s"/></onentry><transition event="bad" target="fail"/><transition event="late" target="pass"/></state>
      """
    #expect(try Self.end(of: document) == "pass")
  }

  @Test("a session that is invoked again in one macrostep sends its own delayed events")
  func invokeAgain() throws {
    let document = """
      <state id="s"><invoke id="kid"><content><scxml version="1.0" datamodel="lua"><state id="k"><onentry><send event="tick" delay="1s"/></onentry><transition event="tick" target="e"/></state><final id="e"/></scxml></content></invoke>
      <transition event="again" target="s"/><transition event="done.invoke.kid" target="pass"/></state>
      """
    #expect(try Self.end(of: document, events: ["again"]) == "pass")
    #expect(try Self.end(of: document, events: ["again", "again"]) == "pass")
  }

  @Test(
    "forwarded events are actions, and so are events that match a prefix of a transition's event"
  )
  func actions() throws {
    let loaded = try LoadedFlow(
      source: Self.text(
        """
        <state id="s"><invoke autoforward="true"><content><scxml version="1.0" datamodel="lua"><state id="k"><transition event="down"/></state></scxml></content></invoke>
        <invoke><content><scxml version="1.0" datamodel="lua"><state id="k"><transition event="deaf"/></state></scxml></content></invoke>
        <transition event="up go.*"/></state>
        """), name: "x.scxml")
    #expect(loaded.flow.actionNames == ["down", "up"])
    #expect(loaded.flow.action(named: "go.on") != nil)
    #expect(loaded.flow.action(named: "gone") == nil)
  }

  @Test("events to an ended session are dropped without a report")
  func forwardToTheEnd() throws {
    let document = """
      <state id="s"><invoke id="kid" autoforward="true"><content><scxml version="1.0" datamodel="lua"><state id="k"><transition event="on" target="e"/></state><final id="e"/></scxml></content></invoke>
      <transition event="off" target="pass"/><transition event="both"><send event="on" target="#_kid"/><send event="more" target="#_kid"/></transition><transition event="done.invoke.kid" target="pass"/></state>
      """
    for event in ["off", "both"] {
      let trial = try Trial(Self.text(document), name: "x.scxml")
      try trial.play(event)
      #expect(try trial.host.state()["#x"] == "pass")
      #expect(trial.told() == [], "after \(event)")
    }
  }

  @Test("events are forwarded to an invoked session with autoforward")
  func forward() throws {
    let document = """
      <state id="s"><onentry><send event="late" delay="3s"/></onentry><invoke autoforward="true"><content><scxml version="1.0" datamodel="lua" initial="k"><state id="k"><onentry><send target="#_parent" event="up"/></onentry><transition event="up" target="e"><send target="#_parent" event="heard"/></transition></state><final id="e"/></scxml></content></invoke>
      <transition event="heard" target="pass"/><transition event="late" target="fail"/></state>
      """
    #expect(try Self.end(of: document) == "pass")
  }

  @Test("an event can be sent to an invoked session by its id")
  func child() throws {
    let document = """
      <state id="s"><onentry><send event="late" delay="3s"/></onentry><invoke id="kid"><content><scxml version="1.0" datamodel="lua" initial="k"><state id="k"><transition event="down" cond="_event.data.n == 3" target="e"/></state><final id="e"/></scxml></content></invoke>
      <state id="s1"><transition event="start" target="s2"><send target="#_kid" event="down"><param name="n" expr="3"/></send></transition></state><state id="s2"/>
      <onentry><send event="start"/></onentry><transition event="done.invoke.kid" target="pass"/><transition event="late" target="fail"/></state>
      """
    #expect(try Self.end(of: document) == "pass")
  }

  @Test("foreach iterates over a list with item and index, which need no declaration")
  func foreach() throws {
    let document = """
      <datamodel><data id="sum" expr="0"/><data id="list">{ 4, 5, 6 }</data></datamodel>
      <state id="s"><onentry><foreach array="list" item="it" index="at"><assign location="sum" expr="sum + it * at"/></foreach></onentry>
      <transition cond="sum == 4 + 10 + 18 and it == 6 and at == 3" target="pass"/><transition target="fail"/></state>
      """
    #expect(try Self.end(of: document) == "pass")
  }

  @Test(
    "an error ends its block and raises an event: content, conditions, system variables, targets, types"
  )
  func errors() throws {
    let document = """
      <datamodel><data id="n" expr="0"/></datamodel><state id="s"><onentry><assign location="n" expr="1"/><assign location="nowhere.x" expr="2"/><assign location="n" expr="3"/></onentry>
      <transition event="error.execution" cond="n == 1" target="t"/><transition event="*" target="fail"/></state>
      <state id="t"><transition cond="return#" target="fail"/><transition event="error.execution" target="u"/></state>
      <state id="u"><onentry><assign location="_event" expr="1"/></onentry><transition event="error.execution" target="v"/></state>
      <state id="v"><onentry><send target="#_nobody" event="x"/></onentry><transition event="error.communication" target="w"/></state>
      <state id="w"><onentry><send type="what" event="x"/></onentry><transition event="error.execution" target="pass"/></state>
      """
    #expect(try Self.end(of: document) == "pass")
  }

  @Test("with late binding, a variable of a state gets its value when the state is entered")
  func late() throws {
    let document = """
      <state id="s"><transition cond="x == nil" target="t"/><transition target="fail"/></state><state id="t"><datamodel><data id="x" expr="2"/></datamodel><transition cond="x == 2" target="pass"/><transition target="fail"/></state>
      """
    #expect(try Self.end(of: document, "binding=\"late\" initial=\"s\"") == "pass")
  }

  @Test("expressions that ECMAScript and Lua have in common are evaluated")
  func ecma() throws {
    let document = """
      <datamodel><data id="n" expr="1"/><data id="t" expr="'a'"/><data id="o" expr="n"/></datamodel>
      <state id="s"><onentry><assign location="n" expr="n + 2 * 3"/><assign location="t" expr="t + n"/></onentry>
      <transition cond="n === 7 &amp;&amp; t == 'a7' &amp;&amp; !(n &lt; 7) &amp;&amp; In('s') &amp;&amp; (o || false)" target="pass"/><transition target="fail"/></state>
      """
    #expect(try Self.end(of: document, model: "ecmascript") == "pass")
  }

  @Test("ECMAScript arrays start at 0, and JSON in an element is a value")
  func arrays() throws {
    let document = """
      <datamodel><data id="a" expr="[10, 20, { b: 'x' }]"/><data id="j">{ "list": [1, 2], "none": [], "text": "a\u{1F319}b" }</data><data id="u"/><data id="n" expr="0"/><data id="w">[a, b]</data><data id="y">1 + 1</data><data id="z"> -1 </data></datamodel>
      <state id="s"><onentry><assign location="a[0]" expr="a[1] / 2 + a.length"/><assign location="j.list[j.list.length]" expr="3"/><assign location="a[2]['b']" expr="a[2].b + '!'"/>
      <foreach array="j.list" item="x" index="i"><assign location="n" expr="n + x * i"/></foreach></onentry>
      <transition cond="a[0] === 13 &amp;&amp; a[2].b == 'x!' &amp;&amp; a.length == 3 &amp;&amp; n === 8" target="t"/><transition target="fail"/></state>
      <state id="t"><transition cond="j.list.length == 3 &amp;&amp; j.none.length == 0 &amp;&amp; j.text.length == 4 &amp;&amp; 'list' in j &amp;&amp; !('x' in j) &amp;&amp; 2 in a &amp;&amp; !(3 in a)" target="v"/><transition target="fail"/></state>
      <state id="v"><transition cond="typeof u == 'undefined' &amp;&amp; typeof nowhere === 'undefined' &amp;&amp; typeof a == 'object' &amp;&amp; typeof n === 'number' &amp;&amp; w == '[a, b]' &amp;&amp; y == '1 + 1' &amp;&amp; z == -1 &amp;&amp; a instanceof Array &amp;&amp; !(j instanceof Array) &amp;&amp; (n ? u ? 1 : 2 : 3) == 2" target="x"/><transition target="fail"/></state>
      <state id="x"><onentry><send event="e"><param name="l" expr="a"/></send></onentry><transition event="e" cond="_event.data.l[0] == 13 &amp;&amp; _event.data['l'].length == 3 &amp;&amp; 'origin' in _event" target="pass"/><transition event="*" target="fail"/></state>
      """
    #expect(try Self.end(of: document, model: "ecmascript") == "pass")
  }

  @Test("ECMAScript scripts assign values to variables, and can do nothing else")
  func ecmaScripts() throws {
    let document = """
      <script>var a = 1; a++
      /* two lines
      of them */ var b
      b = [a, 2] // that is it
      b[1] *= a; --a; var c = 'x'; c += a</script>
      <state id="s"><onentry><script>  </script><script>1 = 2</script></onentry><transition event="error.execution" cond="a === 1 &amp;&amp; b[0] == 2 &amp;&amp; b[1] == 4 &amp;&amp; c == 'x1'" target="pass"/><transition event="*" target="fail"/></state>
      """
    #expect(try Self.end(of: document, model: "ecmascript") == "pass")
    #expect(throws: (any Error).self) {
      try Self.end(
        of: "<state id=\"s\"><onentry><script>alert('x')</script></onentry></state>",
        model: "ecmascript")
    }
  }

  @Test(
    "unsupported ECMAScript is an error with the reason",
    arguments: [
      (
        "<script>var l = [1]; l.length = 0</script>",
        "setting the length of an array is not supported"
      ),
      ("<data id=\"d\">[1, null, 2]</data>", "an array cannot contain null here"),
      (
        "<data id=\"d\" expr=\"1\(String(repeating: "+n", count: 900))\"/>",
        "it is nested too deeply"
      ),
    ])
  func ecmaLimits(content: String, reason: String) {
    let body =
      content.hasPrefix("<data") ? "<datamodel>\(content)</datamodel>" : content
    let error = #expect(throws: (any Error).self) {
      try Self.end(of: body + "<state id=\"s\"/>", model: "ecmascript")
    }
    #expect(error.map { "\($0)".contains(reason) && "\($0)".contains("x.scxml:2") } == true)
  }

  @Test("the content of an initial transition runs after the entry of its state")
  func initial() throws {
    let document = """
      <datamodel><data id="log" expr="''"/></datamodel><state id="s"><initial><transition target="s2"><assign location="log" expr="log .. 'i'"/></transition></initial><onentry><assign location="log" expr="log .. 's'"/></onentry><state id="s1"/><state id="s2"><onentry><assign location="log" expr="log .. '2'"/></onentry><transition target="t"/></state><onexit><assign location="log" expr="log .. 'x'"/></onexit></state>
      <state id="t"><transition cond="log == 'si2x'" target="pass"/><transition target="fail"/></state>
      """
    #expect(try Self.end(of: document) == "pass")
  }

  @Test("a delayed event is cancelled by its id")
  func sendid() throws {
    let document = """
      <datamodel><data id="i"/></datamodel><state id="s"><onentry><send event="e" idlocation="i" delay="1s"/><send event="f" delay="2s"/><cancel sendidexpr="i"/></onentry><transition event="e" target="fail"/><transition event="f" target="pass"/></state>
      """
    #expect(try Self.end(of: document) == "pass")
  }

  @Test("a script defines functions and assigns variables")
  func script() throws {
    let document = """
      <script>function twice(n) return 2 * n end total = 5</script><datamodel><data id="n" expr="3"/></datamodel><state id="s"><onentry><script>n = twice(n) + total</script></onentry><transition cond="n == 11" target="pass"/><transition target="fail"/></state>
      """
    #expect(try Self.end(of: document) == "pass")
  }

  @Test("system variables have the session's data, and events have their fields")
  func name() throws {
    let document = """
      <state id="s"><transition cond="_name == 'x' and _sessionid ~= nil and _ioprocessors.scxml.location ~= nil and _event == nil" target="t"/><transition target="fail"/></state>
      <state id="t"><onentry><send event="hi"><content>  some   words </content></send></onentry><transition event="hi" cond="_event.data == 'some words' and _event.type == 'external' and _event.origintype ~= nil" target="u"/><transition event="*" target="fail"/></state>
      <state id="u"><onentry><raise event="in"/></onentry><transition event="in" cond="_event.type == 'internal' and _event.data == nil" target="pass"/><transition event="*" target="fail"/></state>
      """
    #expect(try Self.end(of: document) == "pass")
  }

  @Test("deep history restores the innermost active states")
  func history() throws {
    let document = """
      <state id="s"><transition event="back" target="h"/><state id="a"><transition target="p"/></state>
      <state id="p"><history id="h" type="deep"><transition target="q"/></history><state id="q"><transition event="n" target="r"/></state><state id="r"><state id="r1"><transition event="n" target="r2"/></state><state id="r2"><transition event="out" target="o"/></state></state></state>
      <state id="o"><transition event="back" target="h"/><transition event="check" cond="In('r2')" target="fail"/></state><transition event="done" cond="In('r2') and In('r')" target="pass"/></state>
      """
    #expect(
      try Self.end(of: document, events: ["n", "n", "out", "back", "done"]) == "pass")
  }

  @Test("a document without a data model can test its active states with In")
  func nullmodel() throws {
    let document = """
      <parallel id="s"><state id="a"><state id="a1"><transition event="x" target="a2"/></state><state id="a2"><transition cond="In('b2')" target="pass"/></state></state><state id="b"><state id="b1"><transition event="y" target="b2"/></state><state id="b2"/></state></parallel>
      """
    #expect(
      try Self.end(of: document, model: "null", events: ["x", "y"]) == "pass")
  }

  @Test("an unhandled event is refused with the possible ones, and an unknown event is undeclared")
  func refusals() throws {
    let trial = try Trial(
      Self.text(
        """
        <state id="s"><transition event="go.now" target="t"/><transition event="stop" cond="false" target="pass"/></state>
        <state id="t"><transition event="back" target="s"/></state>
        """), name: "x.scxml")
    #expect(
      try trial.play("back")
        .contains("no transition for \"back\" in s (possible: go.now, stop)"))
    #expect(
      try trial.play("stop")
        .contains("the condition of \"stop\" in s does not hold"))
    #expect(
      try trial.play("bock").contains("there is no action bock; did you mean back?"))
    #expect(try trial.play("go.now.and.then").contains("passed"))
    #expect(try trial.host.state()["#x"] == "t")
  }

  @Test("a chart that has ended takes no more events")
  func ended() throws {
    let trial = try Trial(
      Self.text("<state id=\"s\"><transition event=\"go\" target=\"pass\"/></state>"),
      name: "x.scxml")
    try trial.play("go")
    #expect(
      try trial.play("go").contains("the chart has ended in pass"))
  }

  @Test("an event is one commit, whose patch is undone and redone as a whole")
  func undo() throws {
    let trial = try Trial(
      Self.text(
        """
        <datamodel><data id="n" expr="0"/></datamodel>
        <state id="s"><transition event="go" target="t"><assign location="n" expr="n + 1"/><raise event="on"/></transition></state>
        <state id="t"><transition event="on" target="u"><assign location="n" expr="n + 1"/></transition></state>
        <state id="u"><onentry><send event="late" delay="5s"/></onentry><transition event="late" target="s"/></state>
        """), name: "x.scxml")
    let before = try trial.host.state()
    try trial.play("go")
    let after = try trial.host.state()
    #expect(after["#x"] == "u" && after["n"] == 2)
    try trial.host.undo()
    #expect(try trial.host.state() == before)
    try trial.advance(6)
    #expect(try trial.host.state() == before)
    try trial.host.redo()
    #expect(try trial.host.state() == after)
  }

  @Test("a limit rolls the whole event back")
  func endless() throws {
    let trial = try Trial(
      Self.text(
        """
        <state id="s"><transition event="go" target="t"/></state>
        <state id="t"><transition target="u"/></state><state id="u"><transition target="t"/></state>
        """), name: "x.scxml")
    #expect(
      try trial.play("go").contains("one event causes endless microsteps (10000 so far)"))
    #expect(try trial.host.state()["#x"] == "s")
  }

  @Test("a host cannot set the engine's own fields of an event")
  func spoofed() throws {
    let trial = try Trial(
      Self.text(
        """
        <state id="s"><transition event="go" cond="_event.data['#to'] == 3 and _event.origin == nil" target="pass"/></state>
        """), name: "x.scxml")
    #expect(try trial.play("go", ["#to": 3, "#origin": "me"]).contains("passed"))
  }

  @Test("a document of another data model is loaded, and says why it cannot run")
  func otherModel() throws {
    let text = Self.text("<state id=\"s\"/>", model: "xpath")
    let loaded = try LoadedFlow(source: text, name: "x.scxml")
    #expect(throws: FlowError.self) { try FlowHost(loaded) }
    do {
      _ = try FlowHost(loaded)
    } catch {
      #expect(
        "\(error)".contains(
          "x.scxml:1: column 1: the data model xpath is not supported; lua, null, and a part of ecmascript are"
        ))
    }
  }

  @Test("default entry runs the content of the initial transition, and not of other transitions")
  func defaultEntry() throws {
    let trial = try Trial(
      Self.text(
        """
        <state id="s"><transition event="go" target="u"><log label="taken"/></transition>
        <state id="t"><initial><transition target="u"><log label="begun"/></transition></initial><state id="u"/></state></state>
        """), name: "x.scxml")
    #expect(trial.printed.take() == ["begun"])
    try trial.play("go")
    #expect(trial.printed.take() == ["taken"])
  }

  @Test("an event raised at the start is _event, which does not exist before")
  func firstEvent() throws {
    let document = """
      <state id="s"><onentry><raise event="up"/></onentry><transition cond="_event ~= nil" target="fail"/>
      <transition event="up" cond="_event.name == 'up'" target="pass"/><transition event="*" target="fail"/></state>
      """
    #expect(try Self.end(of: document) == "pass")
  }
}
