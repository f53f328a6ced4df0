import LuaRuntime
import Testing

@testable import FlowHosting
@testable import FlowKernel

/// A case whose effects open tasks, with the rows that its journal has of them.
final class TaskHost {
  private(set) var journal = MemoryJournal()
  private(set) var host: FlowHost
  let reports = Trial.Lines()
  private let flow: String
  private let limits: Limits

  init(
    _ flow: String, limits: Limits = Limits(), keepsTranscript: Bool = false,
    tasks: [String: TaskCapability] = TaskCapability.ofTests
  ) throws {
    (self.flow, self.limits) = (flow, limits)
    host = try TaskHost.host(
      flow, limits, journal, tasks, reports, keepsTranscript: keepsTranscript)
  }

  /// The process ends, and another goes on, whose host lends other capabilities.
  func restart(_ tasks: [String: TaskCapability] = TaskCapability.ofTests) throws {
    journal = journal.restarted()
    host = try TaskHost.host(flow, limits, journal, tasks, reports)
  }

  private static func host(
    _ flow: String, _ limits: Limits, _ journal: MemoryJournal,
    _ tasks: [String: TaskCapability], _ reports: Trial.Lines, keepsTranscript: Bool = false
  ) throws -> FlowHost {
    try FlowHost(
      LoadedFlow(source: flow, name: "f.lua"), journal: journal, case: "c",
      options: HostOptions(
        limits: limits, clock: .virtual, keepsTranscript: keepsTranscript,
        report: { reports.add("\($0)") })
    ) { scopes in
      for (name, task) in tasks { scopes.root.provide(name, task) }
    }
  }

  // MARK: The case

  @discardableResult
  func play(_ action: String = "go", _ payload: Value = [:]) throws -> Outcome {
    try host.dispatch(action, payload)
  }

  func advance(_ seconds: Double) throws { try host.advance(seconds) }

  func undo() throws { try host.undo() }

  func go(to revision: Int) throws { try host.go(to: revision) }

  func reset() throws { try host.reload(to: LoadedFlow(source: flow, name: "f.lua"), .reset) }

  /// Replays the case with its flow, or with another text of it, and returns the first difference.
  @discardableResult
  func replay(_ text: String? = nil) throws -> Transcript.Difference? {
    try host.reload(to: LoadedFlow(source: text ?? flow, name: "f.lua"), .replay)
  }

  /// The notes of the effects, and what they failed with.
  var log: [String] {
    get throws { try host.state()["log"]?.listValue?.compactMap(\.stringValue) ?? [] }
  }

  /// Answers the open task of a call at a position.
  ///
  /// - Returns: false if no effect waits for it.
  @discardableResult
  func answer(_ outcome: TaskOutcome, at position: String = "1") async throws -> Bool {
    let row = try #require(rows().first { $0.task.position == position })
    return try await host.answer(row.task.key, with: outcome)
  }

  // MARK: The rows

  /// Returns the rows that a query matches; by default the open ones.
  func rows(_ query: TaskQuery = TaskQuery()) throws -> [StoredTask] {
    try journal.readingTasks { (rows) throws(JournalError) in try rows.list(query) }
  }

  /// The open tasks: name, position and try of each.
  var open: [String] {
    get throws {
      try rows().map { "\($0.task.name) \($0.task.position) #\($0.task.tryNumber)" }
    }
  }

  /// Gives a free task to a worker.
  func claim(_ queue: String = "jobs") throws -> StoredTask? {
    let claim = TaskClaim(queues: [queue], most: 1, worker: "one")
    return try journal.withTasks(at: EngineTime.wall()) { (table) throws(JournalError) in
      try table.claim(claim)
    }.first
  }
}

extension TaskHost {
  /// A flow whose effect of `go` notes what it learns.
  static func flow(_ effect: String, isDurable: Bool = true, more: String = "") -> String {
    """
    state { log = list {} }
    action.go {}
    internal.note { text = string }
    internal.failed { error = string }
    function reduce.note(s, a) table.insert(s.log, a.text) end
    function reduce.failed(s, a) table.insert(s.log, "failed " .. a.error) end
    local function note(value) dispatch.note { text = tostring(value) } end
    local function noteError(f) local ok, e = pcall(f) note(ok and "fine" or e) end
    effect.go = { durable = \(isDurable), on_error = "failed", run = function(self)
    \(effect)
    end }
    \(more)
    """
  }
}

extension TaskCapability {
  /// The error of a call with a wrong argument.
  struct WrongArgument: Error, CustomStringConvertible {
    var description: String { "the first argument is wrong" }
  }

  /// A capability that workers perform; its first argument must not be `"wrong"`.
  static func worker(
    _ queue: String, timeout: Int? = nil, lease: Int = 60_000_000, attempts: Int = 20,
    refuses: Bool = false
  ) -> TaskCapability {
    TaskCapability(
      kind: .worker, queue: queue, timeout: timeout, lease: lease, attempts: attempts,
      arguments: { values in
        if refuses || values.first == "wrong" { throw WrongArgument() }
        return .list(values)
      })
  }

  /// The capabilities that tests lend: `job` of the queue `jobs`, and `other` of the queue `others`.
  static var ofTests: [String: TaskCapability] {
    ["job": .worker("jobs"), "other": .worker("others")]
  }
}

extension TaskOutcome {
  /// A failure with this message.
  static func failed(
    _ message: String, isFinal: Bool = false, status: Int? = nil, after: Double? = nil
  ) -> TaskOutcome {
    .failure(CallFailure(message: message, isFinal: isFinal, status: status, after: after))
  }
}
