import Bench
import FlowPostgres
import Foundation
import Moonlatch

/// A process that serves cases, and asks them.
///
/// It answers each line of its input by a number: `ready` once it holds its
/// share, `make COUNT` once its cases are there, `here SECONDS` and `anywhere SECONDS` with its dispatches a second.
final class ServingNode: Sendable {
  private let name: String
  private let callers: Int
  private let store: PostgresJournal
  private let cases: Cases
  /// So many cases are asked, each in turn.
  private static let count = 512

  static func run(_ words: [String]) async -> Never {
    do {
      let node = try await ServingNode(words)
      while let line = readLine() {
        let words = line.split(separator: " ")
        print(try await node.answer(words.first ?? "", Double(words.last ?? "") ?? 0))
        fflush(nil)
      }
    } catch {
      print("\(error)")
      fflush(nil)
    }
    _exit(0)
  }

  private init(_ words: [String]) async throws {
    let flow = try LoadedFlow(
      source: """
        state { n = 0 }
        action.add {}
        function reduce.add(s) s.n = s.n + 1 end
        """, name: "sum.lua")
    (name, callers, store) = (words[0], Int(words[2]) ?? 1, try PostgresJournal(words[1]))
    var node = NodeOptions()
    node.name = name
    // A node that is stopped while others measure keeps its lease.
    node.lease = .seconds(3_600)
    cases = try await Cases(of: flow, in: store, node: node)
  }

  private func answer(_ command: Substring, _ number: Double) async throws -> Double {
    switch command {
    case "ready":
      try await Task.sleep(for: .seconds(4))
      return 0
    case "make":
      for id in try mine() { try await cases.create(id) }
      return 0
    case "here": return try await rate(of: mine(), for: number)
    default: return try await rate(of: Self.all, for: number)
    }
  }

  private static let all = (0..<count).map { "c-\($0)" }

  /// The cases that this process holds.
  private func mine() throws -> [String] {
    try Self.all.filter { try store.holder(of: store.shard(of: $0)) == name }
  }

  private func rate(of ids: [String], for seconds: Double) async throws -> Double {
    let begin = ContinuousClock.now
    let end = begin + .seconds(seconds)
    let width = callers
    let done = try await withThrowingTaskGroup(of: Int.self) { [cases] group in
      for place in 0..<width {
        group.addTask {
          var count = 0
          while ContinuousClock.now < end {
            try await cases[ids[(place + count * width) % ids.count]].dispatch("add").get()
            count += 1
          }
          return count
        }
      }
      return try await group.reduce(0, +)
    }
    return Double(done) / ((ContinuousClock.now - begin) / .seconds(1))
  }
}
