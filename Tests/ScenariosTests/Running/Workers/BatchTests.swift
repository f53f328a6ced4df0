import Testing

@testable import Scenarios

@Suite struct BatchTests {
  private func run(_ command: [String], _ jobs: [RunJob], workers: Int = 2) throws -> [RunEvent] {
    var options = Batch.Options(command: command)
    options.workers = workers
    var events: [RunEvent] = []
    let batch = Batch(
      jobs, options: options, isInterrupted: { false }, show: { _ in },
      report: { events.append($0) })
    #expect(try batch.run() == nil)
    return events
  }

  private func jobs(_ count: Int) -> [RunJob] {
    (0..<count).map {
      RunJob(number: $0, item: Selection.Item(path: "/nowhere/\($0)", name: "f\($0)"))
    }
  }

  @Test("workers that exit at once fail their file each, and the run ends")
  func gone() throws {
    let events = try run(["/bin/sh", "-c", "exit 3"], jobs(5))
    #expect(
      events
        == (0..<5).map {
          .unloadable(
            file: "f\($0)", message: "its process ended with exit code 3 while the file was loaded")
        })
  }

  @Test("a worker that is ended by a signal is reported with the signal")
  func signal() throws {
    let events = try run(["/bin/sh", "-c", "kill -SEGV $$"], jobs(1))
    guard case .unloadable(_, let message)? = events.first else {
      Issue.record("nothing was told")
      return
    }
    #expect(message.hasPrefix("its process was ended by signal 11 ("))
  }

  @Test("a missing command is an error, not a hang")
  func notThere() {
    #expect(throws: WorkerProcess.NotStarted.self) {
      _ = try run(["/nowhere/moonlatch"], jobs(1))
    }
  }

  @Test("the report of a job waits for all jobs before it")
  func board() {
    var told: [String] = []
    var board = ReportBoard(numbers: [2, 0, 1]) { event in
      if case .nothing(let text) = event { told.append(text) }
    }
    board.add(.nothing("c"), of: 2)
    board.finish(2)
    board.add(.nothing("b"), of: 1)
    #expect(told.isEmpty)
    board.add(.nothing("a"), of: 0)
    #expect(told == ["a"])
    board.finish(0)
    #expect(told == ["a", "b"])
    board.add(.nothing("b2"), of: 1)
    board.finish(1)
    #expect(told == ["a", "b", "b2", "c"])
  }

  @Test("reports held back are delivered in order when a run is stopped")
  func flushed() {
    var told: [String] = []
    var board = ReportBoard(numbers: [0, 1, 2]) { event in
      if case .nothing(let text) = event { told.append(text) }
    }
    board.add(.nothing("c"), of: 2)
    board.add(.nothing("b"), of: 1)
    board.flush()
    #expect(told == ["b", "c"])
  }
}
