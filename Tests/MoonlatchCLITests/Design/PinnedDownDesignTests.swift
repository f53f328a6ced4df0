import Foundation
import Testing

/// Rules of ContractOfHosts.md, section 12, as sentences with a test each.
@Suite("Rules of the command") struct PinnedDownDesignTests {
  @Test(
    """
    At the REPL an action does not shadow a base function (`next`, `print`); `pass.next()` works.
    """)
  func shadowing() throws {
    let folder = try TemporaryFolder()
    try folder.write(
      """
      state { n = 0 }
      action.next {} action.print {}
      function reduce.next(s) s.n = s.n + 1 end
      function reduce.print(s) s.n = s.n + 10 end
      """, to: "flow.lua")
    let ran = try moonlatch(
      ["repl", "flow.lua"], in: folder, input: Data("print(next({}))\npass.next()\ns.n\n".utf8))
    #expect(ran.code == 0)
    #expect(ran.output.contains("nil\n"))
    #expect(ran.output.contains("#1 next\n"))
    #expect(ran.output.contains("n: 0 -> 1"))
    #expect(ran.output.hasSuffix("1\n"))
  }
}
