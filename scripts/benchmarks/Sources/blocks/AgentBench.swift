import Bench
import Foundation
import StateBlocks

/// Agent against SimpleAgent.
enum AgentBench {
  static func run(_ report: inout BenchmarkReport) throws {
    try fetch(&report)
    try update(&report)
    try casts(&report)
  }

  private static func fetch(_ report: inout BenchmarkReport) throws {
    let agent = Agent(0)
    let simple = SimpleAgent(state: 0)
    let engine = Agent(Engine())
    let ours: @Sendable (Int) throws -> Void = { count in
      var sum = 0
      for _ in 0..<count { sum &+= try agent.fetch { $0 &+ 1 } }
      consume(sum)
    }
    let theirs: @Sendable (Int) throws -> Void = { count in
      var sum = 0
      for _ in 0..<count { sum &+= simple.fetch { $0 &+ 1 } }
      consume(sum)
    }
    let alone = try Stopwatch.best(
      of: [
        .init(name: "simple", count: 100_000, body: theirs),
        .init(name: "agent", count: 400_000, body: ours),
        .init(name: "update", count: 400_000) { count in
          for _ in 0..<count { try agent.update { $0 &+= 1 } }
        },
        .init(name: "fetchAndUpdate, engine") { count in
          for _ in 0..<count { consume(try engine.fetchAndUpdate { $0.step() }) }
        },
        .init(name: "fetchAndUpdate, engine, throwing") { count in
          for _ in 0..<count { consume(try engine.fetchAndUpdate { try $0.tryStep() }) }
        },
      ], rounds: 30)
    report.title("fetch, uncontended")
    report.figure("SimpleAgent.fetch", alone[0], "ns")
    report.figure("Agent.fetch", alone[1], "ns")
    report.figure("Agent.update", alone[2], "ns")
    report.figure("Agent.fetchAndUpdate on a class, not throwing", alone[3], "ns")
    report.figure("Agent.fetchAndUpdate on a class, throwing", alone[4], "ns")
    report.target("Agent.fetch is faster by", alone[0] / alone[1], atLeast: 8)

    report.title("fetch, two threads on one agent")
    let two = try TwoThreads([
      { stop in
        var count = 0
        while !stop.now {
          try theirs(100)
          count += 100
        }
        return count
      },
      { stop in
        var count = 0
        while !stop.now {
          try ours(100)
          count += 100
        }
        return count
      },
    ])
    report.figure("windows in which both threads ran", Double(two.windows), "")
    guard let medians = two.medians else {
      report.unmeasured("Agent.fetch is faster by", "the second core was never free")
      return
    }
    report.figure("SimpleAgent.fetch, median", medians[0], "ns")
    report.figure("Agent.fetch, median", medians[1], "ns")
    report.target("Agent.fetch is faster by", medians[0] / medians[1], atLeast: 20)
  }

  private static func update(_ report: inout BenchmarkReport) throws {
    let list = Array(repeating: 0, count: 200_000)
    let agent = Agent(list)
    let simple = SimpleAgent(state: list)
    let best = try Stopwatch.best(
      of: [
        .init(name: "simple", count: 20) { count in
          for index in 0..<count {
            simple.update { list in
              var list = list
              list[index] &+= 1
              return list
            }
          }
          consume(simple.fetch { $0[0] })
        },
        .init(name: "agent", count: 200_000) { count in
          for index in 0..<count { try agent.update { $0[index] &+= 1 } }
          consume(try agent.fetch { $0[0] })
        },
      ], rounds: 10)
    report.title("update of one element of 200,000")
    report.figure("SimpleAgent.update", best[0], "ns")
    report.figure("Agent.update", best[1], "ns")
    report.target("Agent.update is faster by", best[0] / best[1], atLeast: 1000)
  }

  private static func casts(_ report: inout BenchmarkReport) throws {
    let agent = Agent(0)
    let before = HistoryValue.resident
    var most = before
    var full = 0
    let clock = ContinuousClock()
    let begin = clock.now
    for step in 0..<1_000_000 {
      do {
        try agent.cast { $0 &+= 1 }
      } catch AgentError.mailboxFull {
        full += 1
        try agent.flush()
        try agent.cast { $0 &+= 1 }
      }
      if step.isMultiple(of: 1000) { most = max(most, HistoryValue.resident) }
    }
    try agent.flush()
    let time = clock.now - begin
    let sum = try agent.value
    most = max(most, HistoryValue.resident)
    let grown = Double(most - before) / 1_048_576

    // SimpleAgent last: what it takes is not given back. Its first update waits, so that the others
    // queue.
    let simple = SimpleAgent(state: 0)
    let go = DispatchSemaphore(value: 0)
    let beforeSimple = HistoryValue.resident
    simple.update { state in
      go.wait()
      return state
    }
    for _ in 0..<1_000_000 { simple.update { $0 &+ 1 } }
    let simpleGrown = Double(HistoryValue.resident - beforeSimple) / 1_048_576
    go.signal()
    consume(simple.fetch { $0 })

    report.title("a million casts")
    report.figure("SimpleAgent.update, resident memory added", simpleGrown, "MiB")
    report.figure("Agent.cast, each, with its run", Stopwatch.nanoseconds(time) / 1e6, "ns")
    report.figure("Agent.cast, times that the mailbox was full", Double(full), "")
    report.target("Agent.cast, all of them run", Double(sum), atLeast: 1_000_000, "casts")
    report.target("Agent.cast, resident memory added", grown, atMost: 16, "MiB")
  }
}

/// A state that is a class, as a host's engine is.
final class Engine {
  private var turns = 0

  func step() -> Int {
    turns &+= 1
    return turns
  }

  func tryStep() throws -> Int {
    turns &+= 1
    if turns < 0 { throw CancellationError() }
    return turns
  }
}

extension Stopwatch.Candidate {
  init(name: String, _ body: @escaping (Int) throws -> Void) {
    self.init(name: name, count: 400_000, body: body)
  }
}

/// Keeps a result from being optimised away.
@inline(never)
func consume(_ value: Int) {
  if value == Int.min { print(value) }
}
