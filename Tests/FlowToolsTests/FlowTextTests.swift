import FlowKernel
import Testing

@testable import FlowTools

@Suite("Flows of very many functions in one line") struct FlowTextTests {
  private static func line(_ count: Int, _ declaration: (Int) -> String) -> String {
    "state { n = 0 }\naction.go {}\n" + (0..<count).map(declaration).joined(separator: " ") + "\n"
  }

  private func text(_ source: String) throws -> FlowText {
    FlowText(try LoadedFlow(source: source, name: "f.lua"))
  }

  @Test(
    "are checked without findings about functions that their line does not identify",
    arguments: [
      "action.aN {} function reduce.aN(s) s.n = N end",
      "gate('gN', 'go', function(s) return s.n < N end)",
      "function invariant.vN(s) return s.n >= 0 end", "function view.vN(s) return s.n end",
      "scope.sN { key = function(s) return s.n end, actions = {} }",
      "action.aN {} effect.aN = { run = function() dispatch.go() end, on_error = 'go' }",
    ])
  func checked(declaration: String) throws {
    let source = Self.line(1_000) { declaration.replacing("N", with: "\($0)") }
    let findings = try FlowCheck(text: text(source), viewsReadOutside: nil).findings()
    #expect(findings.allSatisfy { $0.kind == .idleAction || $0.kind == .unreadField })
  }

  @Test("are drawn: writes are known if the line has few functions, and unknown if it has many")
  func drawn() throws {
    for (count, fields) in [(2, ["x0", "x1"]), (6_000, [nil])] as [(Int, [String?])] {
      let source = Self.line(count) {
        "action.a\($0) {} function reduce.a\($0)(s) s.x\($0) = 1 end"
      }
      let drawing = try FlowDrawing(text(source))
      #expect(drawing.fields == fields)
      #expect(DOTWriter.text(drawing).utf8.count < 2_000_000)
    }
  }
}
