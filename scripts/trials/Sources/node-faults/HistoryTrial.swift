import Histories
import JournalRows
import Platform

/// Three nodes are asked about one case at once, again and again, while one of them after the other is stopped past
/// its leases, or killed: what they answer has to fit one order.
final class HistoryTrial: @unchecked Sendable {
  private struct State {
    var nodes: [NodeProcess] = []
    var next = 0
    var (asked, unanswered, movedOn) = (0, 0, 0)
    /// Until when the workers go on.
    var isOver = false
    var working = 0
    var wrong: String?
  }

  private let trial: Trial
  private let state = Monitor(State())
  private static let lease = 700
  private static let renewal = 150
  private static let steps = 4
  private static let atOnce = 8

  init(_ trial: Trial) { self.trial = trial }

  func run(_ count: Int) throws {
    let nodes = try trial.start(
      3, .till, lease: HistoryTrial.lease, renewal: HistoryTrial.renewal)
    state.with { ($0.nodes, $0.working) = (nodes, HistoryTrial.atOnce) }
    for _ in 0..<HistoryTrial.atOnce {
      guard SystemThread.start({ self.work(count) }) else { throw CheckFailure("no threads") }
    }
    var (stops, kills) = (0, 0)
    // The first is killed at once, so that few histories have it too.
    while state.wait(
      milliseconds: kills == 0 ? 50 : .random(in: 100...1_500),
      for: { $0.working == 0 ? () : nil }) == nil
    {
      let place = Int.random(in: 0..<3)
      let node = state.with { $0.nodes[place] }
      if (stops + kills) % 4 == 0 {
        kills += 1
        node.end()
        let new = try trial.start(
          .till, lease: HistoryTrial.lease, renewal: HistoryTrial.renewal)
        state.with { $0.nodes[place] = new }
      } else {
        stops += 1
        node.stop()
        usleep(UInt32(HistoryTrial.lease + .random(in: 100...400)) * 1_000)
        node.goOn()
      }
    }
    let found = state.with { $0 }
    if let wrong = found.wrong { throw CheckFailure(wrong) }
    try trial.verify()
    print(
      "\(found.next) histories of 3 nodes fit one order: \(found.asked) questions, \(found.unanswered) of them never answered; "
        + "\(stops) times a node was stopped past its leases and \(kills) times killed, and \(found.movedOn) of the cases changed hands"
    )
    try CheckFailure.unless(found.movedOn > 0, "so nothing was tried")
  }

  private func work(_ count: Int) {
    while true {
      let number = state.with { state -> Int? in
        // A few histories may all be over before a node is stopped: they go on until a case has changed hands.
        let isEnough = state.next >= count && (state.movedOn > 0 || state.next >= 100 * count)
        if state.wrong != nil || isEnough { return nil }
        state.next += 1
        return state.next
      }
      guard let number else { break }
      do {
        try play(number)
      } catch {
        state.with { $0.wrong = $0.wrong ?? "history \(number): \(error)" }
      }
    }
    state.with(waking: true) { $0.working -= 1 }
  }

  private func play(_ number: Int) throws {
    let id = "h-\(number)"
    var nodes: [NodeProcess] = []
    // Whoever is asked to make it may be killed before it answers.
    for attempt in 0... {
      nodes = state.with { $0.nodes }
      let maker = nodes[(number + attempt) % 3]
      maker.waitForEnd(of: maker.begin("create \(id)"))
      if try trial.store.summary(of: id) != nil { break }
      try CheckFailure.unless(attempt < 20, "the case cannot be made")
    }
    let begun = nodes.enumerated().map { place, node in
      let first = (number * 3 + place) * HistoryTrial.steps
      return (node, node.begin("history \(id) \(first) \(HistoryTrial.steps)"))
    }
    for (node, number) in begun { node.waitForEnd(of: number) }
    let history = nodes.flatMap { HistoryTrial.history($0.takeTold(of: id)) }
    if let fault = try Till.fault(of: history) {
      let lines = history.sorted { $0.begin < $1.begin }.map {
        "  \($0.begin)...\($0.end ?? 0) \($0.question): \($0.answer.map { "\($0)" } ?? "?")"
      }
      throw CheckFailure("\(fault)\n\(lines.joined(separator: "\n"))")
    }
    let fence = try trial.store.fence(of: id) ?? 0
    state.with { state in
      state.asked += history.count
      state.unanswered += history.count { $0.end == nil }
      if fence > 1 { state.movedOn += 1 }
    }
  }

  /// Parses the lines of a node: `asks NUMBER TIME`, then `told NUMBER TIME ANSWER`, unless the node was killed.
  private static func history(_ told: [[String]]) -> Till.History {
    told.filter { $0[0] == "asks" }.map { words in
      let answer = told.first { $0[0] == "told" && $0[1] == words[1] }
      return Operation(
        begin: Int(words[2]) ?? 0, end: answer.flatMap { Int($0[2]) },
        question: Till.Question(number: Int(words[1]) ?? 0), answer: answer.flatMap(Self.answer))
    }
  }

  private static func answer(_ words: [String]) -> Till.Answer? {
    switch words[3] {
    case "passed": Int(words[4]).map { .passed($0) }
    case "seen": Int(words[4]).map { .seen($0, asOf: Int(words[5]) ?? -1) }
    default: .refused
    }
  }
}
