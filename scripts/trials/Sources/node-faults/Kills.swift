import Platform

/// Nodes are killed while they are asked: others have to serve their cases no later than a second after the leases
/// have expired, with all that was acknowledged, and with what was asked by a key once.
struct Kills {
  private let trial: Trial
  private let lease: Int
  private let renewal: Int
  private static let cases = 8

  /// - Parameter lease: for how long leases hold, in milliseconds.
  init(_ trial: Trial, lease: Int, renewal: Int) {
    (self.trial, self.lease, self.renewal) = (trial, lease, renewal)
  }

  func run(_ rounds: Int) throws {
    for count in [2, 4] {
      var nodes = try trial.start(count, .work, lease: lease, renewal: renewal)
      var times = Times()
      for _ in 0..<rounds {
        let victim = nodes.remove(at: .random(in: nodes.indices))
        try round(victim, nodes, &times)
        nodes.append(try trial.start(.work, lease: lease, renewal: renewal))
        try trial.settle(nodes)
      }
      for node in nodes { node.end() }
      print(
        "\(count) nodes, leases of \(lease) ms: \(rounds) killed, each with \(Kills.cases) cases; all of these served by "
          + "others after \(times.median) ms (median), \(times.longest) ms at most; none of \(rounds * Kills.cases * 5) dispatches lost or done twice"
      )
      try CheckFailure.unless(
        times.longest <= lease + 1_000, "that is more than the lease and a second")
    }
    try trial.verify()
  }

  private func round(
    _ victim: NodeProcess, _ others: [NodeProcess], _ times: inout Times
  ) throws {
    let ids = try trial.ids(Kills.cases, heldBy: victim)
    for (id, other) in zip(ids, cycle(others)) {
      try other.ask("create \(id)")
      for number in 1...3 {
        try expect(
          try (number == 2 ? other : victim).ask("do \(id) add k\(number)"), number, of: id)
      }
    }
    // Under way when it ends: whether it is done then, nobody is told.
    for id in ids { _ = victim.begin("do \(id) add k4") }
    usleep(.random(in: 0..<5_000))
    let killed = now()
    victim.end()
    let asked = zip(ids, cycle(others)).map { ($0, $1, $1.begin("do \($0) add k4")) }
    for (id, other, number) in asked {
      let answer = try other.answer(to: number)
      try expect(answer, 4, of: id)
      times.add(nanoseconds: (Int(answer[2]) ?? .max) - killed)
    }
    for (id, other, _) in asked {
      try expect(try other.ask("do \(id) add k5"), 5, of: id)
      let counts = try other.ask("counts \(id)")
      try CheckFailure.unless(counts == ["5", "5", "0", "0", "0"], "\(id) has come to \(counts)")
    }
  }

  private func expect(_ answer: [String], _ revision: Int, of id: String) throws {
    try CheckFailure.unless(
      answer.count == 3 && answer[..<2] == ["passed", "\(revision)"],
      "\(id), of which \(revision) was to be dispatched next: \(answer.joined(separator: " "))")
  }

  private func cycle(_ nodes: [NodeProcess]) -> [NodeProcess] {
    (0..<Kills.cases).map { nodes[$0 % nodes.count] }
  }
}
