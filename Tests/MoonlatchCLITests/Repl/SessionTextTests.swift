import Testing

@testable import MoonlatchCLI

@Suite struct SessionTextTests {
  @Test("a declaration can be typed again, and the state is kept where it fits")
  func typed() throws {
    let prompt = try Prompt(nil)
    #expect(prompt.type("state { n = 0 }") == "declared state")
    #expect(prompt.type("action.up { by = integer }") == "declared action.up")
    #expect(prompt.type("local step = 10") == "declared local step")
    #expect(prompt.type("function reduce.up(s, a)") == "incomplete")
    #expect(
      prompt.type("function reduce.up(s, a) s.n = s.n + a.by * step end") == "declared reduce.up")
    #expect(prompt.type("up { by = 1 }") == "#1 up\n  n: 0 -> 10")
    #expect(prompt.type("function reduce.up(s, a) s.n = a.by end") == "redeclared reduce.up")
    #expect(prompt.type("s.n") == "10")
    #expect(prompt.type("up { by = 7 }") == "#2 up\n  n: 10 -> 7")
    #expect(
      prompt.type("function reduce.down() end")
        == "error: flow.lua:9: reduce.down: there is no action down")
    #expect(prompt.type("view.n = function(s) return s.n end") == "declared view.n")
    #expect(prompt.type("view.n()") == "7")
    #expect(prompt.type(":source up").contains("7 | function reduce.up(s, a) s.n = a.by end"))
    prompt.type(":save ~/up.lua")
    #expect(prompt.session.name == "up")
    // The scenario that was played with an earlier text is saved, and reported to fail with this one.
    #expect(prompt.type(":save ~/up.scenario.lua").contains("0 passed, 1 failed"))
    #expect(try prompt.folder.text(of: "up.scenario.lua").contains("expect.change { n = 10 }"))
    #expect(prompt.type("action.x {}").contains("a declaration belongs in up.lua"))
  }

  @Test(
    "a declaration is distinguished from an expression",
    arguments: [
      ("state { n = 0 }", "state"), ("function gate.push(s) end", "gate.push"),
      ("gate(\"powered\", \"*\", f)", "gate(powered)"),
      ("action[\"T02 Check\"] {}", "action[\"T02 Check\"]"),
      ("machine.door{", "machine.door"), ("effect.load = {", "effect.load"),
      ("reduce.idle = reduce.cancel", "reduce.idle"), ("local function f() end", "local f"),
      ("view.takings()", nil), ("gatekeeper.door:may_pass()", nil), ("reduce.push", nil),
      ("s.n == 1", nil), ("gate.x == nil", nil), ("coin { amount = 1 }", nil), ("stated {}", nil),
    ] as [(String, String?)])
  func declarations(text: String, head: String?) { #expect(TypedDeclaration(text)?.head == head) }
}
