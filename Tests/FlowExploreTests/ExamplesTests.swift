import FlowExplore
import Foundation
import Testing

/// The explorations in `examples/explore`, with the published numbers of their models.
@Suite("Worked examples")
struct ExamplesTests {
  static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appending(path: "examples/explore")

  private func report(_ name: String) throws -> ExplorationReport {
    let file = ExamplesTests.folder.appending(path: "\(name).explore.lua")
    return try #require(try ExplorationFile(file).explorations().first).run()
  }

  @Test(
    "published models have their published numbers of states, transitions and levels",
    arguments: [
      ("two-phase-commit", 288, 1146, 11), ("transaction-commit", 34, 94, 7), ("jugs", 16, 97, 8),
      ("philosophers", 243, 946, 6), ("peterson", 42, 77, 11),
    ])
  func numbers(name: String, states: Int, transitions: Int, depth: Int) throws {
    let report = try report(name)
    #expect(report.states == states)
    #expect(report.transitions == transitions)
    #expect(report.depth == depth)
    #expect(report.ending == .whole)
  }

  @Test("two-phase commit is consistent, decisions are final, and all may commit or abort")
  func commit() throws {
    #expect(
      try report("two-phase-commit").verdicts.map(\.line) == [
        "holds   always consistent", "holds   sometimes \"all commit\"",
        "holds   sometimes \"all abort\"", "holds   step \"decisions stand\"",
      ])
  }

  @Test("transaction commit ends once all have decided, and is always consistent")
  func transaction() throws {
    #expect(
      try report("transaction-commit").verdicts.map(\.line) == [
        "holds   never torn", "holds   step \"a decision stands\"",
      ])
  }

  @Test("the water jug puzzle is solved in six steps")
  func jugs() throws {
    let verdict = try #require(try report("jugs").verdicts.first)
    #expect(verdict.line == "fails   never four")
    #expect(
      verdict.steps == [
        "fill_big", "big_to_small", "empty_small", "big_to_small", "fill_big", "big_to_small",
      ])
  }

  @Test("five philosophers have two deadlocks, and the shortest path to one has five steps")
  func philosophers() throws {
    let report = try report("philosophers")
    #expect(report.findings.map(\.sentence) == ["deadlock: no step is possible in 2 states"])
    #expect(report.findings.first?.steps.count == 5)
  }

  @Test("Peterson's algorithm guarantees mutual exclusion")
  func peterson() throws {
    #expect(
      try report("peterson").verdicts.map(\.line) == [
        "holds   never \"both inside\"",
        "holds   sometimes \"the second inside while the first waits\"",
        "holds   leads_to \"the first gets in\"", "holds   step \"nobody is pushed out\"",
      ])
  }
}
