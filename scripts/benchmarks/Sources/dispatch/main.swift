import Baseline
import Foundation
import Moonlatch

/// What a dispatch costs, against the least that Lua itself would cost, and whether that depends on
/// the size of the state. One process, one run; the least of many rounds that take turns.

struct WrongResult: Error, CustomStringConvertible {
  let description: String
}

let perRound = 20_000
let rounds = 25
let sizes = [10, 1_000, 100_000]

func counterOnRawTable() throws -> Subject {
  guard let baseline = baseline_open(counterChunk) else {
    throw WrongResult(description: "the baseline could not be opened")
  }
  return Subject("(a) gate and reducer, bare, from C") {
    let before = baseline_field(baseline, "count")
    guard baseline_dispatch(baseline, Int32(perRound)),
      baseline_field(baseline, "count") == before + Int64(perRound)
    else { throw WrongResult(description: "the baseline did not count") }
  }
}

func counterInHost() throws -> Subject {
  let host = try Host(source: counterFlow)
  return Subject("(b) host.dispatch of the same") {
    let before = try host.revision
    for _ in 0..<perRound { try host.dispatch("increment") }
    guard try host.revision == before + perRound else {
      throw WrongResult(description: "an increment did not pass")
    }
  }
}

/// Toggles ten records, evenly spread over the list, so that every size works on as many.
func toggle(in count: Int) throws -> Subject {
  let host = try Host(source: toggleFlow)
  for begin in stride(from: 0, to: count, by: 1_000) {
    let outcome = try host.dispatch("fill", ["count": .integer(min(1_000, count - begin))])
    guard outcome.isPassed else { throw WrongResult(description: "\(outcome)") }
  }
  let payloads: [Value] = (0..<10).map { ["index": .integer(1 + $0 * count / 10)] }
  return Subject("(c) toggle one of \(count.formatted(.number.locale(Locale(identifier: "en"))))") {
    let before = try host.revision
    for i in 0..<perRound { try host.dispatch("toggle", payloads[i % payloads.count]) }
    guard try host.revision == before + perRound else {
      throw WrongResult(description: "a toggle did not pass")
    }
  }
}

func run() throws -> Bool {
  var subjects = [try counterOnRawTable(), try counterInHost()] + (try sizes.map(toggle(in:)))
  try measure(&subjects, rounds: rounds, perRound: perRound)

  print("What a dispatch costs: \(rounds) rounds of \(perRound) dispatches, in turn.")
  var report = Report()
  report.heading("ns for one dispatch", "least", "mean")
  for subject in subjects { report.line(subject.name, subject.least, subject.mean) }

  let toggles = subjects[2...].map(\.least)
  report.heading("ratio of the least", "ratio", "at most", "")
  report.target("(b) to (a)", subjects[1].least / subjects[0].least, atMost: 9)
  report.target(
    "(c) the dearest size to the cheapest", (toggles.max() ?? .nan) / (toggles.min() ?? .nan),
    atMost: 1.3)
  return report.missed
}

do {
  let missed = try run()
  exit(missed && CommandLine.arguments.contains("--check") ? 1 : 0)
} catch {
  FileHandle.standardError.write(Data("scripts/bench: \(error)\n".utf8))
  exit(70)
}
