import StateBlocks
import Testing

/// The examples of "Use a Gatekeeper to manage control flow".
@MainActor @Suite("the post on gatekeepers") struct GatekeeperPostTests {
  private final class LoadingViewController: UIViewController {
    private var loadingGatekeeper = Gatekeeper()
    let model = Model()

    func load() {
      guard loadingGatekeeper.attemptPassage() else { return }

      model
        .fetch()
        .handleEvents(receiveCompletion: { [weak self] _ in
          self?.loadingGatekeeper.reset()
        })
    }
  }

  struct State: OptionSet {
    var rawValue: Int

    static let loading: Self = .init(rawValue: 1 << 0)
    static let loaded: Self = .init(rawValue: 1 << 1)
  }

  private final class StateViewController: UIViewController {
    private var stateGatekeeper = Gatekeeper<State>()
    let model = Model()

    func load() {
      guard stateGatekeeper.attemptPassage(for: .loading, unless: .loaded) else { return }

      model
        .fetch()
        .handleEvents(receiveCompletion: { [weak self] _ in
          self?.stateGatekeeper.reset(for: .loading)
          self?.stateGatekeeper.attemptPassage(for: .loaded)
        })
    }

    func forget() { stateGatekeeper.reset(for: .loaded) }
  }

  @Test("the view controller of the post loads once at a time, on the main actor")
  func loading() {
    let controller = LoadingViewController()
    controller.load()
    controller.load()
    #expect(controller.model.fetches.count == 1)
    controller.model.fetches[0].complete()
    controller.load()
    #expect(controller.model.fetches.count == 2)
  }

  @Test(
    "the second view controller of the post loads once at all, until what it loaded is forgotten")
  func state() {
    let controller = StateViewController()
    controller.load()
    controller.load()
    controller.model.fetches[0].complete()
    controller.load()
    #expect(controller.model.fetches.count == 1)
    controller.forget()
    controller.load()
    #expect(controller.model.fetches.count == 2)
  }

  @Test("a guard written as in the post keeps the passage that it took before a refusal")
  func leak() {
    var stateGatekeeper = Gatekeeper<State>()
    stateGatekeeper.attemptPassage(for: .loaded)
    let passes =
      stateGatekeeper.attemptPassage(for: .loading) && stateGatekeeper.mayPass(for: .loaded)
    #expect(!passes)
    stateGatekeeper.reset(for: .loaded)
    #expect(!stateGatekeeper.mayPass(for: .loading))
  }
}
