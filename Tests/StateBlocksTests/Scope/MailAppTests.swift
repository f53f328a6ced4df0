import Foundation
import StateBlocks
import Testing

// The mail app of "Managing objects using Locks and Keys in Swift". What stands between the two
// marks is the code of the article in StateBlocks.docc, word for word; a test below compares them.

// [mail-app]
struct User: Sendable, Equatable {
  let name: String
}

struct Message: Sendable {
  let subject: String
}

struct ImageLoader {
  let session: String
}

/// The services with which the root scope is opened, before login.
struct Services: Sendable {
  let session: String
  let restoreFromKeychain: @Sendable () -> User?
}

enum Screen {
  case logIn(then: @Sendable (User) throws -> Screen)
  case profile(of: User, images: ImageLoader)
  case message(String, reader: User, images: ImageLoader)
}

typealias RootScope = Scope<Services, NoParent>
typealias UserScope = Scope<User, RootScope>
typealias MessageScope = Scope<Message, UserScope>

struct MailApp {
  let root: RootScope
  let user: UserScope
  let message: MessageScope
  let firstScreen: Factory<RootScope, Screen>
  let profile: Factory<UserScope, Screen>
  let reader: Factory<MessageScope, Screen>

  init() {
    // The locks: a user opens the one scope, and there a message opens the other.
    let root = RootScope("root", key: Services.self)
    let user = root.lock("user", key: User.self)
    let message = user.lock("message", key: Message.self)

    // What needs no key.
    let images = root.factory("images") { root in
      ImageLoader(session: try root.key.session)
    }

    // What needs a user has one: `key` is a `User`, not an optional.
    let profile = user.factory("profile") { user in
      Screen.profile(of: try user.key, images: try user.make(images))
    }

    // What needs a message has that, and through its parent the user.
    let reader = message.factory("reader") { message in
      Screen.message(
        try message.key.subject, reader: try message.parent.key, images: try message.make(images))
    }

    // The way in: with a user from the key chain the root unlocks its own lock.
    let logIn = root.factory("logIn") { root in
      Screen.logIn { person in try root.unlock(user, with: person).make(profile) }
    }
    firstScreen = root.factory("firstScreen") { root in
      if let restored = try root.key.restoreFromKeychain() {
        return try root.unlock(user, with: restored).make(profile)
      }
      return try root.make(logIn)
    }

    self.root = root
    self.user = user
    self.message = message
    self.profile = profile
    self.reader = reader
  }
}
// [/mail-app]

// [mail-use]
func showFirstMessage(_ message: Message, of person: User, in services: Services) throws -> Screen {
  let mail = MailApp()
  let app = try mail.root.open(with: services)
  let user = try app.unlock(mail.user, with: person)
  defer { _ = try? user.close(because: "the window was closed") }
  return try user.unlock(mail.message, with: message).make(mail.reader)
}
// [/mail-use]

@Suite("the mail app")
struct MailAppTests {
  private let mail = MailApp()

  private func open(keychain user: User? = nil) throws -> RootScope.Instance {
    try mail.root.open(with: Services(session: "shared", restoreFromKeychain: { user }))
  }

  @Test("without a user in the keychain the first screen is the login, which leads to the profile")
  func logIn() throws {
    let app = try open()
    guard case .logIn(let then) = try app.make(mail.firstScreen) else {
      Issue.record("the first screen should log in")
      return
    }
    guard case .profile(let user, let images) = try then(User(name: "Ada")) else {
      Issue.record("logging in should lead to the profile")
      return
    }
    #expect(user == User(name: "Ada"))
    #expect(images.session == "shared")
  }

  @Test("with a user in the keychain the root unlocks the user's scope")
  func restore() throws {
    let app = try open(keychain: User(name: "Grace"))
    guard case .profile(let user, _) = try app.make(mail.firstScreen) else {
      Issue.record("the first screen should be the profile")
      return
    }
    #expect(user == User(name: "Grace"))
  }

  @Test("a product of the message scope gets the message, the user and the root's products")
  func message() throws {
    let screen = try showFirstMessage(
      Message(subject: "hello"), of: User(name: "Ada"),
      in: Services(session: "shared", restoreFromKeychain: { nil }))
    guard case .message(let subject, let reader, let images) = screen else {
      Issue.record("the reader should show a message")
      return
    }
    #expect(subject == "hello")
    #expect(reader == User(name: "Ada"))
    #expect(images.session == "shared")
  }

  @Test(
    "logging out closes the user and message scopes, and a screen continues as a plain Swift value")
  func logOut() throws {
    let app = try open()
    let ada = try app.unlock(mail.user, with: User(name: "Ada"))
    let hello = try ada.unlock(mail.message, with: Message(subject: "hello"))
    let screen = try ada.make(mail.profile)
    try ada.close(because: "log_out")
    let error = #expect(throws: ScopeError.self) { try ada.make(mail.profile) }
    #expect(
      error.map { "\($0)" }
        == "scope root/user is closed (since log_out): profile is no longer available")
    #expect(throws: ScopeError.self) { try hello.make(mail.reader) }
    guard case .profile(let user, _) = screen else {
      Issue.record("the screen should still be the profile")
      return
    }
    #expect(user == User(name: "Ada"))
  }

  @Test("the app has a description of all its scopes")
  func described() {
    #expect(
      mail.root.description == """
        scope root
          lock user: needs a key of type User
            lock message: needs a key of type Message
              reader: makes Screen
            profile: makes Screen
          images: makes ImageLoader
          logIn: makes Screen
          firstScreen: makes Screen

        """)
  }

  @Test("the article shows the tested code")
  func article() throws {
    let here = URL(filePath: #filePath)
    let source = try String(contentsOf: here, encoding: .utf8)
    let package = (0..<4).reduce(here) { url, _ in url.deletingLastPathComponent() }
    let path = "Sources/Support/StateBlocks/StateBlocks.docc/LocksAndKeys.md"
    let article = try String(contentsOf: package.appending(path: path), encoding: .utf8)
    let code = try #require(
      Self.text(between: "// [mail-app]\n", and: "// [/mail-app]", in: source))
    let use = try #require(Self.text(between: "// [mail-use]\n", and: "// [/mail-use]", in: source))
    #expect(article.contains("```swift\n\(code)```"))
    #expect(article.contains("```swift\n\(use)```"))
  }

  private static func text(between begin: String, and end: String, in text: String) -> String? {
    guard let from = text.range(of: begin)?.upperBound,
      let to = text.range(of: end, range: from..<text.endIndex)?.lowerBound
    else { return nil }
    return String(text[from..<to])
  }
}
