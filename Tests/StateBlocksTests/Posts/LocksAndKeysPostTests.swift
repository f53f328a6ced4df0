import StateBlocks
import Testing

/// The app of "Managing objects using Locks and Keys in Swift", with the post's own classes, on the main actor.
enum LocksAndKeysPost {
  struct User: Sendable {
    let name: String
    let photo: String
  }

  final class UserManager: Sendable {
    private let keychain: User?

    init(keychain: User? = nil) { self.keychain = keychain }

    func restoreFromKeychain() -> User? { keychain }
  }

  struct URLSession: Sendable {
    static let shared = URLSession()
  }

  struct ImageLoader: Sendable {
    let urlSession: URLSession
  }

  final class ProfileViewController: UIViewController {
    lazy var nameLabel = UILabel()
    lazy var imageView = UIImageView()
    private let user: User
    private let imageLoader: ImageLoader

    init(user: User, imageLoader: ImageLoader) {
      self.user = user
      self.imageLoader = imageLoader
      super.init()
    }

    override func viewDidLoad() {
      super.viewDidLoad()
      nameLabel.text = user.name
      imageView.image = user.photo
    }
  }

  final class LoginViewController: UIViewController {
    private let userManager: UserManager
    private let factory: RootScope.Instance

    init(userManager: UserManager, factory: RootScope.Instance) {
      self.userManager = userManager
      self.factory = factory
      super.init()
    }

    func handleLoginResult(_ result: Result<User, any Error>) throws {
      switch result {
      case .success(let user):
        let userBoundFactory = try factory.unlock(Mail.user, with: user)
        let profileVC = try userBoundFactory.make(Mail.profileViewController)
        navigationController?.pushViewController(profileVC, animated: true)
      case .failure(let error):
        throw error
      }
    }
  }

  /// The parameters of the post's `RootFactory`: the key of the root scope.
  struct Services: Sendable {
    var urlSession = URLSession.shared
    var userManager = UserManager()
  }

  typealias RootScope = Scope<Services, NoParent>
  typealias UserScope = Scope<User, RootScope>

  enum Mail {
    static let root = RootScope("root", key: Services.self)
    // The lock: a user opens the scope behind it.
    static let user: UserScope = Mail.root.lock("user", key: User.self)

    static let imageLoader = Mail.root.factory("imageLoader") { root in
      ImageLoader(urlSession: try root.key.urlSession)
    }

    static let loginViewController = Mail.root.factory(
      "loginViewController", on: MainActor.self
    ) { root in
      LoginViewController(userManager: try root.key.userManager, factory: root)
    }

    static let profileViewController = Mail.user.factory(
      "profileViewController", on: MainActor.self
    ) { user in
      ProfileViewController(user: try user.key, imageLoader: try user.make(Mail.imageLoader))
    }

    static let rootViewController = Mail.root.factory(
      "rootViewController", on: MainActor.self
    ) { root -> UIViewController in
      if let user = try root.key.userManager.restoreFromKeychain() {
        return try root.unlock(Mail.user, with: user).make(Mail.profileViewController)
      }
      return try root.make(Mail.loginViewController)
    }
  }
}

@MainActor @Suite("the post on locks and keys") struct LocksAndKeysPostTests {
  private typealias Post = LocksAndKeysPost
  private typealias Mail = LocksAndKeysPost.Mail
  private typealias Services = LocksAndKeysPost.Services
  private let ada = LocksAndKeysPost.User(name: "Ada", photo: "ada.png")

  private func window(_ services: Services) throws -> UINavigationController {
    let factory = try Mail.root.open(with: services)
    let rootVC = try factory.make(Mail.rootViewController)
    return UINavigationController(rootViewController: rootVC)
  }

  @Test("the first screen logs in, and a login pushes the profile of the user")
  func logIn() throws {
    let window = try window(Services())
    let first = try #require(window.viewControllers.first as? Post.LoginViewController)
    try first.handleLoginResult(.success(ada))
    let profile = try #require(window.viewControllers.last as? Post.ProfileViewController)
    #expect(profile.nameLabel.text == "Ada")
    #expect(profile.imageView.image == "ada.png")
  }

  @Test("with a user in the keychain the root unlocks its own lock")
  func keychain() throws {
    let window = try window(Services(userManager: Post.UserManager(keychain: ada)))
    let profile = try #require(window.viewControllers.first as? Post.ProfileViewController)
    #expect(profile.nameLabel.text == "Ada")
  }

  @Test("a product of the main actor is awaited elsewhere, and made by name on the main actor only")
  func elsewhere() async throws {
    let app = try Mail.root.open(with: Services())
    let factory = Mail.rootViewController
    let made = try await Task.detached { try await app.make(factory) }.value
    #expect((made as? Post.LoginViewController) != nil)
    let named = try app.any.make(onMainActor: "rootViewController") as? Post.LoginViewController
    let loader = try app.any.make(onMainActor: "imageLoader") as? Post.ImageLoader
    #expect(named != nil && loader != nil)
    let error = #expect(throws: ScopeError.self) { try app.any.make("rootViewController") }
    #expect(
      error.map { "\($0)" }
        == "\"rootViewController\" of scope root belongs to the main actor: make it there, by "
        + "`make(onMainActor:)`")
  }

  @Test("a closed scope makes nothing of the main actor any more")
  func closed() throws {
    let app = try Mail.root.open(with: Services())
    let user = try app.unlock(Mail.user, with: ada)
    try user.close(because: "log_out")
    let error = #expect(throws: ScopeError.self) { try user.make(Mail.profileViewController) }
    #expect(
      error.map { "\($0)" }
        == "scope root/user is closed (since log_out): profileViewController is no longer available"
    )
  }
}
