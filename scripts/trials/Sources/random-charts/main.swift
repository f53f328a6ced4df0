import FuzzTargets
import Moonlatch
import Platform
import RandomCharts

// Charts drawn at random: KIND SEED COUNT SECONDS. It ends after so many charts or, where that is 0, so many seconds;
// exits with 1 at the first difference.
//
//   random-charts charts SEED COUNT SECONDS   the planner beside appendix D, and documents with content likewise
//   random-charts exports SEED COUNT SECONDS  flows as SCXML, read back and run beside the flow
//   random-charts qt PROGRAM FOLDER SEED COUNT SECONDS
//                                             documents in Qt SCXML, by this program, which is given files in FOLDER
//
// With RANDOM_CHARTS_ALL=1 it goes on behind a difference.

func usage() -> Never {
  print("usage: random-charts charts|exports|qt [PROGRAM FOLDER] SEED COUNT SECONDS")
  exit(64)
}

let arguments = Array(CommandLine.arguments.dropFirst())
let numbers = arguments.suffix(3).compactMap { UInt64($0) }
guard let kind = arguments.first, numbers.count == 3,
  arguments.count == (kind == "qt" ? 6 : 4), ["charts", "exports", "qt"].contains(kind)
else { usage() }
let (seed, count, seconds) = (numbers[0], numbers[1], numbers[2])

/// A flow with gates, effects and machines of records, beside its export.
func difference(
  ofFlow seed: UInt64, _ exported: inout ExportComparison.Count
) throws -> String? {
  let random = RandomFlow(seed: seed, .finite)
  let actions = random.actions.flatMap { action in
    action.payloads.map { (name: action.name, payload: $0) }
  }
  let flow = try LoadedFlow(source: random.text, name: "flow.lua", print: { _ in })
  guard !flow.flow.machines.isEmpty else { return nil }
  return ExportComparison.difference(of: flow, actions, seed: seed, &exported).map {
    "random flow \(seed): \($0)\n\(random.text)"
  }
}

let clock = ContinuousClock()
let start = clock.now
var moved = Comparison.Count()
var played = DocumentComparison.Count()
var compared = QtComparison.Count()
var exported = ExportComparison.Count()
var number: UInt64 = 0
var hasFound = false
let qt = kind == "qt" ? try QtComparison(program: arguments[1], folder: arguments[2]) : nil
while count > 0 ? number < count : clock.now - start < .seconds(Int64(seconds)) {
  let seed = seed &* 1_000_000_007 &+ number
  let found: String?
  if let qt {
    found = try qt.difference(seed: seed, &compared).map { "qt: \($0)" }
  } else if kind == "exports" {
    found =
      (number % 4 == 3
      ? try difference(ofFlow: seed, &exported)
      : ExportComparison.difference(seed: seed, &exported)).map {
        "exports: \($0)"
      }
  } else {
    found =
      Comparison.difference(seed: seed, &moved).map { "charts: the planner differs: \($0)" }
      ?? DocumentComparison.difference(seed: seed, &played).map { "charts: documents: \($0)" }
  }
  if let found {
    print(found)
    if getenv("RANDOM_CHARTS_ALL") == nil {
      qt?.end()
      exit(1)
    }
    hasFound = true
  }
  number += 1
}
qt?.end()
switch kind {
case "qt": print(compared)
case "exports": print(exported)
default: print("\(number) charts, \(moved); \(played)")
}
if hasFound { exit(1) }
