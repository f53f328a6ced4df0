import FlowKernel
import Testing

@testable import FlowTools

@Suite struct DocumentCheckTests {
  private func findings(_ body: String, model: String = "lua") throws -> [String] {
    let text = """
      <scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0" datamodel="\(model)" initial="a">
      <datamodel><data id="total" expr="0"/></datamodel>
      <state id="a">
      \(body)
      <transition event="end" target="b"/>
      </state>
      <final id="b"/>
      </scxml>
      """
    let loaded = try LoadedFlow(source: text, name: "d.scxml")
    return DocumentCheck(text: FlowText(loaded)).findings.map(\.description)
  }

  @Test("an undeclared variable in a condition or content is reported with its line")
  func variables() throws {
    #expect(
      try findings(
        """
        <transition event="go" cond="totl &gt; 3">
          <assign location="total" expr="total + ammount"/>
          <log expr="nobody.x"/>
        </transition>
        """) == [
          "d.scxml:4: warning: nothing declares the variable totl, and nothing assigns it; did you mean total? "
            + "[unknown-global]",
          "d.scxml:5: warning: nothing declares the variable ammount, and nothing assigns it [unknown-global]",
          "d.scxml:6: warning: nothing declares the variable nobody, and nothing assigns it [unknown-global]",
        ])
  }

  @Test("unknown functions and libraries are reported")
  func functions() throws {
    #expect(
      try findings(
        """
        <onentry><script>
          total = foo(2)
          total = string.foo(1)
          total = os.clock()
        </script></onentry>
        """) == [
          "d.scxml:6: warning: there is no string.foo [unknown-global]",
          "d.scxml:7: warning: there is no os.clock; now() is the flow's time [unknown-global]",
          "d.scxml:5: warning: nothing declares the variable foo, and nothing assigns it [unknown-global]",
        ])
  }

  @Test("variables of scripts and loops, functions of scripts and system variables are known")
  func known() throws {
    #expect(
      try findings(
        """
        <onentry>
          <foreach array="{ 1, 2 }" item="it" index="ix"><assign location="total" expr="total + it + ix"/></foreach>
          <script>made = 3 function helper(a) local l = a return l + made end</script>
        </onentry>
        <transition event="go" cond="In('a') and _event.name == 'go' and made > 1">
          <log expr="helper(_event.data) .. _sessionid .. _name .. tostring(_ioprocessors)"/>
        </transition>
        """) == [])
  }

  @Test("ecmascript expressions are checked too")
  func ecmascript() throws {
    #expect(
      try findings(
        """
        <transition event="go" cond="totl &gt; 3 &amp;&amp; total &lt; Math.max(1, 2)">
          <assign location="total" expr="typeof other === 'undefined' ? 1 : total.length"/>
        </transition>
        """, model: "ecmascript") == [
          "d.scxml:4: warning: nothing declares the variable totl, and nothing assigns it; did you mean total? "
            + "[unknown-global]"
        ])
  }
}
