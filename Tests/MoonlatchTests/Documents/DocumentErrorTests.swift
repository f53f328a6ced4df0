import Testing

/// Errors in documents: their place, their report, and the state that they leave.
@Suite struct DocumentErrorTests {
  private func trial(_ body: String, model: String = "lua") throws -> Trial {
    try Trial(DocumentTests.text(body, model: model), name: "x.scxml")
  }

  @Test(
    "an illegal value raises error.execution at its assignment, and earlier results are kept",
    arguments: [
      "{ 1, 2, name = 'x' }", "{ [1] = 1, [3] = 3 }", "function() end", "0/0", "{ 1/0, 0/0 }",
      "coroutine.create(function() end)", "'\\xff'", "{ [true] = 1 }", "{ { ['\\xff'] = 1 } }",
      "setmetatable({}, { __index = { q = 1 } })", "{ f = print }",
      "(function() local t = {} t.t = t return t end)()",
      "(function() local t = {} t.u = { t } return t end)()",
    ])
  func illegalValues(value: String) throws {
    let escaped = value.replacing("<", with: "&lt;")
    let assigns = [
      "<assign location=\"v\" expr=\"\(escaped)\"/>",
      "<assign location=\"v.x\" expr=\"\(escaped)\"/>",
      "<script>v = \(escaped)</script>", "<script>v.x = \(escaped)</script>",
      "<script>l[1] = \(escaped)</script>",
      "<script>table.insert(l, \(escaped))</script>",
      "<send event=\"e\"><param name=\"p\" expr=\"\(escaped)\"/></send>",
      "<send event=\"e\"><content expr=\"\(escaped)\"/></send>",
    ]
    // NaN is data of an event, and nothing that a variable keeps.
    for assign in assigns where !(value.contains("0/0") && assign.hasPrefix("<send")) {
      let trial = try trial(
        """
        <datamodel><data id="v" expr="{}"/><data id="l" expr="{ 0 }"/><data id="n" expr="0"/></datamodel>
        <state id="s"><transition event="go" target="t"><assign location="n" expr="1"/>\(assign)<assign location="n" expr="2"/></transition></state>
        <state id="t"><transition event="error.execution" target="pass"/></state>
        """)
      let before = try trial.host.state()
      let played = try trial.play("go")
      let state = try trial.host.state()
      #expect(played.contains("passed") && state["#x"] == "pass", "\(assign): \(played)")
      #expect(
        state["n"] == 1 && state["v"] == before["v"] && state["l"] == before["l"],
        "\(assign): \(state)")
    }
  }

  @Test(
    "a table that becomes illegal later raises error.execution, and its variable is restored",
    arguments: [
      "v = { 1, 2 } v.x = 3", "local u = { 1, 2 } v = u u.x = 3", "local u = { 1 } v = u u[2] = u",
      "v = { 1, 2 } v[9] = 1", "local u = { a = {} } v = u u.a.f = print",
      "v = { 1 } v = { 2 } v.x = 1", "l[1] = { 1 } l[1].x = 1",
      "local u = {} l[1] = u v = u u[true] = 1",
      "local u = { 1 } table.insert(l, u) u.x = 1",
      "local u = { 1 } table.insert(l, 1, u) table.insert(l, 1, 5) u.x = 1 table.remove(l, 1)",
    ])
  func illegalLater(script: String) throws {
    let trial = try trial(
      """
      <datamodel><data id="v" expr="{ a = 1 }"/><data id="l" expr="{ 0 }"/><data id="n" expr="0"/></datamodel>
      <state id="s"><transition event="go" target="t"><assign location="n" expr="1"/><script>\(script)</script><assign location="n" expr="2"/></transition></state>
      <state id="t"><transition event="error.execution" target="pass"/></state>
      """)
    let before = try trial.host.state()
    let played = try trial.play("go")
    let state = try trial.host.state()
    #expect(played.contains("passed") && state["#x"] == "pass", "\(played)")
    #expect(state["v"] == (script.hasPrefix("v = { 1 } v =") ? [1] : before["v"]), "\(state)")
    #expect(state["l"] == before["l"], "\(state)")
    try trial.host.undo()
    #expect(try trial.host.state() == before)
    try trial.host.redo()
    #expect(try trial.host.state() == state)
  }

  @Test("an error event that no transition handles is reported with its line")
  func untaken() throws {
    let trial = try Trial(
      DocumentTests.text(
        """
        <state id="s">
          <transition event="go">
            <assign location="nowhere" expr="1"/>
          </transition>
        </state>
        """), name: "x.scxml")
    try trial.play("go")
    #expect(
      trial.reports.all == [
        "no transition handles error.execution: there is no variable nowhere (x.scxml:4)"
      ])
  }

  @Test("an illegal value of data raises error.execution at its line, and the document continues")
  func illegalData() throws {
    let trial = try trial(
      """
      <datamodel>
        <data id="v" expr="{ 1, name = 2 }"/></datamodel>
      <state id="s"/>
      """)
    #expect(
      trial.reports.all == [
        "no transition handles error.execution: state.v: a table has either named keys or the keys 1 to n, not both (x.scxml:3)"
      ])
    #expect(try trial.host.state()["#x"] == "s")
  }

  @Test("an emptied list can become a record")
  func emptied() throws {
    let trial = try trial(
      """
      <datamodel><data id="t" expr="{ 1 }"/></datamodel>
      <state id="s"><transition event="go"><script>t[1] = nil; t.x = 1</script></transition></state>
      """)
    #expect(try trial.play("go").contains("passed"))
    #expect(trial.reports.all == [])
    #expect(try trial.host.state()["t"] == ["x": 1])
  }

  @Test("an event is refused with an error raised by a condition that no transition handles")
  func conditionOfEvent() throws {
    let trial = try trial(
      """
      <datamodel><data id="limit"/></datamodel>
      <state id="s"><transition event="pay" cond="limit &gt; 3" target="pass"/></state>
      """)
    let played = try trial.play("pay")
    #expect(
      played.contains("refused") && played.contains("a condition of \"pay\" in s raises an error: ")
        && played.contains("compare"), "\(played)")
    #expect(try trial.host.revision == 0)
    #expect(trial.reports.all == [])
  }

  @Test("an event passes if a transition handles the error that a condition raises")
  func conditionThatIsTaken() throws {
    let trial = try trial(
      """
      <datamodel><data id="limit"/></datamodel>
      <state id="s"><transition event="pay" cond="limit &gt; 3" target="fail"/><transition event="error" target="pass"/></state>
      """)
    #expect(try trial.play("pay").contains("passed"))
    #expect(try trial.host.state()["#x"] == "pass")
  }

  @Test("an endless error loop in an eventless condition fails the event with that error")
  func conditionWithoutEvent() throws {
    let trial = try trial(
      """
      <datamodel><data id="limit"/></datamodel>
      <state id="s"><transition event="go" target="t"/></state>
      <state id="t">
        <transition cond="limit &gt; 3" target="pass"/>
      </state>
      """)
    let played = try trial.play("go")
    #expect(
      played.contains(
        "the condition of an eventless transition raises an error whenever it is evaluated, endlessly: "
      )
        && played.contains("compare"), "\(played)")
    #expect(try trial.host.state()["#x"] == "s")
  }

  @Test("evaluating an expression in a document without a data model is an error that says so")
  func noModel() throws {
    let trial = try Trial(
      """
      <scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0" name="x">
      <state id="s"><onentry><log expr="1 + 1"/></onentry></state></scxml>
      """, name: "x.scxml")
    #expect(
      trial.reports.all == [
        "no transition handles error.execution: this document names no data model (x.scxml:2)"
      ])
  }

  @Test("a script can assign variables and functions with the names of library functions")
  func names() throws {
    let names = [
      "list", "map", "none", "now", "date", "random", "born", "next", "type", "print", "error",
      "string",
      "table", "pairs", "math", "total",
    ]
    let assigns = names.enumerated().map { "\($1) = \($0)" }.joined(separator: "; ")
    let asked = names.enumerated().map { "\($1) == \($0)" }.joined(separator: " and ")
    let body = """
      <script>function select(x) return x + 1 end</script>
      <state id="s"><transition cond="type(1) == 'number' and select(2) == 3" target="t"/></state>
      <state id="t"><onentry><script>\(assigns)</script></onentry><transition cond="\(asked)" target="pass"/><transition target="fail"/></state>
      """
    #expect(try DocumentTests.end(of: body) == "pass")
  }
}
