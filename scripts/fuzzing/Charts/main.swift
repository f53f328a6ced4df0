#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

// Charts drawn at random, on which the planner and the reference have to agree: SEED COUNT SECONDS.
// Ends after so many charts or, where that is 0, so many seconds; exits with 1 at the first
// difference.
let arguments = CommandLine.arguments.dropFirst().compactMap { UInt64($0) }
guard arguments.count == 3 else { fatalError("usage: charts SEED COUNT SECONDS") }
let (seed, count, seconds) = (arguments[0], arguments[1], arguments[2])

let clock = ContinuousClock()
let start = clock.now
var total = Comparison.Count()
var number: UInt64 = 0
while count > 0 ? number < count : clock.now - start < .seconds(Int64(seconds)) {
  if let found = Comparison.difference(seed: seed &* 1_000_000_007 &+ number, &total) {
    print("charts: the planner differs: \(found)")
    exit(1)
  }
  number += 1
}
print(
  "\(number) charts, \(total.steps) steps, \(total.several) with several ways, "
    + "\(total.rounds) rounds, \(total.conflicts) conflicts")
