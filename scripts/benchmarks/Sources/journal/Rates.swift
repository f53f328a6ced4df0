import Bench
import Dispatch
import FlowJournal
import Foundation
import Moonlatch

#if canImport(Glibc)
  import Glibc
#endif

// How many entries a second a journal takes, of one case and of many at once, beside what the disk itself takes: a bare
// write and fdatasync of as many bytes. A disk is now fast and now slow, so that each round measures all of them, one
// after the other, and the ratios are those within a round.

private let size = 200
private let rounds = 15
private let seconds = 0.4

/// Does something again and again for some time.
///
/// - Returns: how often in a second.
private func rate(_ body: (_ until: ContinuousClock.Instant) throws -> Int) rethrows -> Double {
  let begin = ContinuousClock.now
  let count = try body(begin + .seconds(seconds))
  return Double(count) / ((ContinuousClock.now - begin) / .seconds(1))
}

/// A file to which bytes are added, each time until the disk has them.
private final class Raw {
  private let descriptor: Int32
  private let bytes = [UInt8](repeating: 7, count: size)

  init(_ path: String) throws {
    descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND, 0o600)
    try WrongResult.unless(descriptor >= 0, "\(path) cannot be made")
  }

  func write(until end: ContinuousClock.Instant) throws -> Int {
    var count = 0
    while ContinuousClock.now < end {
      #if canImport(Darwin)
        let isKept = Foundation.write(descriptor, bytes, size) == size && fsync(descriptor) == 0
      #else
        let isKept = Glibc.write(descriptor, bytes, size) == size && fdatasync(descriptor) == 0
      #endif
      try WrongResult.unless(isKept, "the disk does not take it")
      count += 1
    }
    return count
  }
}

/// Cases that are each written by a thread of their own, which waits for every entry.
private final class Writers: @unchecked Sendable {
  private let store: JournalStore
  private let name: String
  private var last: [Int]
  private let body = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) }

  init(_ count: Int, in store: JournalStore) {
    (self.store, name, last) = (store, "\(count)", Array(repeating: 0, count: count))
  }

  func write(until end: ContinuousClock.Instant) throws -> Int {
    let before = last.reduce(0, +)
    let failed = DispatchSemaphore(value: 0)
    let over = DispatchGroup()
    for index in last.indices {
      let writer = Thread { [self] in
        if !write(index, until: end) { failed.signal() }
        over.leave()
      }
      over.enter()
      writer.start()
    }
    over.wait()
    try WrongResult.unless(failed.wait(timeout: .now()) == .timedOut, "an entry was not kept")
    return last.reduce(0, +) - before
  }

  private func write(_ index: Int, until end: ContinuousClock.Instant) -> Bool {
    let told = DispatchSemaphore(value: 0)
    nonisolated(unsafe) var isKept = true
    var seq = last.withUnsafeBufferPointer { $0[index] }
    while isKept, ContinuousClock.now < end {
      seq += 1
      let entry = JournalEntry(
        seq: seq, flow: 1, wall: 1_000_000 + seq, body: body, revision: seq,
        birth: seq == 1 ? .init(time: 1_000_000, seed: 1) : nil)
      store.append([entry], to: "\(name)-\(index)", fence: 1) { error in
        isKept = error == nil
        told.signal()
      }
      told.wait()
    }
    lock.withLock { last[index] = seq }
    return isKept
  }

  private let lock = NSLock()
}

func measureRates(_ report: inout Report, in folder: URL) throws {
  let raw = try Raw(folder.appending(path: "raw").path)
  let store = try JournalStore(file: folder.appending(path: "rates.journal"))
  _ = try store.keep(JournaledFlow(name: "bench.lua", hash: "1", version: 1, texts: []))
  let writers = [1, 8, 64].map { ($0, Writers($0, in: store)) }
  var (bare, rates): ([Double], [[Double]]) = ([], [[], [], []])
  for _ in 0..<rounds {
    // Before and after the journal: what lies between was as fast as these two.
    let before = try rate(raw.write)
    var found: [Double] = []
    for (_, cases) in writers { found.append(try rate(cases.write)) }
    bare.append((before + (try rate(raw.write))) / 2)
    for (index, rate) in found.enumerated() { rates[index].append(rate) }
  }
  try store.close()

  report.title(
    "Entries of \(size) bytes, each kept for good, a second: medians of \(rounds) rounds")
  report.figure("bare write and fdatasync", median(bare), "/s")
  for ((count, _), rates) in zip(writers, rates) {
    let name = count == 1 ? "one case" : "\(count) cases at once"
    report.figure(name, median(rates), "/s")
    let ratio = median(zip(rates, bare).map { $0 / $1 })
    switch count {
    case 1: report.target("\(name): to bare", ratio, atLeast: 0.7)
    case 64: report.target("\(name): to bare", ratio, atLeast: 5)
    default: report.figure("\(name): to bare", ratio, "times")
    }
  }
}
