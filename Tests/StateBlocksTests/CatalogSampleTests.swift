import StateBlocks
import Testing

/// The Swift of the catalog's first page.
@Suite struct CatalogSampleTests {
  private struct User: Sendable {
    let name: String
  }

  private struct Profile {
    let user: User
    init(of user: User) { self.user = user }
  }

  private let ada = User(name: "Ada")

  @Test("the samples of the first page work together")
  func firstPage() throws {
    var names: [String] = []
    try play { names.append($0) }
    #expect(names == ["Ada"])
  }

  private func play(_ tell: (String) -> Void) throws {
    let counter = Agent(0, name: "counter")
    try counter.update { $0 += 1 }

    let isLoading: Agent<Gatekeeper<Bool>> = .init(name: "loading")
    guard isLoading.try() else { return }

    let root = Scope("root")
    let user = root.lock("user", key: User.self)
    let profile = user.factory("profile") { user in Profile(of: try user.key) }
    let screen = try root.open().unlock(user, with: ada).make(profile)
    tell(screen.user.name)
  }
}
