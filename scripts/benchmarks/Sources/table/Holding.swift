import Baseline
import Bench
import Foundation
@_spi(Benchmarks) import Moonlatch
import Workloads

/// Measurements of memory.
///
/// Each runs in a process of its own, which prints its bytes, so that no memory from before is used again.
enum Holding: String, CaseIterable {
  case records, bareRecords, recordsWithGarbage, bareRecordsWithGarbage, hosts, usedHosts,
    fullHosts, largeHosts, history

  private static let size = 100_000

  /// Measures it in a process of its own.
  func measure() throws -> Figure {
    let program = CommandLine.arguments[0]
    let lines = try Peer.run([program, "--hold", rawValue])
    guard let bytes = lines["bytes"].flatMap(Double.init), bytes > 0 else {
      throw WrongResult("the memory of \(rawValue) could not be measured")
    }
    return .bytes(bytes)
  }

  /// Measures it here.
  func bytes() throws -> Double {
    switch self {
    case .records: try Holding.bytesOfRecords().collected
    case .recordsWithGarbage: try Holding.bytesOfRecords().allocated
    case .bareRecords: try Holding.bytesOfBareRecords().collected
    case .bareRecordsWithGarbage: try Holding.bytesOfBareRecords().allocated
    case .hosts: try Holding.bytesOfHosts(10_000, of: Flows.counter, dispatches: 0)
    case .usedHosts: try Holding.bytesOfHosts(10_000, of: Flows.counter, dispatches: 100)
    case .fullHosts: try Holding.bytesOfHosts(1_000, of: Flows.counter, dispatches: 1_000)
    case .largeHosts: try Holding.bytesOfHosts(1_000, of: LargeFlow.source, dispatches: 0)
    case .history: try Holding.bytesOfHistory()
    }
  }

  /// The bytes that malloc has given out, and those left in Lua once the garbage is collected.
  private typealias Bytes = (allocated: Double, collected: Double)

  /// Records in a host, without their history; each of them was touched after it was made.
  private static func bytesOfRecords() throws -> Bytes {
    let host = try FlowHost(
      source: Flows.records, options: HostOptions(limits: Limits(history: 1), clock: .virtual))
    let before = try (baseline_allocated(), host.memoryHeld())
    try Dispatching.fill(host, size)
    for index in 1...size {
      let outcome = try host.dispatch("toggle", ["index": .integer(index)])
      try WrongResult.unless(outcome.isPassed, "\(outcome)")
    }
    let allocated = baseline_allocated()
    return (Double(allocated - before.0), Double(try host.memoryHeld() - before.1))
  }

  /// As many raw tables.
  private static func bytesOfBareRecords() throws -> Bytes {
    guard let empty = baseline_open("return { count = 0 }, {}, type, type") else {
      throw WrongResult("a bare state could not be made")
    }
    let before = (baseline_allocated(), baseline_memory(empty))
    guard let baseline = baseline_open(Flows.bareRecords(size)) else {
      throw WrongResult("the raw records could not be made")
    }
    try WrongResult.unless(baseline_field(baseline, "count") == size, "there are too few records")
    let allocated = baseline_allocated()
    return (Double(allocated - before.0), Double(baseline_memory(baseline) - before.1))
  }

  /// Returns the growth of the process for one host with the default limits that has dispatched so often.
  private static func bytesOfHosts(
    _ hostCount: Int, of source: String, dispatches: Int
  ) throws -> Double {
    let flow = try LoadedFlow(source: source)
    func host() throws -> FlowHost {
      let host = try FlowHost(flow, options: HostOptions(clock: .virtual))
      for _ in 0..<dispatches { try host.dispatch("increment") }
      return host
    }
    var hosts = try (0..<100).map { _ in try host() }
    hosts.reserveCapacity(hosts.count + hostCount)
    let before = HistoryValue.resident
    for _ in 0..<hostCount { hosts.append(try host()) }
    return withExtendedLifetime(hosts) {
      Double(HistoryValue.resident - before) / Double(hostCount)
    }
  }

  /// Returns the bytes that malloc has given out for one commit.
  private static func bytesOfHistory() throws -> Double {
    let host = try FlowHost(
      source: Flows.counter, options: HostOptions(limits: Limits(history: size), clock: .virtual))
    func count(_ count: Int) throws {
      for _ in 0..<count { try host.dispatch("increment") }
    }
    try count(1_000)
    let before = baseline_allocated()
    try count(size - 1_000)
    let after = baseline_allocated()
    try WrongResult.unless(
      try host.commits.count == size, "the history has not kept the transitions")
    return Double(after - before) / Double(size - 1_000)
  }
}
