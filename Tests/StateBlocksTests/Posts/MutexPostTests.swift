import StateBlocks
import Testing

/// The example of the draft "Streamlining State Management: Mutex".
@MainActor @Suite("the post on a mutex") struct MutexPostTests {
  private final class MyViewController: UIViewController {
    private let isLoading: Agent<Gatekeeper<Bool>> = .init()
    let model = Model()

    func load() {
      guard isLoading.try() else { return }

      model.fetch()
        .handleEvents(receiveCompletion: { [weak self] _ in
          self?.isLoading.reset()
        })
    }
  }

  @Test("the view controller of the draft loads once at a time, on the main actor")
  func loading() {
    let controller = MyViewController()
    controller.load()
    controller.load()
    #expect(controller.model.fetches.count == 1)
    controller.model.fetches[0].complete()
    controller.load()
    #expect(controller.model.fetches.count == 2)
  }
}
