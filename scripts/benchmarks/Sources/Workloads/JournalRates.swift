import Bench
import Dispatch
import Foundation
import Moonlatch

#if canImport(Glibc)
  import Glibc
#endif

// How many entries a second a journal takes, beside what the disk itself takes: a bare write and fdatasync of as many
// bytes. A disk is now fast and now slow, so that each round measures all of them, one after the other, and the ratios
// are those within a round.

/// How many times all of them are measured.
public let journalRounds = 15
private let size = 200
private let seconds = 0.4

/// The middle one of some values.
public func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

/// The entries a second of journals, for each round.
public struct JournalRates {
  /// Bare writes: before and after the journals, whose disk was as fast as these two.
  public private(set) var bare: [Double] = []
  /// The journals' entries, for each of the writers.
  public private(set) var rates: [[Double]]

  /// Measures a disk and writers; every other round begins with the last of these, since a journal tidies up now and
  /// then.
  ///
  /// - Parameter path: a new file on the journals' disk.
  public init(of writers: [JournalWriters], beside path: String) throws {
    let disk = try Disk(path)
    rates = writers.map { _ in [] }
    for round in 0..<journalRounds {
      let before = try rate(disk.write)
      for index in round % 2 == 0 ? Array(writers.indices) : writers.indices.reversed() {
        rates[index].append(try rate(writers[index].write))
      }
      bare.append((before + (try rate(disk.write))) / 2)
    }
  }

  /// Says what was measured of the bare disk.
  public func head(_ report: inout BenchmarkReport) {
    report.title(
      "Entries of \(size) bytes, each kept for good, a second: medians of \(journalRounds) rounds")
    report.figure("bare write and fdatasync", median(bare), "/s")
  }

  /// The ratio of a writer's rate to that of the bare writes.
  public func toBare(_ index: Int) -> Double { median(zip(rates[index], bare).map { $0 / $1 }) }

  /// Does something again and again for some time.
  ///
  /// - Returns: how often in a second.
  private func rate(_ body: (_ until: ContinuousClock.Instant) throws -> Int) rethrows -> Double {
    let begin = ContinuousClock.now
    let count = try body(begin + .seconds(seconds))
    return Double(count) / ((ContinuousClock.now - begin) / .seconds(1))
  }
}

/// A file to which bytes are added, each time until the disk has them.
private final class Disk {
  private let descriptor: Int32
  private let bytes = [UInt8](repeating: 7, count: size)

  init(_ path: String) throws {
    descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND, 0o600)
    try WrongResult.unless(descriptor >= 0, "\(path) cannot be made")
  }

  deinit { close(descriptor) }

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
public final class JournalWriters: @unchecked Sendable {
  private let journal: any JournalStorage
  private let name: String
  private let flow: Int
  private var last: [Int]
  private let lock = NSLock()
  private let body = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) }

  /// So many cases, whose ids begin with a name.
  package init(_ count: Int, _ name: String, in journal: any JournalStorage) throws {
    (self.journal, self.name, last) = (journal, name, Array(repeating: 0, count: count))
    flow = try wait {
      try await journal.keep(JournaledFlow(name: "bench.lua", hash: "1", version: 1, texts: []))
    }
  }

  fileprivate func write(until end: ContinuousClock.Instant) throws -> Int {
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
    var seq = lock.withLock { last[index] }
    let id = "\(name)-\(index)"
    while isKept, ContinuousClock.now < end {
      seq += 1
      let entry = JournalEntry(
        seq: seq, flow: flow, wall: 1_000_000 + seq, body: body, revision: seq,
        birth: seq == 1 ? .init(time: 1_000_000, seed: 1) : nil)
      journal.append([entry], to: id, fence: 1) { error in
        isKept = error == nil
        told.signal()
      }
      told.wait()
    }
    lock.withLock { last[index] = seq }
    return isKept
  }
}
