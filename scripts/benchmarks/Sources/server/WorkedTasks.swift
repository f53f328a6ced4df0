import Bench
import Foundation
import Synchronization

// Tasks that workers claim and answer over HTTP: how many a second, on a file and on PostgreSQL, and how much memory
// 100,000 open ones take after a restart.

let mailFlow = """
  state { done = 0 }
  action.go { calls = integer }
  internal.finished {}
  function reduce.finished(s) s.done = s.done + 1 end
  effect.go = { durable = true, on_done = "finished", run = function(self, a)
    local calls = {}
    for n = 1, a.calls do calls[n] = function() return self:mail { n = n } end end
    all(table.unpack(calls))
  end }
  """
let mailHostFile = "provide { mail = worker { queue = \"mail\", lease = \"1h\" } }"

func measureTasks(
  _ report: inout BenchmarkReport, _ program: String, _ database: String?, in folder: URL
) throws {
  let file = folder.appending(path: "mail.lua")
  try mailFlow.write(to: file, atomically: true, encoding: .utf8)
  try mailHostFile.write(
    to: folder.appending(path: "mail.host.lua"), atomically: true, encoding: .utf8)
  func serve(_ journal: String) throws -> Served {
    try Served([program, "serve", file.path, "--journal", journal, "--port", "0"], in: folder)
  }
  report.title("Tasks a second, claimed and answered by 8 workers, 10 at once")
  let journals =
    [("SQLite", folder.appending(path: "mail.journal").path)]
    + (database.map { [("PostgreSQL", $0)] } ?? [])
  for (name, journal) in journals {
    let served = try serve(journal)
    try open(cases: 100, of: served)
    report.target(name, try rate(of: served, tasks: 10_000), atLeast: 2_000, "/s")
  }

  let journal = folder.appending(path: "open.journal").path
  do {
    let served = try serve(journal)
    try open(cases: 1_000, of: served)
  }
  let served = try serve(journal)
  sleep(3)
  let connection = try Connection(served.port)
  let metrics = try connection.ask(served.request("GET", "/metrics"))
  let awake = metrics.firstMatch(of: /moonlatch_cases_awake ([0-9.]+)/).flatMap { Double($0.1) }
  report.title("100,000 open tasks after a restart")
  report.target("most memory of the server", served.mostMemory, atMost: 300, "MiB")
  report.target("cases that are awake", awake ?? -1, atMost: 0)
}

private func open(cases: Int, of served: Served) throws {
  try served.begin(cases)
  let connection = try Connection(served.port)
  for index in 0..<cases {
    let answer = try connection.ask(
      served.request("POST", "/cases/c\(index)/actions/go", "{\"calls\":100}"))
    try WrongResult.unless(answer.hasPrefix("HTTP/1.1 200"), "a case does not go: \(answer)")
  }
}

/// Returns the number of tasks a second until all are answered.
private func rate(of served: Served, tasks: Int) throws -> Double {
  let done = Mutex(0)
  let failed = Mutex<(any Error)?>(nil)
  let shared = Shared(done, failed)
  let begin = ContinuousClock.now
  let threads = DispatchGroup()
  for number in 0..<8 {
    threads.enter()
    Thread {
      do { try shared.work(served, number, until: tasks) } catch {
        shared.failed.withLock { $0 = error }
      }
      threads.leave()
    }.start()
  }
  threads.wait()
  if let error = shared.failed.withLock({ $0 }) { throw error }
  return Double(tasks) / ((ContinuousClock.now - begin) / .seconds(1))
}

private final class Shared: Sendable {
  let done: Mutex<Int>
  let failed: Mutex<(any Error)?>

  init(_ done: consuming Mutex<Int>, _ failed: consuming Mutex<(any Error)?>) {
    (self.done) = done
    self.failed = failed
  }

  /// Claims and answers tasks, each answer by a request of its own.
  func work(_ served: Served, _ number: Int, until tasks: Int) throws {
    let connection = try Connection(served.port)
    let claim = served.request(
      "POST", "/tasks/claim", "{\"queues\":[\"mail\"],\"max\":10,\"worker\":\"w\(number)\"}")
    while done.withLock({ $0 }) < tasks, failed.withLock({ $0 == nil }) {
      let answer = try connection.ask(claim)
      try WrongResult.unless(answer.hasPrefix("HTTP/1.1 200"), "a claim is answered: \(answer)")
      for task in answer.matches(of: /"id":"([0-9]+)"[^}]*?"token":"([0-9a-f]+)"/) {
        let reply = try connection.ask(
          served.request(
            "POST", "/tasks/\(task.1)/complete", "{\"token\":\"\(task.2)\",\"result\":true}"))
        try WrongResult.unless(reply.hasPrefix("HTTP/1.1 200"), "an answer is taken: \(reply)")
        done.withLock { $0 += 1 }
      }
    }
  }
}
