import Bench
import Dispatch
import Foundation
import Synchronization

// The time from the opening of a task until a worker has it, at 500 tasks a second: on one node, and where the worker
// asks another node than the one that has opened the task.

private let (openers, workers, seconds) = (10, 8, 10)

func measureClaimDelays(
  _ report: inout BenchmarkReport, _ program: String, _ database: String?, in folder: URL
) throws {
  // The flow of the tasks a second.
  let file = folder.appending(path: "mail.lua")
  func serve(_ journal: String) throws -> Served {
    try Served([program, "serve", file.path, "--journal", journal, "--port", "0"], in: folder)
  }
  report.title("From the opening of a task to its claim, at 500 a second, 99th percentile")
  let one = try serve(folder.appending(path: "delay.journal").path)
  try one.begin(openers * 50, named: "d")
  report.target("one node, SQLite", try delay(from: one, to: one), atMost: 50, "ms")
  guard let database else { return }
  let (first, second) = (try serve(database), try serve(database))
  try first.begin(openers * 50, named: "d")
  report.target("two nodes, PostgreSQL", try delay(from: first, to: second), atMost: 150, "ms")
}

/// Returns the 99th percentile of the delays, in milliseconds.
private func delay(from opener: Served, to claimed: Served) throws -> Double {
  let measured = Delays()
  let threads = DispatchGroup()
  func start(_ body: @escaping @Sendable () throws -> Void) {
    threads.enter()
    Thread {
      do { try body() } catch { measured.fail(error) }
      threads.leave()
    }.start()
  }
  let begin = ContinuousClock.now
  for number in 0..<workers {
    start { try measured.work(claimed, number, until: openers * 50 * seconds) }
  }
  for number in 0..<openers {
    start {
      let connection = try Connection(opener.port)
      for index in 0..<(50 * seconds) where !measured.hasFailed {
        // Each has its time, also if an earlier request took longer.
        let due = begin + .milliseconds(500 + index * 20 + number * 2)
        let wait = due - ContinuousClock.now
        if wait > .zero { usleep(useconds_t(wait / .microseconds(1))) }
        // A case has a second for its task.
        let answer = try connection.ask(
          opener.request(
            "POST", "/cases/d\(number * 50 + index % 50)/actions/go", "{\"calls\":1}"))
        try WrongResult.unless(answer.hasPrefix("HTTP/1.1 200"), "a case does not go: \(answer)")
      }
    }
  }
  threads.wait()
  return try measured.percentile(99)
}

private final class Delays: Sendable {
  private struct State {
    var times: [Double] = []
    var error: (any Error)?
  }
  private let state = Mutex(State())

  var hasFailed: Bool { state.withLock { $0.error != nil } }

  func fail(_ error: any Error) { state.withLock { $0.error = error } }

  /// Claims and answers tasks, one at once, and compares their opening with the clock.
  func work(_ served: Served, _ number: Int, until tasks: Int) throws {
    let connection = try Connection(served.port)
    let claim = served.request(
      "POST", "/tasks/claim", "{\"queues\":[\"mail\"],\"wait\":\"1s\",\"worker\":\"w\(number)\"}")
    let format = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
    let end = ContinuousClock.now + .seconds(60)
    while state.withLock({ $0.times.count < tasks && $0.error == nil }) {
      try WrongResult.unless(ContinuousClock.now < end, "tasks were not claimed within a minute")
      let answer = try connection.ask(claim)
      let now = Date()
      try WrongResult.unless(answer.hasPrefix("HTTP/1.1 200"), "a claim is answered: \(answer)")
      guard
        let task = answer.firstMatch(
          of: /"id":"([0-9]+)"[^}]*?"token":"([0-9a-f]+)","opened":"([^"]+)"/)
      else { continue }
      let opened = try format.parse(String(task.3))
      state.withLock { $0.times.append(now.timeIntervalSince(opened) * 1_000) }
      let reply = try connection.ask(
        served.request(
          "POST", "/tasks/\(task.1)/complete", "{\"token\":\"\(task.2)\",\"result\":true}"))
      try WrongResult.unless(reply.hasPrefix("HTTP/1.1 200"), "an answer is taken: \(reply)")
    }
  }

  func percentile(_ percent: Int) throws -> Double {
    try state.withLock { state in
      if let error = state.error { throw error }
      let times = state.times.sorted()
      try WrongResult.unless(!times.isEmpty, "no task was claimed")
      return times[min(times.count - 1, times.count * percent / 100)]
    }
  }
}
