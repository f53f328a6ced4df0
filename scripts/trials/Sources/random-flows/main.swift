import FuzzTargets
import Platform

// Random flows whose processes end and begin anew: KIND SEED COUNT SECONDS. It ends after so many flows or, where
// that is 0, so many seconds; exits with 1 at the first difference.
//
//   random-flows restarts SEED COUNT SECONDS   a case that is restarted after each of 100 turns, beside one that
//                                              lives on
//   random-flows kills SEED COUNT SECONDS      durable effects, killed at every place
//   random-flows explore SEED COUNT SECONDS    flows with finitely many states, explored and gone through plainly
//   random-flows types SEED COUNT SECONDS      types, and values that everything has to take or refuse alike
//   random-flows show SEED [finite]            prints the flow of a seed
//
// The flows have the seeds SEED, SEED + 1, ... With RANDOM_FLOWS_ALL=1 it goes on behind a difference.

func usage() -> Never {
  print(
    "usage: random-flows restarts|kills|explore|types SEED COUNT SECONDS, or random-flows show SEED"
  )
  exit(64)
}

let arguments = CommandLine.arguments.dropFirst()
let numbers = arguments.dropFirst().compactMap { UInt64($0) }
guard let kind = arguments.first, let seed = numbers.first else { usage() }
if kind == "show" {
  let isFinite = arguments.last == "finite"
  let random = RandomFlow(seed: seed, isFinite ? .finite : .varied(seed))
  print(random.text + random.properties)
  exit(0)
}
guard numbers.count == 3, ["restarts", "kills", "explore", "types"].contains(kind) else { usage() }
let (count, seconds) = (numbers[1], numbers[2])

let clock = ContinuousClock()
let start = clock.now
var restarts = RestartedCase.Count()
var kills = KilledCase.Count()
var explored = ExploredCase.Count()
var crossed = TypeCrossing.Count()
var number: UInt64 = 0
var hasFound = false
while count > 0 ? number < count : clock.now - start < .seconds(Int64(seconds)) {
  let seed = seed &+ number
  do {
    switch kind {
    case "restarts": try RestartedCase.play(seed: seed, turns: 100, &restarts)
    case "kills": try KilledCase.play(seed: seed, turns: 12, &kills)
    case "types": try TypeCrossing.play(seed: seed, &crossed)
    default: try ExploredCase.play(seed: seed, &explored)
    }
  } catch {
    print("\(error)")
    if getenv("RANDOM_FLOWS_ALL") == nil { exit(1) }
    hasFound = true
  }
  number += 1
}
switch kind {
case "restarts": print(restarts)
case "kills": print(kills)
case "types": print(crossed)
default: print(explored)
}
if hasFound { exit(1) }
