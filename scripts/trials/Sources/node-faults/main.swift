import Platform

// Faults that scripts/faults causes in nodes: processes that serve cases together, on one PostgreSQL. Each proof starts
// its own, in a schema of its own, and ends with 1 if something is not as it was promised:
//
//   node-faults kills URL ROUNDS       kill -9: how soon another serves the cases, and whether anything is lost
//   node-faults renewed URL ROUNDS     the same with leases that hold as long as they do without being asked
//   node-faults pauses URL ROUNDS      SIGSTOP past the lease, with effects under way and an entry about to be added
//   node-faults histories URL COUNT    whether what three nodes answer about a case fits one order
//   node-faults timers URL COUNT       whether each of so many timers, due at once, fires once
//
//   node-faults node ...               one of the nodes: what it is told to do comes in lines

let words = Array(CommandLine.arguments.dropFirst())
if words.first == "node" { Node.run(Array(words.dropFirst())) }
guard words.count == 3, let count = Int(words[2]), count > 0 else {
  print("usage: node-faults kills|renewed|pauses|histories|timers URL COUNT")
  exit(64)
}
NodeProcess.endAllWithThisOne()
do {
  let trial = try Trial(words[1])
  switch words[0] {
  case "kills": try Kills(trial, lease: 1_000, renewal: 250).run(count)
  case "renewed": try Kills(trial, lease: 20_000, renewal: 1_000).run(count)
  case "pauses": try Pauses(trial).run(count)
  case "histories": try HistoryTrial(trial).run(count)
  case "timers": try TimerTrial(trial).run(count)
  default: throw CheckFailure("node-faults: there is no proof \"\(words[0])\"")
  }
  NodeProcess.endAll()
} catch {
  NodeProcess.tellNotes()
  NodeProcess.endAll()
  print("\(error)")
  exit(1)
}
