import Bench
import Foundation

// How many dispatches a second one, two and four processes do together that serve cases on one PostgreSQL, each
// waited for until it is kept: asked where the case is, and asked anywhere, which goes through the inbox where another
// process has the case. All processes are there from the start, those of each count in a database of their own; in each
// round the one after the other measures, while the others are stopped. scripts/bench starts the server.

private let rounds = 9
private let seconds = 1.0
private let callers = 64

func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

if CommandLine.arguments.dropFirst().first == "node" {
  await ServingNode.run(Array(CommandLine.arguments.dropFirst(2)))
}

/// Processes that serve the same cases.
private struct Group {
  let nodes: [NodeProcess]

  init(_ count: Int, _ url: String) throws {
    nodes = try (1...count).map { try NodeProcess("\(count)-\($0)", url, callers / count) }
    _ = try ask("ready")
    _ = try ask("make \(count)")
    for node in nodes { node.stop() }
  }

  /// - Returns: what each has answered; all are asked at once.
  func ask(_ command: String) throws -> [Double] {
    for node in nodes { node.tell(command) }
    return try nodes.map { try $0.answer() }
  }

  /// How many dispatches a second all do together.
  func rate(_ command: String) throws -> Double {
    for node in nodes { node.goOn() }
    _ = try ask("\(command) 0.2")
    let rate = try ask("\(command) \(seconds)").reduce(0, +)
    for node in nodes { node.stop() }
    return rate
  }
}

run { report in
  guard let url = ProcessInfo.processInfo.environment["MOONLATCH_POSTGRES"] else {
    throw WrongResult("there is no server: scripts/bench nodes starts one")
  }
  defer { NodeProcess.endAll() }
  let counts = [1, 2, 4]
  let groups = try counts.map { try Group($0, Databases.make("nodes\($0)", at: url)) }
  for (command, what) in [("here", "asked where the case is"), ("anywhere", "asked anywhere")] {
    var rates = counts.map { _ in [Double]() }
    for round in 0..<rounds {
      for index in round % 2 == 0 ? [0, 1, 2] : [2, 1, 0] {
        rates[index].append(try groups[index].rate(command))
      }
    }
    report.title(
      "Dispatches a second, \(what), \(callers) at once: medians of \(rounds) rounds")
    report.figure("one process", median(rates[0]), "/s")
    for index in [1, 2] {
      let ratio = median(zip(rates[index], rates[0]).map { $0 / $1 })
      report.figure("\(counts[index]) processes", median(rates[index]), "/s")
      // The rate across processes is reported only: it has no target.
      if command == "here" {
        report.target("\(counts[index]) processes: to one", ratio, atLeast: 0.8)
      } else {
        report.figure("\(counts[index]) processes: to one", ratio, "times")
      }
    }
  }
}
