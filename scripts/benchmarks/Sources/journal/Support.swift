import Bench
import Dispatch
import FlowJournal
import Foundation
import Moonlatch
import Synchronization

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

extension SQLiteJournal {
  /// Has so many cases born, all like one that was born just now.
  func multiply(_ model: String, by count: Int, _ name: String) throws {
    guard let first = try entries(of: model, from: 1, limit: 1).first,
      let summary = try summary(of: model)
    else { throw WrongResult("there is no case \(model)") }
    let entry = JournalEntry(
      seq: 1, flow: first.flow, wall: first.wall, body: first.body, revision: 0, due: summary.due,
      machines: summary.machines, birth: .init(time: summary.born, seed: 0))
    let failed = Mutex<JournalError?>(nil)
    let over = DispatchGroup()
    for number in 0..<count {
      over.enter()
      append([entry], to: "\(name)-\(number)", fence: 1) { error in
        if let error { failed.withLock { $0 = error } }
        over.leave()
      }
    }
    over.wait()
    if let error = failed.withLock({ $0 }) { throw error }
  }
}
