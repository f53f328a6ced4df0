import Dispatch
import JournalTesting
import LuaRuntime
import Platform
import Synchronization
import Testing

@testable import FlowCases
@testable import FlowHosting
@testable import FlowKernel

/// Calls of a journal that may block.
@Suite(.timeLimit(.minutes(2))) struct JournalCallsTests {
  private static let flow = """
    state { n = 0, text = "" }
    action.bump {}
    action.write { text = string }
    function reduce.bump(s) s.n = s.n + 1 end
    function reduce.write(s, a) s.text = a.text end
    function view.n(s) return s.n end
    """

  private func cases(in journal: any JournalStorage) async throws -> Cases {
    try await Cases(
      of: LoadedFlow(source: Self.flow), in: journal,
      options: HostOptions(clock: .virtual, report: { _ in }))
  }

  /// Something that makes the journal be called in that way for a case, whatever else it does.
  private static func use(_ call: BlockedJournal.Call, _ cases: Cases, _ id: String) async throws {
    switch call {
    case .identify, .keep, .flow, .activate: _ = try await cases[id].view("n")
    case .append: try await cases[id].dispatch("bump")
    case .snapshot:
      let text = Value.string(String(repeating: "x", count: 40_000))
      try await cases[id].dispatch("write", ["text": text])
      try await cases[id].dispatch("bump")
    case .answer: try await cases[id].dispatch("bump", key: "k")
    case .entries: for try await _ in cases[id].entries() { break }
    case .cases: _ = try await cases.list()
    case .summary: _ = try await cases[id].summary()
    case .due: _ = try await cases.due(since: 0, limit: 1)
    case .nextDue: _ = try await cases.calls.call { try await $0.nextDue(after: 0) }
    }
  }

  @Test(
    "other cases make progress while a call of the journal blocks",
    arguments: BlockedJournal.Call.allCases)
  func blocked(call: BlockedJournal.Call) async throws {
    let journal = BlockedJournal()
    let first = try await cases(in: journal)
    for id in ["asleep", "other"] { try await first.create(id) }
    try await first.close()
    let cases = try await cases(in: journal)
    // The others are awake; "asleep" is still to be woken.
    _ = try await cases["other"].view("n")
    if [.append, .snapshot, .answer].contains(call) { _ = try await cases["asleep"].view("n") }
    let named: [BlockedJournal.Call] = [.activate, .append, .snapshot, .answer, .entries, .summary]
    journal.block(call, of: named.contains(call) ? "asleep" : nil)
    // As many as there are threads in Swift's pool, and more.
    let stuck = (0..<8).map { _ in Task { try await Self.use(call, cases, "asleep") } }
    while journal.waiting == 0 { await Task.yield() }
    #expect(try await cases["other"].view("n") == 0)
    if ![.identify, .keep, .flow].contains(call) { try await cases["other"].dispatch("bump") }
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<8 { group.addTask { await Task.yield() } }
    }
    let release = Task.detached {
      while !Task.isCancelled {
        journal.release()
        await Task.yield()
      }
    }
    for task in stuck { _ = await task.result }
    try await cases.close()
    release.cancel()
    await release.value
  }

  @Test("a call of the journal that times out fails, and the next one is made")
  func late() async throws {
    let journal = BlockedJournal()
    let calls = JournalCalls(journal, timeLimit: .milliseconds(20))
    journal.block(.summary)
    let error = await #expect(throws: JournalError.self) {
      try await calls.call { try await $0.summary(of: "a") }
    }
    #expect(error?.kind == .failed)
    #expect(error?.description.contains("has not answered within") == true)
    #expect(try await calls.call { try await $0.nextDue(after: 0) } == nil)
    journal.release()
  }

  @Test("entries of a case are added in order, however many threads call the journal")
  func order() async throws {
    let journal = BlockedJournal()
    let cases = try await cases(in: journal)
    try await cases.create("a")
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<100 { group.addTask { try await cases["a"].dispatch("bump") } }
      try await group.waitForAll()
    }
    #expect(try await cases["a"].view("n") == 100)
    #expect(try journal.entries(of: "a", from: 1, limit: 200).count == 101)
    try await cases.close()
  }

  @Test("synchronous code calls the journal on its own thread")
  func ownThread() throws {
    let calls = JournalCalls(MemoryJournal())
    let here = pthread_self()
    #expect(try calls.wait { _ in pthread_equal(pthread_self(), here) != 0 })
  }

  private static let calling = """
    state { n = 0 }
    action.go {}
    internal.done {}
    function reduce.done(s) s.n = s.n + 1 end
    function effect.go(self) self:now() dispatch.done() end
    function view.n(s) return s.n end
    """

  /// Cases whose capability answers at once, or is awaited.
  private func calling(_ journal: any JournalStorage, isAsync: Bool) async throws -> Cases {
    try await Cases(
      of: LoadedFlow(source: Self.calling), in: journal, options: HostOptions(report: { _ in })
    ) {
      if isAsync {
        $0.root.provide("now") { () async throws in }
      } else {
        $0.root.provide("now") { () throws in }
      }
    }
  }

  @Test(
    "synchronous and asynchronous capabilities wait for a journal that completes from tasks",
    arguments: [true, false])
  func midway(isAsync: Bool) async throws {
    let journal = BlockedJournal()
    journal.completeFromTasks()
    let cases = try await calling(journal, isAsync: isAsync)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<32 {
        group.addTask {
          try await cases.create("c\(number)")
          try await cases["c\(number)"].dispatch("go")
        }
      }
      try await group.waitForAll()
    }
    for number in 0..<32 {
      while try await cases["c\(number)"].view("n") != 1 { await Task.yield() }
    }
    try await cases.close()
  }

  @Test(
    "turns that wait for the journal before calling a capability block no thread of the pool",
    arguments: [true, false])
  func blockedMidway(isAsync: Bool) async throws {
    let journal = BlockedJournal()
    let cases = try await calling(journal, isAsync: isAsync)
    for number in 0..<12 { try await cases.create("c\(number)") }
    journal.block(.append)
    let tasks = (0..<12).map { number in Task { try await cases["c\(number)"].dispatch("go") } }
    while journal.waiting < 12 { await Task.yield() }
    for _ in 0..<20 { await Task.detached { await Task.yield() }.value }
    #expect(try await cases.list().count == 12)
    journal.release()
    for task in tasks { #expect(try await task.value.isPassed) }
    for number in 0..<12 {
      while try await cases["c\(number)"].view("n") != 1 { await Task.yield() }
    }
    try await cases.close()
  }

  @Test("tasks and threads that dispatch to one host wait for its journal, and lose nothing")
  func oneHost() async throws {
    let journal = BlockedJournal()
    journal.completeFromTasks()
    let host = try FlowHost(
      LoadedFlow(source: Self.flow), journal: journal,
      options: HostOptions(clock: .virtual, report: { _ in }))
    try await withThrowingTaskGroup(of: Void.self) { group in
      for client in 0..<16 {
        group.addTask {
          for _ in 0..<10 {
            if client % 2 == 0 {
              try await host.dispatch("bump")
            } else {
              try await host.dispatchAndWait("bump")
            }
          }
        }
      }
      group.addTask {
        await withCheckedContinuation { continuation in
          DispatchQueue(label: "one host").async {
            for _ in 0..<10 { _ = try? host.dispatch("bump") }
            continuation.resume()
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try await host.view("n") == 170)
    try await host.stop()
    #expect(try journal.entries(of: "main", from: 1, limit: 999).last?.revision == 170)
  }
}
