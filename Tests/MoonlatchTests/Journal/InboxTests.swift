import LuaRuntime
import Synchronization
import Testing

@testable import Moonlatch

/// Requests at another node that are too late.
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
  ) throws -> Cases {
    var options = NodeOptions()
    (options.name, options.looks, options.patience) = (name, .milliseconds(1), patience)
    return try Cases(
      of: LoadedFlow(source: source, name: "order.lua"), in: journal,
      options: HostOptions(clock: .virtual, report: { _ in }), node: options)
  }

  @Test("what nobody has begun is not done any more once the patience of who asked has passed")
  func impatient() async throws {
    let wall = Mutex(1_700_000_000_000_000)
    let journal = SharedMemoryJournal(shards: 1) { wall.withLock { $0 } }
    let owner = try node("n0", Self.counter, journal, patience: .milliseconds(1))
    let other = try node("n1", Self.counter, journal, patience: .milliseconds(1))
    try await owner.create("a")
    // Nobody looks into the inbox: who asked gives up, and its node may have died before it took that back.
    await #expect(throws: JournalError.self) { try await other["a"].dispatch("add") }
    let request = InboxDispatch(
      id: "a", key: "n1/99",
      request: CaseRequest.dispatch("add", [:], key: nil, by: nil).value.inboxBytes,
      patience: .milliseconds(1))
    try journal.dispatch(request)
    wall.withLock { $0 += 1_000 }
    for task in owner.lookIntoInbox() { await task.value }
    #expect(try await owner["a"].view("n") == 0)
    #expect(try journal.takeAnswer(to: request) == nil)
  }
}
