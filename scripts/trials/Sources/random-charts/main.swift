import Platform
import RandomCharts

// Charts drawn at random: KIND SEED COUNT SECONDS. It ends after so many charts or, where that is 0, so many seconds;
// exits with 1 at the first difference.
//
//   random-charts charts SEED COUNT SECONDS   the planner beside appendix D, and documents with content likewise
//   random-charts qt PROGRAM FOLDER SEED COUNT SECONDS
//                                             documents in Qt SCXML, by this program, which is given files in FOLDER
//
// With RANDOM_CHARTS_ALL=1 it goes on behind a difference.

func usage() -> Never {
  print("usage: random-charts charts|qt [PROGRAM FOLDER] SEED COUNT SECONDS")
  exit(64)
}

let arguments = Array(CommandLine.arguments.dropFirst())
let numbers = arguments.suffix(3).compactMap { UInt64($0) }
guard let kind = arguments.first, numbers.count == 3,
  arguments.count == (kind == "qt" ? 6 : 4), ["charts", "qt"].contains(kind)
else { usage() }
let (seed, count, seconds) = (numbers[0], numbers[1], numbers[2])

let clock = ContinuousClock()
let start = clock.now
var moved = Comparison.Count()
var played = DocumentComparison.Count()
var compared = QtComparison.Count()
var number: UInt64 = 0
var hasFound = false
let qt = kind == "qt" ? try QtComparison(program: arguments[1], folder: arguments[2]) : nil
while count > 0 ? number < count : clock.now - start < .seconds(Int64(seconds)) {
  let seed = seed &* 1_000_000_007 &+ number
  let found: String?
  if let qt {
    found = try qt.difference(seed: seed, &compared).map { "qt: \($0)" }
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
print(qt == nil ? "\(number) charts, \(moved); \(played)" : "\(compared)")
if hasFound { exit(1) }
