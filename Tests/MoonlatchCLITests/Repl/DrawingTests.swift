import Testing

@testable import MoonlatchCLI

/// The commands `:graph` and `:coverage`.
@Suite struct DrawingTests {
  @Test("graph shows the drawing that moonlatch graph makes, as text")
  func graph() throws {
    let prompt = try Prompt(workshop)
    let drawn = try moonlatch(
      "graph", "flow.lua", "--format", "mermaid", in: prompt.folder)
    #expect(prompt.type(":graph") + "\n" == drawn.output)
    #expect(prompt.type(":graph mermaid") == prompt.type(":graph"))
    #expect(prompt.type(":graph dot").hasPrefix("digraph flow {"))
    #expect(prompt.type(":graph scxml").contains("<scxml"))
    #expect(prompt.type(":graph xstate").hasPrefix("{\n"))
    #expect(
      prompt.type(":graph svg")
        == "error: :graph takes a format (mermaid, dot, scxml, xstate), not \"svg\"; "
        + "\"moonlatch graph --output FILE\" makes pictures")
  }

  @Test("coverage shows what the inputs have exercised since the flow was loaded")
  func coverage() throws {
    let prompt = try Prompt(
      """
      state { n = 0 }
      action.open {}
      action.close {}
      action.add { by = integer }
      machine.door { initial = "closed", closed = { open = "opened" }, opened = { close = "closed" } }
      function gate.add(s, a) return a.by > 0, "too little" end
      function reduce.add(s, a)
        if a.by > 9 then
          s.n = 9
        else
          s.n = s.n + a.by
        end
      end
      """)
    let before = prompt.type(":coverage").split(separator: "\n")
    #expect(before.first == "coverage of flow.lua")
    #expect(before.contains { $0.contains("actions") && $0.contains("0 of 3") })
    prompt.type("add { by = 1 }")
    prompt.type("add { by = 0 }")
    prompt.type("open()")
    let after = prompt.type(":coverage")
    #expect(after.contains("2 of 3"))
    #expect(after.contains("close"))
    let lines = after.split(separator: "\n").filter { $0.contains("lines") }
    #expect(lines.allSatisfy { !$0.contains("100 %") }, "\(after)")
    prompt.type(":reload reset")
    #expect(prompt.type(":coverage").contains("0 of 3"))
  }
}
