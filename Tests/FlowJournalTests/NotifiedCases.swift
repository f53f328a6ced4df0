import FlowCases
import FlowHosting
import FlowKernel
import FlowLanguage
import LuaRuntime
import StateBlocks
import Platform

@testable import FlowJournal

/// Cases with the notification `erp`, whose events a test answers, and with a wall clock that is set by hand.
final class NotifiedCases: Sendable {
  enum Kind: CaseIterable, Sendable { case memory, file }

  /// A wall clock, in microseconds since 1970.
  final class Wall: Sendable {
    private let time = Mutex(1_700_000_000_000_000)
    var now: Int { time.withLock { $0 } }
    func move(_ seconds: Int) { time.withLock { $0 += seconds * 1_000_000 } }
  }

  /// A receiver of events, each of which waits until the test ends it.
  final class Receiver: Sendable {
    struct Request: Sendable {
      let event: PerformedTask
      fileprivate let outcome = Promise<PerformedOutcome>()

      var id: String { event.task.call }
      var body: Value { event.task.arguments }
      func end(_ outcome: PerformedOutcome) { self.outcome.fulfill(outcome) }
      func accept() { end(.answered(.answer(.nil))) }
      func fail(after: Double? = nil) {
        end(.answered(.failure(CallFailure(message: "503", isFinal: false, after: after))))
      }
    }

    private let requests = Mutex<[Request]>([])
    private let accepts: Bool

    /// Makes a receiver; one that accepts all events ends them itself.
    init(accepts: Bool = false) { self.accepts = accepts }

    var all: [Request] { requests.withLock { $0 } }

    /// Returns a request by its number, from 0 on, once it is there.
    func request(_ number: Int) async -> Request {
      while true {
        let all = all
        if all.count > number { return all[number] }
        await Task.yield()
      }
    }

    func perform(_ event: PerformedTask) async -> PerformedOutcome {
      let request = Request(event: event)
      requests.withLock { $0.append(request) }
      if accepts { request.accept() }
      return await withTaskCancellationHandler {
        await request.outcome.value
      } onCancel: {
        request.end(.interrupted)
      }
    }
  }

  static let flow = """
    state { cents = 0 }
    action.paid { cents = integer }
    action.other {}
    action.close {}
    machine.bill { initial = "due", due = { close = "closed" }, closed = {} }
    function reduce.paid(s, a) s.cents = s.cents + a.cents end
    function view.status(s) return s.cents end
    """

  let cases: Cases
  let journal: any JournalStorage
  let receiver: Receiver
  let wall: Wall
  private let folder = Folder()

  init(
    _ kind: Kind = .memory, in journal: (any JournalStorage)? = nil,
    receiver: Receiver = Receiver(), wall: Wall = Wall(),
    rules: NotificationRules = NotificationRules(actions: ["paid"])
  ) async throws {
    (self.receiver, self.wall) = (receiver, wall)
    let file = folder.file()
    let made: any JournalStorage =
      switch kind {
      case .memory: journal ?? MemoryJournal()
      case .file: try journal ?? SQLiteJournal(file: file, durability: .process)
      }
    self.journal = made
    var options = HostOptions(clock: .virtual)
    options.wall = { wall.now }
    let capability = NotifiedCases.capability(rules, receiver)
    cases = try await Cases(
      of: LoadedFlow(source: NotifiedCases.flow, name: "f.lua"), in: made, options: options
    ) { scopes in
      scopes.capabilities.add(notification: "erp", capability)
    }
  }

  private static func capability(
    _ rules: NotificationRules, _ receiver: Receiver
  ) -> TaskCapability {
    .notification(
      "erp", rules,
      by: LocalPerformer(atOnce: 16, timeout: 30_000_000) { await receiver.perform($0) })
  }

  /// Creates a case.
  func create(_ id: String) async throws { _ = try await cases.create(id) }

  func pay(_ cents: Int, in id: String = "a") async throws {
    try await cases[id].dispatch("paid", ["cents": .integer(cents)], by: "ann")
  }

  /// The rows of the notification.
  func rows() async throws -> [StoredTask] { try await cases.tasks.list(TaskQuery()) }

  /// Suspends until the rows have these states.
  func until(_ states: [StoredTask.State]) async throws {
    while try await rows().map(\.state) != states { await Task.yield() }
  }

  /// Moves the clock, and looks for events that are to be tried again.
  func move(_ seconds: Int) async {
    wall.move(seconds)
    await cases.lookForAnswers()
  }
}
