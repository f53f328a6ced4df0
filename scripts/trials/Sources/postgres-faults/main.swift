import FlowPostgres
import JournalRows
import Moonlatch
import Platform

// The part of scripts/faults that is written in Swift, for journals in PostgreSQL:
//
//   postgres-faults URL WRITERS      writes cases until its input ends, whatever happens to the server, and then looks
//                                    whether all that was acknowledged is there, and each key once

/// A case that is written by a thread of its own, which waits for every entry; each has a key.
final class Writer: @unchecked Sendable {
  let id: String
  private let store: PostgresJournal
  private let line = Monitor(State())

  struct State {
    /// The last entry that was acknowledged.
    var last = 0
    /// How often an entry was said to have failed.
    var failed = 0
    /// How often one of those was kept all the same.
    var kept = 0
    var isOver = false
    /// The first violation of a guarantee.
    var wrong: String?
    /// The reason reported for the first failure.
    var reason: String?
  }

  init(_ id: String, in store: PostgresJournal) { (self.id, self.store) = (id, store) }

  static func entry(_ seq: Int, of id: String) -> JournalEntry {
    let body = (0..<200).map { UInt8(truncatingIfNeeded: $0 &* seq) }
    return JournalEntry(
      seq: seq, flow: 1, wall: EngineTime.wall(), body: Array("\(id) \(seq) ".utf8) + body,
      revision: seq, machines: ["order": ["\(seq % 3)"]],
      answers: [
        KeyedAnswer(
          key: "request \(seq)", request: SHA256.digest(of: Array("\(seq)".utf8)), revision: seq)
      ],
      birth: seq == 1 ? .init(time: 1, seed: 1) : nil)
  }

  func run(until over: Monitor<Bool>) {
    var (seq, fence) = (1, 1)
    while !over.with({ $0 }) {
      let outcome = Monitor<JournalError??>(nil)
      store.append([Self.entry(seq, of: id)], to: id, fence: fence) { error in
        outcome.with(waking: true) { $0 = .some(error) }
      }
      guard let error = outcome.wait(for: { $0 }) else {
        line.with { $0.last = seq }
        seq += 1
        continue
      }
      // As a host does: it takes the case up again, and asks whether the key was answered.
      line.with { ($0.failed, $0.reason) = ($0.failed + 1, $0.reason ?? "\(error)") }
      guard let (next, right) = again(behind: seq) else { break }
      if next > seq { line.with { ($0.kept, $0.last) = ($0.kept + 1, seq) } }
      (seq, fence) = (next, right)
    }
    line.with(waking: true) { $0.isOver = true }
  }

  private func again(behind seq: Int) -> (next: Int, fence: Int)? {
    for _ in 1...60 {
      do throws(JournalError) {
        guard let stored = try store.activate(id) else { return (1, 1) }
        let last = stored.entries.last?.seq ?? 0
        let isAnswered = try store.answer(to: "request \(seq)", of: id) != nil
        if last != (isAnswered ? seq : seq - 1) {
          line.with { $0.wrong = "\(id): \(last) entries where \(seq) was under way" }
          return nil
        }
        return (last + 1, stored.fence)
      } catch {
        usleep(200_000)
      }
    }
    line.with { $0.wrong = "\(id) cannot be taken up again" }
    return nil
  }

  func wait() -> State { line.wait { $0.isOver ? $0 : nil } }
}

func fail(_ message: String) -> Never {
  print(message)
  exit(1)
}

let words = Array(CommandLine.arguments.dropFirst())
guard words.count == 2, let count = Int(words[1]) else {
  fail("usage: postgres-faults URL WRITERS")
}
do {
  let store = try PostgresJournal(words[0])
  _ = try store.keep(JournaledFlow(name: "faults.lua", hash: "1", version: 1, texts: []))
  let over = Monitor(false)
  let writers = (1...count).map { Writer("case \($0)", in: store) }
  for writer in writers {
    guard SystemThread.start({ writer.run(until: over) }) else { fail("no threads") }
  }
  print("writing")
  fflush(nil)
  while readLine() != nil {}
  over.with { $0 = true }
  let states = writers.map { $0.wait() }
  for state in states { if let wrong = state.wrong { fail(wrong) } }
  try store.close()

  // As another process finds it.
  let found = try PostgresJournal(words[0])
  let findings = try found.verify()
  if let fault = findings.faults.first { fail("damaged: \(fault.description)") }
  var lost = 0
  for (writer, state) in zip(writers, states) {
    let entries = try found.entries(of: writer.id, from: 1, limit: .max)
    lost += max(0, state.last - entries.count)
    if entries.count > state.last { fail("\(writer.id) has entries that nobody was told of") }
    for (index, entry) in entries.enumerated() {
      let start = Array("\(writer.id) \(index + 1) ".utf8)
      if !entry.body.starts(with: start) {
        fail("\(writer.id): entry \(index + 1) is another one")
      }
    }
  }
  for reason in states.compactMap(\.reason) { print("a failure: \(reason)") }
  let entries = states.reduce(0) { $0 + $1.last }
  if findings.answers != findings.entries {
    fail("\(findings.answers) keys, \(findings.entries) entries")
  }
  try found.close()
  let failed = states.reduce(0) { $0 + $1.failed }
  let kept = states.reduce(0) { $0 + $1.kept }
  print(
    "\(entries) acknowledged, \(lost) lost, \(findings.answers) keys each once, \(failed) said to have failed "
      + "(\(kept) of them found kept, by their keys)")
  if lost > 0 { exit(1) }
} catch {
  fail("\(error)")
}
