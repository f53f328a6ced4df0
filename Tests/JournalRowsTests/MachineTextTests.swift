import Testing

@testable import JournalRows

@Suite struct MachineTextTests {
  @Test("where machines stand is JSON that reads as the same")
  func roundTrip() {
    let machines = [
      [:], ["order": ["paid"]], ["b": [], "a": ["x", "x.y"]],
      ["quoted \"\\\" \n\u{1}\u{7f}": ["é", "e\u{301}", "\0", "🚪"]],
    ]
    for machines in machines {
      #expect(MachineText.machines(of: MachineText.of(machines)) == machines)
    }
    #expect(MachineText.of(["b": ["y"], "a": ["x", "z"]]) == #"{"a":["x","z"],"b":["y"]}"#)
  }

  @Test(
    "what is no such text reads as nothing",
    arguments: [
      "", "{", "[]", "{\"a\"}", "{\"a\":[}", "{\"a\":[\"b]}", "{} ", "{\"a\":[\"\\u00\"]}",
    ])
  func nonsense(text: String) {
    #expect(MachineText.machines(of: text) == nil)
  }
}
