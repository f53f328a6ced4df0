import Testing

@testable import FlowHosting

/// The sentences of the rules of tasks.
@Suite struct TaskTableTests {
  @Test(
    "the number of lost leases is a sentence",
    arguments: [
      (0, "0 leases have ended without an answer"), (1, "1 lease has ended without an answer"),
      (2, "2 leases have ended without an answer"),
    ])
  func lost(count: Int, sentence: String) { #expect(TaskTable.lost(count) == sentence) }
}
