import FlowPostgres
import Histories
import JournalRows
import Moonlatch
import Platform

/// One of the processes that serve cases together.
///
/// It does what lines of its input say, all at once, until that ends:
/// each `NUMBER WHAT...` is answered by `= NUMBER ANSWER...`, and what it has to tell of a case by itself is a line
/// `- CASE WORDS...`.
final class Node: Sendable {
  private let store: HeldStore
  private let cases: Cases
  private let works: Works
  private static let output = Monitor(())

  /// Calls of the flow's capabilities that are under way until they are let go on.
  private final class Works: Sendable {
    private let finished = Monitor<Set<String>>([])
    private let rings = Monitor(0)

    func finish(_ id: String) { finished.with { _ = $0.insert(id) } }
    func ring() { rings.with { $0 += 1 } }
    var rang: Int { rings.with { $0 } }

    func work(_ call: CallID, _ what: String) async throws {
      Node.tell("- \(call.case) \(what) \(call)")
      while !finished.with({ $0.contains(call.case) }) {
        try await Task.sleep(for: .milliseconds(5))
      }
    }
  }

  static func tell(_ line: String) {
    let bytes = Array((line.split(separator: "\n").joined(separator: " ") + "\n").utf8)
    output.with { _ in _ = write(STDOUT_FILENO, bytes, bytes.count) }
  }

  /// - Parameter words: NAME URL SCHEMA FLOW LEASE RENEWAL AWAKE, times in milliseconds.
  static func run(_ words: [String]) -> Never {
    do {
      let node = try Node(words)
      tell("= 0 ready")
      while let line = readLine() {
        let words = line.split(separator: " ").map(String.init)
        Task { await node.obey(words[0], Array(words[1...])) }
      }
    } catch {
      tell("\(error)")
      exit(1)
    }
    _exit(0)
  }

  private init(_ words: [String]) throws {
    guard words.count == 7, let flow = ProofFlow(rawValue: words[3]), let lease = Int(words[4]),
      let renewal = Int(words[5]), let awake = Int(words[6])
    else { throw CheckFailure("usage: node NAME URL SCHEMA FLOW LEASE RENEWAL AWAKE") }
    var node = NodeOptions()
    node.name = words[0]
    (node.lease, node.renewal) = (.milliseconds(lease), .milliseconds(renewal))
    node.looks = .milliseconds(5)
    let works = Works()
    let store = HeldStore(try PostgresJournal(words[1], schema: words[2])) {
      Node.tell("- \($0) held")
    }
    let options = HostOptions(report: { Node.tell("\($0)") })
    (self.store, self.works) = (store, works)
    cases = try CallerThread.run { [node] in
      try await Cases(
        of: flow.load(), in: store, options: options, maximumActive: awake, node: node
      ) { scopes in
        switch flow {
        case .till: break
        case .work: scopes.root.provide("work", works.work)
        case .timer: scopes.root.provide("rang") { works.ring() }
        }
      }
    }
  }

  private func obey(_ number: String, _ words: [String]) async {
    do {
      Node.tell("= \(number) \(try await answer(words))")
    } catch {
      Node.tell("= \(number) error \(error)")
    }
  }

  private func answer(_ words: [String]) async throws -> String {
    let id = words.count > 1 ? words[1] : ""
    switch (words[0], words.count) {
    case ("create", 2): try await create(id)
    case ("do", 4):
      let outcome = try await cases[id].dispatch(words[2], key: words[3])
      return "passed \(try outcome.get().revision) \(now())"
    case ("counts", 2):
      let counts = try await cases[id].view("counts", fresh: true)
      let numbers = (counts.value.listValue ?? []).map { "\($0.integerValue ?? -1)" }
      return "\(counts.asOf) \(numbers.joined(separator: " "))"
    case ("hold", 2): store.hold(id)
    case ("free", 2):
      let found = store.free(id)
      return "\(found.kept) \(found.refused)"
    case ("finish", 2): works.finish(id)
    case ("history", 4):
      guard let first = Int(words[2]), let steps = Int(words[3]) else { fallthrough }
      await history(of: id, first, steps)
    case ("make", 3):
      guard let first = Int(words[1]), let count = Int(words[2]) else { fallthrough }
      try await all(first..<(first + count)) { try await self.create($0) }
    case ("set", 4):
      guard let due = Int(words[1]), let first = Int(words[2]), let count = Int(words[3]) else {
        fallthrough
      }
      try await all(first..<(first + count)) { [cases] id in
        let wait = Double(max(1, due - EngineTime.wall())) / 1e6
        try await cases[id].dispatch("set", ["wait": .number(wait)], key: "s").get()
      }
    case ("rang", 1): return "\(works.rang)"
    default: throw CheckFailure("a node cannot do \(words)")
    }
    return "done"
  }

  /// Creates a case; a caller that received no answer can call this again.
  private func create(_ id: String) async throws {
    do {
      try await cases.create(id)
    } catch let error as JournalError where error.kind == .knownCase {}
  }

  /// Asks a case one thing after the other, and tells when each was asked and answered.
  ///
  /// A failed request is sent again, as any client that has a key does.
  private func history(of id: String, _ first: Int, _ steps: Int) async {
    for number in first..<(first + steps) {
      let question = Till.Question(number: number)
      Node.tell("- \(id) asks \(number) \(now())")
      var answer: Till.Answer?
      while answer == nil {
        answer = try? await Till.ask(question, of: cases[id], key: "\(number)")
      }
      let text =
        switch answer {
        case .passed(let revision): "passed \(revision)"
        case .seen(let value, let revision): "seen \(value) \(revision)"
        default: "refused"
        }
      Node.tell("- \(id) told \(number) \(now()) \(text)")
    }
  }

  /// Does something with the cases of timers, with some at once.
  private func all(
    _ numbers: Range<Int>, _ body: @escaping @Sendable (String) async throws -> Void
  ) async throws {
    try await withThrowingTaskGroup { group in
      let width = 64
      for start in 0..<width {
        group.addTask {
          for number in numbers where number % width == start { try await body("t-\(number)") }
        }
      }
      try await group.waitForAll()
    }
  }
}
