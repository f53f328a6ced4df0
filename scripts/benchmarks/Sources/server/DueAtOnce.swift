import Bench
import FlowJournal
import Foundation
import Moonlatch
import Workloads

// Timers of 100,000 cases that are due when the server starts: how much memory it takes, and how soon it answers what
// is asked of another case meanwhile.

private let order = """
  state { seconds = 0 }
  internal.expire {}
  machine.order {
    initial = "open",
    open = { expire = "gone", after = { expire = function(s) return s.seconds end } },
    gone = { final = true },
  }
  function view.seconds(s) return s.seconds end
  """

func measureDueAtOnce(_ report: inout BenchmarkReport, _ program: String, in folder: URL) throws {
  let count = 100_000
  let flow = folder.appending(path: "order.lua")
  try order.write(to: flow, atomically: true, encoding: .utf8)
  let file = folder.appending(path: "order.journal")
  try makeOrders(count, in: file)

  let begin = ContinuousClock.now
  let server = try Served(
    [program, "serve", flow.path, "--journal", file.path, "--port", "0"], in: folder)
  let connection = try Connection(server.port)
  let view = server.request("GET", "/cases/other/views/seconds")
  let open = server.request("GET", "/cases?in=order.open&limit=2")
  var times: [Double] = []
  var isOver = false
  while !isOver {
    try WrongResult.unless(
      ContinuousClock.now - begin < .seconds(600), "the timers have not fired within 10 minutes")
    let round = ContinuousClock.now
    while ContinuousClock.now - round < .seconds(1) {
      times.append(
        try milliseconds {
          let answer = try connection.ask(view)
          try WrongResult.unless(answer.hasPrefix("HTTP/1.1 200"), "a view is answered: \(answer)")
        })
      usleep(10_000)
    }
    let answer = try connection.ask(open)
    try WrongResult.unless(answer.hasPrefix("HTTP/1.1 200"), "cases are listed: \(answer)")
    isOver = !answer.contains("\"o-") && !answer.contains("\"model\"")
  }
  let time = (ContinuousClock.now - begin) / .seconds(1)
  report.title("\(count) timers that are due when the server starts")
  report.figure("until the last has fired", time, "s")
  report.target("most memory of the server", server.mostMemory, atMost: 300, "MiB")
  times.sort()
  report.figure("a view of another case meanwhile, median", times[times.count / 2], "ms")
  report.target("the same, 99th percentile", times[times.count * 99 / 100], atMost: 100, "ms")
}

/// Cases whose timers are due, and `other`, whose timer is not.
private func makeOrders(_ count: Int, in file: URL) throws {
  let journal = try SQLiteJournal(file: file)
  try wait {
    let flow = try LoadedFlow(source: order, name: "order.lua")
    // On a virtual clock, which does not fire them here.
    let earlier = try await Cases(
      of: flow, in: journal,
      options: HostOptions(clock: .virtual, began: Date(timeIntervalSinceNow: -1_000)))
    try await earlier.create("model", given: ["seconds": 100, "order": "open"])
    try await earlier.create("other", given: ["seconds": 1_000_000, "order": "open"])
    try await earlier.close()
    try await journal.multiply("model", by: count - 1, "o")
    try journal.close()
  }
}
