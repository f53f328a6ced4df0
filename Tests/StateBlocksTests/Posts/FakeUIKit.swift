// The classes of UIKit that the posts use, as far as they use them, and isolated to the main actor as UIKit's are.

@MainActor class UIViewController {
  init() {}
  func viewDidLoad() {}
  func viewWillAppear() {}
  func viewWillDisappear() {}
  var navigationController: UINavigationController?
}

@MainActor final class UINavigationController: UIViewController {
  private(set) var viewControllers: [UIViewController] = []

  init(rootViewController: UIViewController) {
    super.init()
    pushViewController(rootViewController, animated: false)
  }

  func pushViewController(_ controller: UIViewController, animated: Bool) {
    controller.navigationController = self
    viewControllers.append(controller)
    controller.viewDidLoad()
  }
}

@MainActor final class UILabel {
  var text: String?
}

@MainActor final class UIImageView {
  var image: String?
}

/// The model of the posts: a fetch ends when a test says so.
@MainActor final class Model {
  private(set) var fetches: [Fetch] = []

  func fetch() -> Fetch {
    let fetch = Fetch()
    fetches.append(fetch)
    return fetch
  }
}

/// A publisher of one completion, as far as the posts use one.
@MainActor final class Fetch {
  private var receiveCompletion: ((Bool) -> Void)?

  func handleEvents(receiveCompletion: @escaping (Bool) -> Void) {
    self.receiveCompletion = receiveCompletion
  }

  func complete() { receiveCompletion?(true) }
}
