import Testing

@testable import FlowLanguage

@Suite struct NamesTests {
  @Test(
    "the nearest name is suggested if it is near enough",
    arguments: [
      ("conin", "coin"), ("cion", "coin"), ("pusch", "push"), ("zzz", nil), ("", nil), ("c", nil),
      ("coin2", "coin"), ("puhs", "push"),
    ] as [(String, String?)])
  func nearest(name: String, expected: String?) {
    #expect(Names.nearest(to: name, among: ["push", "coin", "withdraw"]) == expected)
  }

  @Test(
    "an abbreviation counts as near, after names with few different letters",
    arguments: [
      ("quantity", ["qty", "sku"], "qty"), ("qty", ["quantity", "sku"], "quantity"),
      ("amt", ["amount"], "amount"), ("options", ["os", "opt"], "opt"), ("options", ["os"], nil),
      ("quantity", ["tty"], nil), ("message", ["msg", "massage"], "massage"),
    ] as [(String, [String], String?)])
  func abbreviations(name: String, candidates: [String], expected: String?) {
    #expect(Names.nearest(to: name, among: candidates) == expected)
  }

  @Test("of two equally near names the alphabetically first is used")
  func ties() { #expect(Names.nearest(to: "cat", among: ["rat", "bat", "hat"]) == "bat") }

  @Test("a name after its kind is written as in Lua")
  func dotted() {
    #expect(Names.dotted("gate", "push") == "gate.push")
    #expect(Names.dotted("gate", "T02 Check") == "gate[\"T02 Check\"]")
    #expect(Names.dotted("gate", "end") == "gate[\"end\"]")
  }
}
