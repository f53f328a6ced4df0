import Platform
import Testing

@testable import FlowCases
@testable import FlowKernel

/// Requests at another node that have expired, or that it does not know.
@Suite(.timeLimit(.minutes(2))) struct InboxTests {
  private static let counter = """
    state { n = 0 }
    action.add {}
    function reduce.add(s) s.n = s.n + 1 end
    function view.n(s) return s.n end
    """

  /// A node that looks into its inbox when it is told to.
  private func node(
    _ name: String, _ source: String, _ journal: SharedMemoryJournal,
    patience: Duration = .seconds(600)
  ) async throws -> Cases {
    var options = NodeOptions()
    (options.name, options.looks, options.patience) = (name, .milliseconds(1), patience)
    return try await Cases(
      of: LoadedFlow(source: source, name: "order.lua"), in: journal,
      options: HostOptions(clock: .virtual, report: { _ in }), node: options)
  }

  @Test("a dispatch that has expired unstarted is not executed")
  func impatient() async throws {
    let wall = Mutex(1_700_000_000_000_000)
    let journal = SharedMemoryJournal(shards: 1) { wall.withLock { $0 } }
    let owner = try await node("n0", Self.counter, journal, patience: .milliseconds(1))
    let other = try await node("n1", Self.counter, journal, patience: .milliseconds(1))
    try await owner.create("a")
    // Nobody looks into the inbox: who asked gives up, and its node may have died before it took that back.
    await #expect(throws: JournalError.self) { try await other["a"].dispatch("add") }
    let request = InboxDispatch(
      id: "a", key: "n1/99",
      request: CaseRequest.dispatch("add", [:], key: nil, by: nil).value.encoded,
      patience: .milliseconds(1))
    try journal.dispatch(request)
    wall.withLock { $0 += 1_000 }
    for task in await owner.lookIntoInbox() { await task.value }
    #expect(try await owner["a"].view("n") == 0)
    #expect(try journal.takeAnswer(to: request) == nil)
  }

  @Test("a request that an older node does not know can be repeated")
  func unknownThere() async throws {
    let more = """
      version(2)
      action.more { by = integer }
      function view.twice(s) return 2 * s.n end
      """
    let later =
      more + "\n"
      + Self.counter.replacing("action.add {}", with: "action.add { by = integer { default = 1 } }")
    let journal = SharedMemoryJournal(shards: 1)
    let (old, new) = await (try node("old", Self.counter, journal), try node("new", later, journal))
    let looking = Task {
      while !Task.isCancelled {
        await old.lookIntoInbox()
        try? await Task.sleep(for: .milliseconds(1))
      }
    }
    defer { looking.cancel() }
    try await old.create("a")
    #expect(old.node?.holds("a") == true)
    func kind(_ body: () async throws -> Void) async -> JournalError.Kind? {
      do { try await body() } catch { return (error as? JournalError)?.kind }
      return nil
    }
    #expect(await kind { try await new["a"].dispatch("more", ["by": 1]) } == .otherVersion)
    #expect(await kind { try await new["a"].dispatch("add", ["by": 1]) } == .otherVersion)
    #expect(await kind { _ = try await new["a"].may("more", ["by": 1]) } == .otherVersion)
    #expect(await kind { _ = try await new["a"].view("twice", fresh: true) } == .otherVersion)
    // An answer that neither knows is not there; one that both know is done.
    #expect(try await new["a"].dispatch("nonsense").failure?.kind == .undeclared)
    #expect(try await new["a"].dispatch("add").isPassed)
    #expect(try await new["a"].view("n", fresh: true).value == 1)
    try await old.close()
    await new.renewLeases()
    #expect(try await new["a"].dispatch("add", ["by": 1]).isPassed)
    #expect(try await new["a"].view("twice") == 4)
  }
}
