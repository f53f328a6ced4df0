import Bench
import FlowJournal
import Foundation

/// What all but one in a hundred stay below.
func percentile99(_ values: [Double]) -> Double { values.sorted()[values.count * 99 / 100] }

func seconds(_ body: () throws -> Void) rethrows -> Double {
  let begin = ContinuousClock.now
  try body()
  return (ContinuousClock.now - begin) / .seconds(1)
}

/// What the wall clock shows, in seconds since 1970.
var wall: Double { Date().timeIntervalSince1970 }

/// A journal of that name.
func store(_ name: String, in folder: URL) throws -> SQLiteJournal {
  try SQLiteJournal(file: folder.appending(path: "\(name).journal"))
}
