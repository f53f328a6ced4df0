import StateBlocks
import Synchronization
import Testing

@Suite("a gatekeeper in an agent")
struct AgentGatekeeperTests {
  /// The example of the post "Streamlining State Management: Mutex".
  final class ViewController: Sendable {
    private let isLoading: Agent<Gatekeeper<Bool>> = .init()
    let fetches = Log<@Sendable () -> Void>()

    func load() {
      guard isLoading.try() else { return }

      fetches.append { [weak self] in self?.isLoading.reset() }
    }
  }

  @Test("the article's view controller with an agent loads once at a time")
  func viewController() throws {
    let controller = ViewController()
    try onThreads(4) { _ in controller.load() }
    #expect(controller.fetches.all.count == 1)
    controller.fetches.all[0]()
    controller.load()
    #expect(controller.fetches.all.count == 2)
  }

  @Test("records the revision itself, and a refused attempt adds none")
  func revisions() throws {
    let gatekeeper = Agent<Gatekeeper<Bool>>(name: "loading")
    for _ in 0..<20 {
      #expect(gatekeeper.try())
      #expect(gatekeeper.reset())
    }
    #expect(!gatekeeper.reset())
    let passage = try gatekeeper.enter(by: "load()")
    #expect(!gatekeeper.try())
    let error = #expect(throws: PassageRefusal.self) { try gatekeeper.enter() }
    #expect(error.map { "\($0)" } == "\"loading\" is held by load() since revision 41")
    #expect(try gatekeeper.revision == 41)
    #expect(gatekeeper.end(passage))
    #expect(!gatekeeper.end(passage))
    #expect(gatekeeper.mayPass)
  }

  @Test("an attempt fails if the agent is busy in the same call or has been stopped")
  func closed() throws {
    let gatekeeper = Agent<Gatekeeper<Bool>>()
    try gatekeeper.fetch { _ in #expect(!gatekeeper.try()) }
    #expect(gatekeeper.try())
    _ = try gatekeeper.stop()
    #expect(!gatekeeper.try())
    #expect(!gatekeeper.mayPass)
    #expect(!gatekeeper.reset())
  }

  @Test("an option is tested and taken in one step across threads")
  func options() throws {
    let gatekeeper = Agent(Gatekeeper<State>())
    let passed = Atomic<Int>(0)
    try onThreads(8) { _ in
      for _ in 0..<500 where gatekeeper.try(.loading, unless: .loaded) {
        passed.add(1, ordering: .relaxed)
        let inside = try gatekeeper.fetch { $0.heldOptions }
        try check(inside == .loading, "two are inside")
        gatekeeper.reset(.loading)
      }
    }
    #expect(passed.load(ordering: .relaxed) >= 500)
    let passage = try gatekeeper.enter(.loading, unless: .loaded)
    #expect(gatekeeper.end(passage, latching: .loaded))
    #expect(!gatekeeper.try(.loading, unless: .loaded))
    #expect(gatekeeper.reset(.loaded))
  }

  @Test("withPassage runs outside the agent, and ends the passage if its closure throws")
  func withPassage() throws {
    let gatekeeper = Agent(Gatekeeper<State>())
    #expect(throws: Oops()) {
      try gatekeeper.withPassage(for: .loading) {
        #expect(!gatekeeper.try(.loading))
        throw Oops()
      }
    }
    #expect(gatekeeper.try(.loading))
    let loading = Agent<Gatekeeper<Bool>>()
    #expect(throws: Oops()) { try loading.withPassage { throw Oops() } }
    #expect(try loading.withPassage { loading.mayPass } == false)
    #expect(loading.mayPass)
  }

  @Test("an asynchronous passage ends if its task is cancelled")
  func cancelled() async throws {
    let loading = Agent<Gatekeeper<Bool>>()
    let state = Agent(Gatekeeper<State>())
    let task = Task {
      try await loading.withPassage {
        try await state.withPassage(for: .loading) {
          #expect(!loading.mayPass)
          try await Task.sleep(for: .seconds(1000))
        }
      }
    }
    while loading.mayPass { await Task.yield() }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(loading.mayPass)
    #expect(state.try(.loading))
  }

  @Test("a passage that ends inside the agent's own closure is released afterwards")
  func endInside() throws {
    let gatekeeper = Agent<Gatekeeper<Bool>>()
    let passage = try gatekeeper.enter()
    try gatekeeper.fetch { _ in #expect(gatekeeper.end(passage)) }
    #expect(gatekeeper.mayPass)
  }
}
