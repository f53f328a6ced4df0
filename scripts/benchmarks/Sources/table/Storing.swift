import Bench
import FlowJournal
import Foundation
import Moonlatch

/// Dispatches each of which returns once the disk has stored it.
struct Storing {
  /// The counter of one case, one dispatch after the other.
  let counter: Figure

  init(in folder: URL) throws {
    let place = folder.appending(path: "table-\(ProcessInfo.processInfo.processIdentifier)")
    try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: place) }
    let journal = try SQLiteJournal(file: place.appending(path: "counter.journal"))
    let host = try FlowHost(
      LoadedFlow(source: Flows.counter), journal: journal,
      options: HostOptions(report: { _ in }))
    // As many as DBOS is measured with.
    let times = try Stopwatch.best(
      of: [
        .init(name: "stored", count: 10) { count in
          let before = try host.revision
          for _ in 0..<count { try host.dispatch("increment") }
          try WrongResult.unless(
            try host.revision == before + count, "an action was not stored")
        }
      ], rounds: 20)
    counter = .nanoseconds(times[0])
    try host.stop()
    try journal.close()
  }
}
