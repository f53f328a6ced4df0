import Bench
import FlowJournal
import Foundation

/// The 99th percentile.
func percentile99(_ values: [Double]) -> Double { values.sorted()[values.count * 99 / 100] }

func seconds(_ body: () throws -> Void) rethrows -> Double {
  let begin = ContinuousClock.now
  try body()
  return (ContinuousClock.now - begin) / .seconds(1)
}

/// The wall clock, in seconds since 1970.
var wall: Double { Date().timeIntervalSince1970 }

/// A journal of that name.
func store(_ name: String, in folder: URL) throws -> SQLiteJournal {
  try SQLiteJournal(file: folder.appending(path: "\(name).journal"))
}
