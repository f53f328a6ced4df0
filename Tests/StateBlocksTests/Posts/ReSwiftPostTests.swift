import StateBlocks
import Testing

/// The example of "ReSwift, Law of Demeter, and Another Level of Indirection", with an agent as the store.
@MainActor @Suite("the post on the Law of Demeter") struct ReSwiftPostTests {
  @MainActor protocol CountComponent {
    func newCount(_ count: Int)
  }

  protocol KnowsTheCount {
    var counter: Int { get }
    @MainActor func provideCount(_ comp: any CountComponent)
  }

  struct NavigationState: Sendable {}

  struct AppState: Sendable, KnowsTheCount {
    // Model state, e.g.:
    var counter = 0

    // Navigation state
    var navigationState = NavigationState()

    @MainActor func provideCount(_ comp: any CountComponent) {
      comp.newCount(counter)
    }
  }

  final class SomeViewController: UIViewController, CountComponent {
    private let mainStore: Agent<AppState>
    private var subscription: AgentSubscription?
    let veryBigCountLabel = UILabel()
    private(set) var counts: [Int] = []

    init(mainStore: Agent<AppState>) {
      self.mainStore = mainStore
      super.init()
    }

    override func viewWillAppear() {
      subscription = try? mainStore.subscribe(on: MainActor.self) { [weak self] change in
        self?.newState(change.new)
      }
    }

    override func viewWillDisappear() {
      subscription?.cancel()
    }

    // The store's state change callback
    func newState(_ state: any KnowsTheCount) {
      state.provideCount(self)
    }

    func newCount(_ count: Int) {
      veryBigCountLabel.text = "\(count)"
      counts.append(count)
    }
  }

  @Test("the view controller of the post is a subscriber on the main actor, and asks for one thing")
  func subscriber() async throws {
    let mainStore = Agent(AppState(), name: "main store")
    let controller = SomeViewController(mainStore: mainStore)
    controller.viewWillAppear()
    for _ in 1...3 { try mainStore.update { $0.counter += 1 } }
    while controller.counts.count < 3 { await Task.yield() }
    #expect(controller.counts == [1, 2, 3])
    #expect(controller.veryBigCountLabel.text == "3")
    try mainStore.update { $0.counter += 1 }
    controller.viewWillDisappear()
    for _ in 0..<100 { await Task.yield() }
    #expect(controller.counts == [1, 2, 3])
  }

  @Test("changes of other threads arrive on the main actor in their order")
  func threads() async throws {
    let mainStore = Agent(AppState())
    let controller = SomeViewController(mainStore: mainStore)
    controller.viewWillAppear()
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<4 {
        group.addTask { for _ in 0..<50 { try? mainStore.update { $0.counter += 1 } } }
      }
    }
    while controller.counts.count < 200 { await Task.yield() }
    #expect(controller.counts == Array(1...200))
  }

  @Test("a stopped agent takes no subscriber on the main actor, and a released one ends its own")
  func ends() async throws {
    let stopped = Agent(AppState())
    _ = try stopped.stop()
    #expect(throws: AgentError.self) { try stopped.subscribe(on: MainActor.self) { _ in } }
    final class Witness: Sendable {}
    weak var witness: Witness?
    var agent: Agent<AppState>? = Agent(AppState())
    do {
      let kept = Witness()
      witness = kept
      try agent?.subscribe(on: MainActor.self) { _ in _ = kept }
    }
    #expect(witness != nil)
    agent = nil
    while witness != nil { await Task.yield() }
  }
}
