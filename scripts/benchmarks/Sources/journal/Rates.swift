import Bench
import FlowJournal
import Foundation
import Workloads

func measureRates(_ report: inout BenchmarkReport, in folder: URL) throws {
  let store = try store("rates", in: folder)
  let counts = [1, 8, 64]
  let writers = try counts.map { try JournalWriters($0, "\($0)", in: store) }
  let found = try JournalRates(of: writers, beside: folder.appending(path: "raw").path)
  try store.close()
  found.head(&report)
  for (index, count) in counts.enumerated() {
    let name = count == 1 ? "one case" : "\(count) cases at once"
    report.figure(name, median(found.rates[index]), "/s")
    let ratio = found.toBare(index)
    switch count {
    case 1: report.target("\(name): to bare", ratio, atLeast: 0.7)
    case 64: report.target("\(name): to bare", ratio, atLeast: 5)
    default: report.figure("\(name): to bare", ratio, "times")
    }
  }
}
