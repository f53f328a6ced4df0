import Bench
import Dispatch
import FlowJournal
import Foundation
import Moonlatch

// The overhead of moonlatch-serve: dispatches over HTTP against the same library answering a constant, and with a
// journal against dispatches in the program itself; the time and memory to send a change to 10,000 listeners; its
// behaviour while its database is stopped, and with 100,000 timers that are due at once. Arguments: moonlatch-serve,
// bare-server, bare-client, a folder on the disk. The client takes its part of the same processors, as does wrk. scripts/bench
// starts the database.

private let rounds = 9
private let listeners = 10_000

let flow = """
  state { count = 0 }
  action.increase { by = integer { min = 1 } }
  function reduce.increase(s, a) s.count = s.count + a.by end
  function view.count(s) return s.count end
  """

func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

/// How many dispatches a second this program itself has kept in a journal, by 64 at once.
final class Writers: @unchecked Sendable {
  private let cases: Cases
  private let journal: SQLiteJournal

  init(_ loaded: LoadedFlow, in folder: URL) throws {
    journal = try SQLiteJournal(file: folder.appending(path: "own.journal"))
    cases = try wait { [journal] in try await Cases(of: loaded, in: journal) }
  }

  func rate(seconds: Int) throws -> Double {
    let (over, lock) = (DispatchSemaphore(value: 0), NSLock())
    nonisolated(unsafe) var found: Result<Int, any Error> = .success(0)
    let begin = ContinuousClock.now
    Task { [cases] in
      let result: Result<Int, any Error>
      do {
        let count = try await withThrowingTaskGroup(of: Int.self) { group in
          for index in 0..<64 {
            group.addTask {
              let one = cases["c\(index)"]
              if try await one.summary() == nil { try await cases.create("c\(index)") }
              var count = 0
              while ContinuousClock.now - begin < .seconds(seconds) {
                _ = try await one.dispatch("increase", ["by": 1]).get()
                count += 1
              }
              return count
            }
          }
          return try await group.reduce(0, +)
        }
        result = .success(count)
      } catch { result = .failure(error) }
      lock.withLock { found = result }
      over.signal()
    }
    over.wait()
    let count = try lock.withLock { try found.get() }
    return Double(count) / ((ContinuousClock.now - begin) / .seconds(1))
  }
}

run { report in
  let words = CommandLine.arguments.filter { $0 != "--check" }
  guard words.count == 5 else { throw WrongResult("scripts/bench server starts it") }
  let folder = URL(filePath: words[4]).appending(path: "server-\(getpid())")
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(at: folder) }
  let file = folder.appending(path: "count.lua")
  try flow.write(to: file, atomically: true, encoding: .utf8)
  func serve(_ journal: String) throws -> Served {
    let served = try Served(
      [words[1], "serve", file.path, "--journal", journal, "--port", "0"], in: folder)
    try served.begin(64)
    return served
  }
  let wrk = try Wrk(in: folder)

  do {
    let (bare, ours) = (try Served([words[2]], in: folder), try serve("memory"))
    var (bareRates, rates): ([Double], [Double]) = ([], [])
    for _ in 0..<rounds {
      bareRates.append(try wrk.rate(of: bare, seconds: 1))
      rates.append(try wrk.rate(of: ours, seconds: 1))
    }
    report.title("Requests a second by wrk over 64 connections: medians of \(rounds) rounds")
    report.figure("Hummingbird, a constant", median(bareRates), "/s")
    report.figure("dispatches, kept in memory", median(rates), "/s")
    report.target(
      "dispatches: to Hummingbird", median(zip(rates, bareRates).map { $0 / $1 }), atLeast: 0.5)
  }

  do {
    let ours = try serve(folder.appending(path: "served.journal").path)
    let writers = try Writers(LoadedFlow(source: flow, name: "count.lua"), in: folder)
    var (own, rates): ([Double], [Double]) = ([], [])
    for _ in 0..<rounds {
      own.append(try writers.rate(seconds: 1))
      rates.append(try wrk.rate(of: ours, seconds: 1))
    }
    report.title("Dispatches a second of 64 cases, each kept for good: medians of \(rounds) rounds")
    report.figure("in a program of one's own", median(own), "/s")
    report.figure("over HTTP", median(rates), "/s")
    report.target(
      "over HTTP: to one's own", median(zip(rates, own).map { $0 / $1 }), atLeast: 0.8)
  }

  let ours = try serve("memory")
  let before = ours.memory
  let all = try Listeners(listeners, to: "/cases/c0/views/count/events", of: ours)
  let connection = try Connection(ours.port)
  let request = ours.request("POST", "/cases/c0/actions/increase", "{\"by\":1}")
  var times: [Double] = []
  for _ in 0..<rounds { times += try all.tell(by: connection, request) }
  times.sort()
  let held = Double(ours.memory - before) / Double(listeners) / 1_024
  report.title("\(listeners) listeners of one view, from the request until they have it")
  report.figure("told, median", times[times.count / 2], "ms")
  report.target("told, 99th percentile", times[times.count * 99 / 100], atMost: 100, "ms")
  report.target("memory of the server, for each", held, atMost: 20, "KiB")
  let database = ProcessInfo.processInfo.environment["MOONLATCH_POSTGRES"]
  try measureTasks(&report, words[1], database, in: folder)
  try measureClaimDelays(&report, words[1], database, in: folder)
  try measureCalls(&report, words[1], words[2], words[3], in: folder)
  try measureStoppedDatabase(&report, words[1], file, in: folder)
  try measureDueAtOnce(&report, words[1], in: folder)
}
