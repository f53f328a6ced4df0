import Bench
import Dispatch
import Moonlatch
import Synchronization

extension JournalStorage {
  /// Adds so many cases, all like one that was created just now.
  package func multiply(_ model: String, by count: Int, _ name: String) async throws {
    guard let first = try await entries(of: model, from: 1, limit: 1).first,
      let summary = try await summary(of: model)
    else { throw WrongResult("there is no case \(model)") }
    let entry = JournalEntry(
      seq: 1, flow: first.flow, wall: first.wall, body: first.body, revision: 0, due: summary.due,
      machines: summary.machines, birth: .init(time: summary.born, seed: 0))
    let failed = Mutex<JournalError?>(nil)
    await withCheckedContinuation { continuation in
      let over = DispatchGroup()
      for number in 0..<count {
        over.enter()
        append([entry], to: "\(name)-\(number)", fence: 1) { error in
          if let error { failed.withLock { $0 = error } }
          over.leave()
        }
      }
      over.notify(queue: .global()) { continuation.resume() }
    }
    if let error = failed.withLock({ $0 }) { throw error }
  }
}
