import Bench
import FlowPostgres
import Foundation
import Workloads

// How many entries a second a journal in PostgreSQL takes, of one case and of many at once, with others told of them
// and without, beside what the server's disk itself takes. scripts/bench starts the server.

run { report in
  let environment = ProcessInfo.processInfo.environment
  guard let url = environment["MOONLATCH_POSTGRES"],
    let folder = environment["MOONLATCH_POSTGRES_FOLDER"]
  else { throw WrongResult("there is no server: scripts/bench postgres starts one") }
  let silent = try PostgresJournal(url, tellsOthers: false)
  let telling = try PostgresJournal(url)
  let found = try JournalRates(
    of: [
      JournalWriters(1, "one", in: silent), JournalWriters(64, "many", in: silent),
      JournalWriters(64, "told", in: telling),
    ], beside: URL(fileURLWithPath: folder).appending(path: "data/raw").path)
  try silent.close()
  try telling.close()
  found.head(&report)
  report.figure("one case", median(found.rates[0]), "/s")
  report.target("one case: to bare", found.toBare(0), atLeast: 0.5)
  report.figure("64 cases at once", median(found.rates[1]), "/s")
  report.target("64 cases at once: to bare", found.toBare(1), atLeast: 5)
  report.figure("64 cases at once, others told", median(found.rates[2]), "/s")
  report.target(
    "the same: to not told", median(zip(found.rates[2], found.rates[1]).map { $0 / $1 }),
    atLeast: 0.75)
}
