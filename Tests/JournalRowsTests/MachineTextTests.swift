import Testing

@testable import JournalRows

@Suite struct MachineTextTests {
  @Test("the states of machines are written as JSON that reads back the same")
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
    "invalid text reads as nil",
    arguments: [
      "", "{", "[]", "{\"a\"}", "{\"a\":[}", "{\"a\":[\"b]}", "{} ", "{\"a\":[\"\\u00\"]}",
    ])
  func nonsense(text: String) {
    #expect(MachineText.machines(of: text) == nil)
  }
}
