import FlowHosting
import FlowKernel
import LuaRuntime
import StateBlocks
import Testing

@testable import FlowCases

/// Requests that share transactions of the table of tasks.
@Suite(.timeLimit(.minutes(5))) struct TaskLineTests {
  private static func task(_ call: String) -> StoredTask {
    StoredTask(
      OpenTask(
        call: call, tryNumber: 1, effect: 1, position: "1", scope: "root", name: "job",
        arguments: ["n": 1], kind: .worker, queue: "jobs", isOnce: false, opened: 1, deadline: nil),
      of: "a")
  }

  @Test(
    "requests that fail undo their transactions, and the others are stored without them",
    arguments: TaskTrial.Kind.allCases.filter { $0 == .file || $0 == .postgres })
  func failures(kind: TaskTrial.Kind) async throws {
    let trial = try await TaskTrial(kind)
    let now = trial.now
    let line = TaskLine(JournalCalls(trial.store), wall: { now })
    // The first request is performed until the others wait for the next transaction.
    let gate = Promise<Void>()
    let first = Task {
      try await line.perform { (_: TaskTable) throws(JournalError) -> Void in gate.wait() }
    }
    try await Task.sleep(for: .milliseconds(100))
    let requests = ["a", "b", "c", "d"].map { call in
      Task {
        try await line.perform { (table: TaskTable) throws(JournalError) -> Int in
          let id = try table.rows.insert(Self.task(call))
          if ["b", "d"].contains(call) {
            throw JournalError(.damaged, "task \(call) is damaged")
          }
          return id
        }
      }
    }
    try await Task.sleep(for: .milliseconds(200))
    gate.fulfill(())
    try await first.value
    await #expect(throws: JournalError.self) { try await requests[1].value }
    await #expect(throws: JournalError.self) { try await requests[3].value }
    let stored = [try await requests[0].value, try await requests[2].value]
    #expect(try await trial.ids().sorted() == stored.sorted())
  }
}
