import FlowKernel
import LuaRuntime
import Platform
import Testing

@testable import HostFiles

/// Tasks that one process performs for the user of an engine.
@Suite(.timeLimit(.minutes(5))) struct LivePerformancesTests {
  /// A performer whose tasks end once a test lets them.
  private final class Bank: Sendable {
    private let state = Mutex((performed: [String](), isOpen: false))
    var performed: [String] { state.withLock { $0.performed } }

    func open() { state.withLock { $0.isOpen = true } }

    func capability(atOnce: Int = 8) -> TaskCapability {
      let performer = LocalPerformer(atOnce: atOnce, timeout: 1) { task in
        self.state.withLock { $0.performed.append("\(task.task.position) \(task.attempt)") }
        while !Task.isCancelled, !self.state.withLock({ $0.isOpen }) {
          try? await Task.sleep(for: .milliseconds(2))
        }
        return Task.isCancelled ? .interrupted : .answered(.answer(.string(task.task.position)))
      }
      return TaskCapability(
        kind: .http, queue: "#root.charge", performer: performer, arguments: { .list($0) })
    }
  }

  private func task(_ position: String) -> OpenTask {
    OpenTask(
      call: "9f3c/main/e1/\(position)", tryNumber: 1, effect: 1, position: position, scope: "root",
      name: "charge", arguments: [], kind: .http, queue: "#root.charge", isOnce: true, opened: 0,
      deadline: nil)
  }

  /// Waits on a thread that may be blocked.
  private func ended(of live: LivePerformances) async -> [String] {
    await withTaskExecutorPreference(WorkerThreads(limit: 1)) {
      live.wait()
      return live.removeEnded().map(\.task.position)
    }
  }

  @Test("an open task is performed once, for as long as it is open")
  func once() async {
    let bank = Bank()
    let live = LivePerformances(["root.charge": bank.capability()], of: "main")
    live.follow([task("1")])
    live.follow([task("1")])
    #expect(live.isBusy && live.removeEnded().isEmpty)
    bank.open()
    #expect(await ended(of: live) == ["1"])
    live.follow([task("1")], attempt: 2)
    #expect(!live.isBusy)
    #expect(await ended(of: live) == [])
    #expect(bank.performed == ["1 1"])
    live.follow([])
    live.follow([task("1")], attempt: 2)
    #expect(await ended(of: live) == ["1"])
    #expect(bank.performed == ["1 1", "1 2"])
  }

  @Test("a task that is open no more is cancelled, and has no outcome")
  func cancelled() async {
    let bank = Bank()
    let live = LivePerformances(["root.charge": bank.capability()], of: "main")
    live.follow([task("1"), task("2")])
    live.follow([task("2")])
    bank.open()
    #expect(await ended(of: live) == ["2"])
    #expect(!live.isBusy)
  }

  @Test("no more tasks of a capability are performed at once than it allows")
  func atOnce() async {
    let bank = Bank()
    let live = LivePerformances(["root.charge": bank.capability(atOnce: 1)], of: "main")
    bank.open()
    live.follow([task("1"), task("2")])
    #expect(await ended(of: live) == ["1"])
    live.follow([task("1"), task("2")])
    #expect(await ended(of: live) == ["2"])
    #expect(bank.performed == ["1 1", "2 1"])
  }

  @Test("a wait ends when it is stopped, or when nothing is performed")
  func stopped() async {
    let bank = Bank()
    let others = TaskCapability(kind: .worker, queue: "mail", arguments: { .list($0) })
    let live = LivePerformances(
      ["root.charge": bank.capability(), "root.mail": others], of: "main")
    #expect(await ended(of: live) == [])
    live.follow([task("1")])
    await withTaskExecutorPreference(WorkerThreads(limit: 1)) { live.wait { true } }
    #expect(live.isBusy)
    live.follow([])
    #expect(!live.isBusy)
  }

  @Test("no later wait is for tasks that an ended one has left, whose outcomes come all the same")
  func left() async {
    let bank = Bank()
    let live = LivePerformances(["root.charge": bank.capability()], of: "main")
    live.follow([task("1")])
    live.endWait()
    #expect(await ended(of: live) == [])
    #expect(live.isBusy)
    live.follow([task("1"), task("2")])
    bank.open()
    var found: [String] = []
    while live.isBusy { found += await ended(of: live) }
    found += live.removeEnded().map(\.task.position)
    #expect(found.sorted() == ["1", "2"])
  }

  @Test("a task that is opened again does not get the outcome of its cancelled performance")
  func openedAgain() async {
    let bank = Bank()
    let live = LivePerformances(["root.charge": bank.capability()], of: "main")
    live.follow([task("1")])
    live.follow([])
    live.follow([task("1")], attempt: 2)
    try? await Task.sleep(for: .milliseconds(100))
    #expect(live.isBusy && live.removeEnded().isEmpty)
    bank.open()
    #expect(await ended(of: live) == ["1"])
  }
}
