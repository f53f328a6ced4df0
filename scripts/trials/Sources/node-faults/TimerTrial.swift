import JournalRows
import Moonlatch
import Platform

/// Timers of cases that sleep come due at once, and four nodes see to them: each has to fire once, also where one of
/// the nodes is killed meanwhile.
struct TimerTrial {
  private let trial: Trial

  init(_ trial: Trial) { self.trial = trial }

  func run(_ count: Int) throws {
    let nodes = try trial.start(4, .timer, lease: 5_000, renewal: 500, awake: 100)
    let begun = EngineTime.wall()
    try all(nodes, "make", count)
    // As much as setting them may take, by what making them took.
    let due = EngineTime.wall() + 3 * (EngineTime.wall() - begun) + 4_000_000
    try all(nodes, "set \(due)", count)
    let early = due - EngineTime.wall()
    try CheckFailure.unless(
      early > 0, "the timers were due \(-early / 1_000) ms before all were set")
    while EngineTime.wall() < due { usleep(10_000) }
    let begin = now()
    while try !trial.store.due(until: .max, limit: 1).isEmpty {
      try CheckFailure.unless(
        now() - begin < 300_000_000_000, "after five minutes some are still due")
      usleep(50_000)
    }
    let took = (now() - begin) / 1_000_000
    try check(count)
    let rang = try begunEffects(of: nodes, atLeast: count)
    try CheckFailure.unless(rang.reduce(0, +) == count, "of \(count) effects \(rang) have begun")
    print(
      "\(count) timers due at once, \(early / 1_000) ms after the last was set: each fired once, all within \(took) ms, by the nodes \(rang.map(String.init).joined(separator: " + "))"
    )
  }

  /// The number of effects that each node has begun.
  ///
  /// An effect begins after the entry of its timer was committed. So the last ones are waited for, ten seconds at most.
  private func begunEffects(of nodes: [NodeProcess], atLeast count: Int) throws -> [Int] {
    let begin = now()
    while true {
      let rang = try nodes.map { node in Int(try node.ask("rang")[0]) ?? -1 }
      if rang.reduce(0, +) >= count || now() - begin > 10_000_000_000 { return rang }
      usleep(50_000)
    }
  }

  /// Has each node do something with its part of the cases.
  private func all(_ nodes: [NodeProcess], _ command: String, _ count: Int) throws {
    let part = (count + nodes.count - 1) / nodes.count
    let begun = nodes.enumerated().map { place, node in
      let first = min(place * part, count)
      return (node, node.begin("\(command) \(first) \(min(part, count - first))"))
    }
    for (node, number) in begun {
      let answer = try node.answer(to: number, seconds: 600)
      try CheckFailure.unless(answer == ["done"], "\(node.name): \(answer.joined(separator: " "))")
    }
  }

  private func check(_ count: Int) throws {
    var (found, after): (Int, String?) = (0, nil)
    while true {
      let some = try trial.store.cases(whose: nil, after: after, limit: 1_000)
      if some.isEmpty { break }
      for one in some {
        // Set, and rung.
        try CheckFailure.unless(
          one.revision == 2, "\(one.id): its timer has fired \(one.revision - 1) times")
      }
      (found, after) = (found + some.count, some.last?.id)
    }
    try CheckFailure.unless(found == count, "of \(count) cases there are \(found)")
    try trial.verify()
  }
}
