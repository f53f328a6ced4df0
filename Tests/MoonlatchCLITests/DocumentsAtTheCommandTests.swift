import Testing

/// SCXML documents in place of flows at the command line.
@Suite struct DocumentsAtTheCommandTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.write(
      """
      <scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0" name="door" datamodel="lua" initial="closed">
        <datamodel><data id="count" expr="0"/></datamodel>
        <state id="closed">
          <transition event="door.open" target="opened" cond="count &lt; 3"><assign location="count" expr="count + 1"/></transition>
          <transition event="lock" target="locked"/>
        </state>
        <state id="opened">
          <onentry><send event="slam" delay="5s"><param name="hard" expr="true"/></send></onentry>
          <transition event="close slam" target="closed"/>
        </state>
        <parallel id="locked">
          <state id="bolt"><state id="out"><transition event="turn" target="in"/></state><state id="in"/></state>
          <state id="lamp"/>
          <transition event="unlock" target="closed" cond="In('in')"/>
        </parallel>
      </scxml>
      """, to: "door.scxml")
  }

  @Test(
    "the prompt dispatches, explains and undoes an event of a document, and shows its data only")
  func prompt() throws {
    let ran = try moonlatch(
      "repl", "door.scxml", in: folder,
      input: """
        :why close
        pass["door.open"]()
        :timers
        :advance 5s
        :why #2
        :undo
        :machines
        :source door.open

        """)
    #expect(ran.code == 0 && ran.errors == "", "\(ran.errors)")
    #expect(
      ran.output.contains("no transition for \"close\" in closed (possible: door.open, lock)"),
      "\(ran.output)")
    #expect(ran.output.contains("slam { hard = true }, set by #1"), "\(ran.output)")
    #expect(ran.output.contains("#2 slam is undone"), "\(ran.output)")
    #expect(ran.output.contains("4 |     <transition event=\"door.open\""), "\(ran.output)")
    #expect(!ran.output.contains("#origin") && !ran.output.contains("#data"), "\(ran.output)")
  }

  @Test("scenarios run a document, name its regions like states, and cover its transitions")
  func run() throws {
    try folder.write(
      """
      flow "door.scxml"
      scenario("locks", function()
        pass["door.open"]()
        advance(5)
        expect.machine.door("closed")
        pass.lock()
        refuse.unlock()
        expect.machine.bolt("out")
        pass.turn()
        expect.machine.bolt("in")
      end)
      scenario("is told", function()
        pass["door.open"]()
        advance(5)
        pass.close()
      end)
      """, to: "door.scenario.lua")
    let ran = try moonlatch("run", "--coverage", "door.scenario.lua", in: folder)
    #expect(ran.output.contains("ok    door.scenario.lua:2  locks"), "\(ran.output)")
    #expect(
      ran.output.contains("slam { hard = true }  passed (#2) at 5 s, because of #1"),
      "\(ran.output)")
    #expect(ran.output.contains("door: locked -unlock-> closed"), "\(ran.output)")
    #expect(ran.code == 1)
  }

  @Test("a document is checked, explored, drawn with its guards, and has editor definitions")
  func others() throws {
    #expect(try moonlatch("check", "--strict", "door.scxml", in: folder).code == 0)
    let explored = try moonlatch("explore", "door.scxml", in: folder)
    #expect(explored.code == 0 && (explored.output + explored.errors).contains("all explored"))
    let drawn = try moonlatch("graph", "--format", "mermaid", "door.scxml", in: folder).output
    #expect(drawn.contains("unlock [In('in')]"), "\(drawn)")
    #expect(try moonlatch("types", "door.scxml", in: folder).code == 0)
    let types = try folder.text(of: ".moonlatch/library/flows/door.lua")
    #expect(types.contains("---@field lock fun(payload?: table<string, any>)"))
    #expect(types.contains("---@field bolt fun(state: \"bolt\"|\"out\"|\"in\")"), "\(types)")
  }

  @Test("an error in a script has the line of the document")
  func linesOfScripts() throws {
    try folder.write(
      """
      <scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0" datamodel="lua">
      <state id="a"><transition event="x" target="b"><script>
        local x = 1
        local y = = 2
      </script></transition>
      <transition event="y" target="b"><script>

        goto nowhere
      </script></transition></state>
      <final id="b"/></scxml>
      """, to: "lines.scxml")
    #expect(
      try moonlatch("check", "lines.scxml", in: folder).output == """
        lines.scxml:4: warning: column 1: the script is not valid Lua: unexpected symbol near '=' in line 4; it raises error.execution [document]
        lines.scxml:8: warning: column 1: the script is not valid Lua: no visible label 'nowhere' for <goto> at line 8; it raises error.execution [document]
        1 file: 0 errors, 2 warnings

        """)
  }

  @Test("unsupported content of a document is a warning of check, and does not prevent drawing")
  func cannotRun() throws {
    try folder.write(
      """
      <scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0" datamodel="ecmascript">
      <state id="a"><transition event="go" cond="f(1)" target="b"/></state>
      <final id="b"><onentry><script>alert("b")</script></onentry></final></scxml>
      """, to: "calls.scxml")
    let checked = try moonlatch("check", "calls.scxml", in: folder)
    #expect(checked.code == 0)
    #expect(
      checked.output == """
        calls.scxml:2: warning: column 15: f(1): it calls a function that is not supported; of ecmascript, supported are literals, comparisons, && || ! ?:, + - * / %, in, typeof, members, In, and calls of common methods and functions [document]
        calls.scxml:3: warning: column 24: a script of ecmascript: it calls a function that is not supported; supported are assignments of such values to variables, and push, pop, shift and unshift [document]
        1 file: 0 errors, 2 warnings

        """)
    let drawn = try moonlatch("graph", "--format", "mermaid", "calls.scxml", in: folder)
    #expect(drawn.code == 0 && drawn.output.contains("go [f(1)]"))
    let ran = try moonlatch("repl", "calls.scxml", in: folder, input: "")
    #expect(ran.code != 0 && ran.errors.contains("it calls a function that is not supported"))
  }
}
