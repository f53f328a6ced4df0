import Testing

@testable import FlowLanguage

@Suite struct NamesTests {
  @Test(
    "the nearest name is suggested where one is near",
    arguments: [
      ("conin", "coin"), ("cion", "coin"), ("pusch", "push"), ("zzz", nil), ("", nil), ("c", nil),
      ("coin2", "coin"), ("puhs", "push"),
    ] as [(String, String?)])
  func nearest(name: String, expected: String?) {
    #expect(Names.nearest(to: name, among: ["push", "coin", "withdraw"]) == expected)
  }

  @Test(
    "an abbreviation is near, either way, behind what differs by few letters",
    arguments: [
      ("quantity", ["qty", "sku"], "qty"), ("qty", ["quantity", "sku"], "quantity"),
      ("amt", ["amount"], "amount"), ("options", ["os", "opt"], "opt"), ("options", ["os"], nil),
      ("quantity", ["tty"], nil), ("message", ["msg", "massage"], "massage"),
    ] as [(String, [String], String?)])
  func abbreviations(name: String, candidates: [String], expected: String?) {
    #expect(Names.nearest(to: name, among: candidates) == expected)
  }

  @Test("of two names that are as near the first in the alphabet is taken")
  func ties() { #expect(Names.nearest(to: "cat", among: ["rat", "bat", "hat"]) == "bat") }

  @Test("a name behind its kind reads as Lua does")
  func dotted() {
    #expect(Names.dotted("gate", "push") == "gate.push")
    #expect(Names.dotted("gate", "T02 Check") == "gate[\"T02 Check\"]")
    #expect(Names.dotted("gate", "end") == "gate[\"end\"]")
  }
}
