import Bench
import Dispatch
import FlowPostgres
import Foundation
import Moonlatch

#if canImport(Glibc)
  import Glibc
#endif

// How many entries a second a journal in PostgreSQL takes, of one case and of many at once, with others told of them
// and without, beside what the server's disk itself takes: a bare write and fdatasync of as many bytes. Each round
// measures all of them, one after the other, and the ratios are those within a round. scripts/bench starts the server.

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
  private let store: PostgresStore
  private let name: String
  private var last: [Int]
  private let body = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) }

  init(_ count: Int, _ name: String, in store: PostgresStore) {
    (self.store, self.name, last) = (store, name, Array(repeating: 0, count: count))
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

func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

run { report in
  let environment = ProcessInfo.processInfo.environment
  guard let url = environment["MOONLATCH_POSTGRES"],
    let folder = environment["MOONLATCH_POSTGRES_FOLDER"]
  else { throw WrongResult("there is no server: scripts/bench postgres starts one") }
  let raw = try Raw(URL(fileURLWithPath: folder).appending(path: "data/raw").path)
  let silent = try PostgresStore(url, tellsOthers: false)
  let telling = try PostgresStore(url)
  _ = try silent.keep(JournaledFlow(name: "bench.lua", hash: "1", version: 1, texts: []))
  _ = try telling.keep(JournaledFlow(name: "bench.lua", hash: "1", version: 1, texts: []))
  let writers = [
    Writers(1, "one", in: silent), Writers(64, "many", in: silent),
    Writers(64, "told", in: telling),
  ]
  var (bare, rates): ([Double], [[Double]]) = ([], [[], [], []])
  for round in 0..<rounds {
    let before = try rate(raw.write)
    var found: [Double] = [0, 0, 0]
    // Now these, now those first: the server tidies up now and then.
    for index in round % 2 == 0 ? [0, 1, 2] : [2, 1, 0] {
      found[index] = try rate(writers[index].write)
    }
    bare.append((before + (try rate(raw.write))) / 2)
    for (index, rate) in found.enumerated() { rates[index].append(rate) }
  }
  try silent.close()
  try telling.close()
  let ratios = rates.map { median(zip($0, bare).map { $0 / $1 }) }
  report.title(
    "Entries of \(size) bytes, each kept for good, a second: medians of \(rounds) rounds")
  report.figure("bare write and fdatasync", median(bare), "/s")
  report.figure("one case", median(rates[0]), "/s")
  report.target("one case: to bare", ratios[0], atLeast: 0.5)
  report.figure("64 cases at once", median(rates[1]), "/s")
  report.target("64 cases at once: to bare", ratios[1], atLeast: 5)
  report.figure("64 cases at once, others told", median(rates[2]), "/s")
  report.target(
    "the same: to not told", median(zip(rates[2], rates[1]).map { $0 / $1 }), atLeast: 0.75)
}
