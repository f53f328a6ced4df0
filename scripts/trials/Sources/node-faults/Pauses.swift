import Platform

/// A node that holds cases is stopped past its leases, with effects under way and an entry about to be added; when it goes
/// on, that entry has to be refused, and nothing may have been lost or be done twice.
struct Pauses {
  private let trial: Trial
  private static let lease = 1_000
  private static let asked = 6

  init(_ trial: Trial) { self.trial = trial }

  func run(_ rounds: Int) throws {
    let nodes = try trial.start(2, .work, lease: Pauses.lease, renewal: 200)
    var (refused, answered) = (0, 0)
    var times = Times()
    for round in 0..<rounds {
      let found = try pause(nodes[round % 2], for: nodes[1 - round % 2], &times)
      refused += found.refused
      answered += found.answered
      try trial.settle(nodes)
    }
    try trial.verify()
    print(
      "\(rounds) times stopped past leases of \(Pauses.lease) ms, with a durable and a plain effect under way in two cases "
        + "each: the other served them \(times.median) ms (median) after, \(times.longest) ms at most; \(refused) entries that the "
        + "stopped one was about to add refused, none kept; of \(answered) dispatches none lost or done twice, each "
        + "durable effect done once by the same id, each plain one cut off"
    )
    try CheckFailure.unless(
      times.longest <= Pauses.lease + 1_000, "that is more than the lease and a second")
  }

  private func pause(
    _ owner: NodeProcess, for other: NodeProcess, _ times: inout Times
  ) throws -> (refused: Int, answered: Int) {
    let ids = try trial.ids(2, heldBy: owner)
    let (held, busy) = (ids[0], ids[1])
    var calls: [String: String] = [:]
    for id in ids {
      try owner.ask("create \(id)")
      for action in ["charge", "send"] {
        try owner.ask("do \(id) \(action) \(action)")
        calls["\(id) \(action)"] = try owner.hears(action, of: id)[1]
      }
    }
    // In one case the entry waits in the process; in the other it is where it happens to be.
    try owner.ask("hold \(held)")
    var pending = [owner.begin("do \(held) add h")]
    _ = try owner.hears("held", of: held)
    for number in 1...Pauses.asked { pending.append(owner.begin("do \(busy) add k\(number)")) }
    usleep(.random(in: 0..<8_000))
    let stopped = now()
    owner.stop()

    var revisions: [String: [String]] = [:]
    for (id, number) in ids.map({ ($0, other.begin("do \($0) add b")) }) {
      let answer = try passed(other.answer(to: number), id)
      revisions[id, default: []].append(answer[1])
      times.add(nanoseconds: (Int(answer[2]) ?? .max) - stopped)
    }
    for id in ids {
      let call = try other.hears("charge", of: id)[1]
      try CheckFailure.unless(
        call == calls["\(id) charge"], "\(id): called as \(call), not \(calls)")
      try other.ask("finish \(id)")
    }

    // It goes on with what it had under way, before it can know.
    let free = owner.begin("free \(held)")
    for id in ids { _ = owner.begin("finish \(id)") }
    owner.goOn()
    let outcome = try owner.answer(to: free)
    try CheckFailure.unless(
      outcome[0] == "0" && Int(outcome[1]) ?? 0 > 0,
      "\(held): of what was about to be added \(outcome[0]) were kept, \(outcome[1]) refused")
    for (place, number) in pending.enumerated() {
      let id = place == 0 ? held : busy
      revisions[id, default: []].append(try passed(owner.answer(to: number), id)[1])
    }
    for id in ids { try check(id, revisions[id] ?? [], other) }
    return (Int(outcome[1]) ?? 0, pending.count + 2 * 3)
  }

  private func check(_ id: String, _ told: [String], _ node: NodeProcess) throws {
    try CheckFailure.unless(Set(told).count == told.count, "\(id): two were told the same: \(told)")
    // charge, send, lost and charged beside what was asked; the durable effect may still be about to end.
    let expected = ["\(told.count + 4)", "\(told.count)", "1", "0", "1"]
    var counts: [String] = []
    for _ in 0..<200 {
      counts = try node.ask("counts \(id)")
      if counts == expected { break }
      usleep(10_000)
    }
    try CheckFailure.unless(
      counts == expected,
      "\(id): revision, n, charged, sent and lost are \(counts) in place of \(expected)")
  }

  private func passed(_ answer: [String], _ id: String) throws -> [String] {
    try CheckFailure.unless(
      answer.count == 3 && answer[0] == "passed", "\(id): \(answer.joined(separator: " "))")
    return answer
  }
}
